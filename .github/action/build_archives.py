"""Build the archives of the Action's packages, for every system and Python it runs on, and write their lock.

    build_archives.py FOLDER LOCK [NAME…]

With NAME only the archives whose name contains one; the lock keeps the lines of the others. Each is a tar of what
`requirements/action.txt` locks, made of wheels alone, so one machine builds all of them. The tar is the same wherever
it is built: names are sorted, times and owners are none. Only its compression may differ, hence the lock names the tar.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements/action.txt"
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {
    "linux-x86_64": "x86_64-manylinux_2_34",
    "linux-aarch64": "aarch64-manylinux_2_34",
    "macos-arm64": "aarch64-apple-darwin",
}
PARTS = {"setup": ("uv",), "quality": ("jscpd",)}
"""Packages that not every job needs: uv sets up environments for the change's commands, the others validate quality."""
ON_DEMAND = ("ast-grep-cli", "ruff", "squawk-cli", "zizmor")
"""Installed from the package index when a changed file asks for them."""
ONLY_TO_BUILD = ("hatchling", "editables", "trove-classifiers")
_BLOCK = re.compile(r"^([A-Za-z0-9][\w.-]*)==.*(?:\n[ \t]+--hash=.*)+", re.MULTILINE)


def main(folder: str, lock: str, *names: str) -> None:
    """Build, and write one line for each archive into the lock."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    lines = _kept(Path(lock), names)
    wanted = [one for one in _wanted() if not names or any(part in one[0] for part in names)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, tar, compressed in pool.map(lambda one: (one[0], *_built(*one[1:])), wanted):
            digest = hashlib.sha256(tar).hexdigest()
            file = f"{name}-{digest[:12]}.tar.xz"
            (target / file).write_bytes(compressed)
            lines = [line for line in lines if f" {name}-" not in line] + [f"{digest} {len(tar)} {file}\n"]
            sys.stdout.write(f"{len(compressed) / 1e6:6.1f} MB  {file}\n")
    told = "# Written by `make archives`: SHA-256 and size of the tar in each archive of a release.\n"
    Path(lock).write_text(told + "".join(sorted(lines, key=lambda line: line.split()[2])), "utf-8")


def _kept(lock: Path, names: Sequence[str]) -> list[str]:
    """Return the lines of the archives that are not built."""
    if not names or not lock.exists():
        return []
    return [line for line in lock.read_text("utf-8").splitlines(keepends=True) if not line.startswith("#")]


def _built(requirements: str, python: str, system: str) -> tuple[bytes, bytes]:
    tar = tar_of(requirements, python, PLATFORMS[system])
    return tar, lzma.compress(tar, preset=6)


def _wanted() -> Iterator[tuple[str, str, str, str]]:
    """Yield name, requirements, Python and system of each archive."""
    blocks: dict[str, str] = {}
    for match in _BLOCK.finditer(REQUIREMENTS.read_text("utf-8")):
        # A package may be there in two versions, each for other Pythons.
        blocks[match[1].lower()] = blocks.get(match[1].lower(), "") + match[0] + "\n"
    apart = {name for names in PARTS.values() for name in names}.union(ON_DEMAND, ONLY_TO_BUILD)
    parts = {"base": [name for name in blocks if name not in apart], **PARTS}
    for system in PLATFORMS:
        for python in PYTHONS:
            for part, names in parts.items():
                requirements = "\n".join(blocks[name] for name in names)
                yield f"assay-{part}-{system}-cpython-{python.replace('.', '')}", requirements, python, system


def tar_of(requirements: str, python: str, system: str) -> bytes:
    """Return the tar of an environment's `bin` and `lib/pythonX.Y/site-packages`."""
    with tempfile.TemporaryDirectory() as temporary:
        place, listed = Path(temporary) / "target", Path(temporary) / "requirements.txt"
        listed.write_text(requirements, "utf-8")
        command = [shutil.which("uv") or str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet"]
        command += ["--require-hashes", "--no-deps", "--no-build", "--no-compile-bytecode", "--target", str(place)]
        command += ["--python-version", python, "--python-platform", system, "-r", str(listed)]
        subprocess.run(command, check=True)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(path for path in place.rglob("*") if path.is_file()):
                name = _name_of(path.relative_to(place), path, python)
                if name is not None:
                    facts = tarfile.TarInfo(name)
                    facts.size, facts.mode = path.stat().st_size, 0o755 if name.startswith("bin/") else 0o644
                    with path.open("rb") as file:
                        archive.addfile(facts, file)
        return buffer.getvalue()


def _name_of(inside: Path, path: Path, python: str) -> str | None:
    """Return a file's name in the environment; None for what no run needs.

    Scripts of Python name the machine they are made on, and jscpd comes twice, under two names.
    """
    if inside.parts[0] == "bin":
        with path.open("rb") as file:
            is_script = file.read(2) == b"#!"
        return None if is_script or inside.name == "cpd" else str(inside)
    if "tests" in inside.parts[:-1] or inside.name in ("RECORD", "INSTALLER", "REQUESTED", ".lock"):
        return None
    return f"lib/python{python}/site-packages/{inside}"


if __name__ == "__main__":
    main(*sys.argv[1:])
