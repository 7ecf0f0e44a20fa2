"""The wheelhouse: the packages of the Action as files, which may have been anywhere since they were downloaded.

    wheelhouse.py key   REQUIREMENTS…           the name under which this machine may keep and find it again
    wheelhouse.py sweep FOLDER REQUIREMENTS…    remove what the requirements do not name by its hash
    wheelhouse.py pick REQUIREMENTS PACKAGE…    the lines of the requirements for some packages

Runs before anything is installed, so it needs nothing but Python.
"""

import hashlib
import platform
import re
import shutil
import stat
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path


def main(verb: str, *arguments: str) -> int:
    """One of the verbs; `key` and `pick` write their answer to standard output, `sweep` tells what it removed."""
    if verb == "key":
        sys.stdout.write(key_of([Path(argument) for argument in arguments]) + "\n")
    elif verb == "pick":
        sys.stdout.write(pick(Path(arguments[0]), arguments[1:]))
    else:
        removed = sweep(Path(arguments[0]), [Path(argument) for argument in arguments[1:]])
        if removed:
            sys.stdout.write(f"assay: {removed} cached files are not what was locked, and were thrown away\n")
    return 0


def key_of(requirements: list[Path]) -> str:
    """Which wheels fit: system, architecture, C library and Python; and which are wanted: the locks' own hash."""
    wanted = hashlib.sha256(b"\0".join(path.read_bytes() for path in requirements)).hexdigest()[:32]
    machine = f"{sysconfig.get_platform()}-{''.join(platform.libc_ver())}-{sys.implementation.cache_tag}"
    return f"assay-wheelhouse-{re.sub(r'[^A-Za-z0-9.-]', '_', machine)}-{wanted}"


def pick(requirements: Path, packages: Sequence[str]) -> str:
    """Return the blocks of these packages, each a line with its version and lines with its hashes."""
    blocks = re.findall(r"^[\w.-]+==(?:.*\\\n)*.*\n", requirements.read_text("utf-8"), re.MULTILINE)
    return "".join(block for block in blocks if block.partition("==")[0] in packages)


def sweep(folder: Path, requirements: list[Path]) -> int:
    """Leave only regular files whose SHA-256 a lock holds, and say how many others there were. Follows no link."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    locked = {found for path in requirements for found in re.findall(r"sha256:([0-9a-f]{64})", path.read_text("utf-8"))}
    strangers = [path for path in folder.iterdir() if not _is_locked(path, locked)]
    for path in strangers:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return len(strangers)


def _is_locked(path: Path, locked: set[str]) -> bool:
    # A hard link could be written to from elsewhere after it was looked at.
    facts = path.lstat()
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() in locked


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
