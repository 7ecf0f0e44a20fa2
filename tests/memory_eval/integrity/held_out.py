"""The register of held-out packs: each is committed to by its checksum before a release, and published when it retires.

python -m tests.memory_eval.integrity.held_out commit FILE RELEASE     enter the checksum of a pack that stays private
python -m tests.memory_eval.integrity.held_out retire FILE             publish a pack that was entered
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from assay.memory_eval import ExamUsageError, check_pack, read_pack

REGISTER = Path(__file__).with_name("held_out_packs.json")


def commit(file: Path, release: str, register: Path = REGISTER) -> str:
    """Enter a pack that has no mistakes, and return its SHA-256; a release has one pack."""
    if mistakes := check_pack(read_pack(file)).mistakes:
        raise ExamUsageError(f"{file}: {mistakes[0]}")
    entries = _entries(register)
    if any(one["release"] == release for one in entries):
        raise ExamUsageError(f"release {release} has a held-out pack already")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    _write(register, [*entries, {"release": release, "sha256": digest, "published": None}])
    return digest


def retire(file: Path, register: Path = REGISTER) -> Path:
    """Copy a pack that was entered next to the register, and return the copy."""
    digest, entries = hashlib.sha256(file.read_bytes()).hexdigest(), _entries(register)
    entry = next((one for one in entries if one["sha256"] == digest), None)
    if entry is None:
        raise ExamUsageError(f"{file}: its checksum {digest} is not in the register")
    published = register.with_name(f"held_out_pack_{entry['release']}.json")
    if file.resolve() != published.resolve():
        shutil.copyfile(file, published)
    entry["published"] = published.name
    _write(register, entries)
    return published


def _entries(register: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(register.read_text("utf-8")) if register.is_file() else []
    return entries


def _write(register: Path, entries: list[dict[str, Any]]) -> None:
    register.write_text(f"{json.dumps(entries, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    try:
        what, path, *release = sys.argv[1:]
        print(commit(Path(path), release[0]) if what == "commit" else retire(Path(path)))
    except ExamUsageError as error:
        sys.exit(str(error))
