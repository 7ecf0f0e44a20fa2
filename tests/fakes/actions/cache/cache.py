"""cache.py restore|save: one folder, kept by the test under a key. Once kept, it stays as it is."""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

STORE = Path(json.loads(Path(__file__).with_name("settings.json").read_text())["cache"])


def main() -> None:
    given = json.loads(os.environ["INPUTS"])
    paths = given["path"].split()
    if len(paths) != 1:
        sys.exit("this stand-in caches one folder")
    place, kept = Path(paths[0]).expanduser(), STORE / hashlib.sha256(given["key"].encode()).hexdigest()[:32]
    if sys.argv[1] == "save":
        save(place, kept, given["key"])
    else:
        restore(place, kept, given)


def save(place: Path, kept: Path, key: str) -> None:
    if kept.is_dir():
        print(f"Failed to save: another job has written {key}")
        return
    shutil.copytree(place, kept)
    kept.with_suffix(".key").write_text(key)


def restore(place: Path, kept: Path, given: dict[str, str]) -> None:
    near = [key for key in map(str.strip, given["restore-keys"].split("\n")) if key]
    older = [one for one in STORE.glob("*.key") if any(one.read_text().startswith(key) for key in near)]
    newest = max(older, key=lambda one: one.stat().st_mtime, default=None)
    found = kept if kept.is_dir() else newest.with_suffix("") if newest else None
    if found is None and given["fail-on-cache-miss"] == "true":
        sys.exit(f"Failed to restore cache entry. Exiting as fail-on-cache-miss is set. Input key: {given['key']}")
    if found is not None:
        shutil.copytree(found, place, dirs_exist_ok=True)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as output:
        # As there, nothing is said of a miss without any other key that would do.
        output.write(f"cache-hit={str(found == kept).lower()}\n" if found else "")
    print(f"{'hit' if found == kept else 'near' if found else 'miss'}: {given['key']}")


main()
