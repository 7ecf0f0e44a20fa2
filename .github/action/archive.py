"""The Action's prebuilt packages: archives of its release, each unpacked only if its content is what was locked.

    archive.py LOCK ENVIRONMENT KEEP SOURCE PART…

LOCK names each archive with the SHA-256 and the size of its content. An archive is looked for in the folder KEEP, then
downloaded from the address SOURCE, and kept. It is unpacked into ENVIRONMENT, an empty virtual environment. Exit code 1
where one cannot be had: then the packages are installed in another way.

Runs before anything is installed, so it needs nothing but Python. Any job may have written what KEEP holds: it is read
as bytes, and only its hash decides.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import lzma
import os
import platform
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 64 * 1024 * 1024
"""Of one archive as it is downloaded."""
TIMEOUT_S = 30.0
_CHUNK = 1024 * 1024
_MACHINES = {
    ("linux", "x86_64"): "linux-x86_64",
    ("linux", "aarch64"): "linux-aarch64",
    ("darwin", "arm64"): "macos-arm64",
}


class NoArchive(Exception):
    """There is no such archive here, or it is not what was locked."""


@dataclass(frozen=True)
class Locked:
    """One line of the lock: SHA-256 and size of the tar, and the name of the file it is compressed in."""

    digest: str
    size: int
    name: str


def main(lock: str, environment: str, keep: str, source: str, *parts: str) -> int:
    """Unpack the parts, and say in one line where they came from or why there are none."""
    try:
        found = [wanted(Path(lock).read_text("utf-8"), part) for part in parts]
        # Downloading and decompressing let others work meanwhile.
        with ThreadPoolExecutor(len(found)) as pool:
            tars = list(pool.map(lambda one: tar_of(one, Path(keep), source), found))
        for tar, _ in tars:
            _extract(tar, Path(environment))
        downloaded = sum(num_bytes for _, num_bytes in tars)
    except (NoArchive, OSError, tarfile.TarError) as error:
        sys.stdout.write(f"assay: no prebuilt packages: {error}\n")
        return 1
    sys.stdout.write(f"assay: prebuilt packages, {downloaded / 1e6:.1f} MB downloaded\n")
    return 0


def machine() -> str:
    """Return the name of this system and architecture in the names of archives; empty for one without archives."""
    if sys.platform == "linux" and platform.libc_ver()[0] != "glibc":
        return ""
    return _MACHINES.get((sys.platform, platform.machine()), "")


def wanted(lock: str, part: str) -> Locked:
    """Return the line of the lock for a part, this system and this Python. Raises `NoArchive`."""
    prefix = f"assay-{part}-{machine()}-{sys.implementation.cache_tag}-"
    for line in lock.splitlines():
        if not line.startswith("#"):
            digest, size, name = line.split()
            if machine() and name.startswith(prefix):
                return Locked(digest, int(size), name)
    raise NoArchive(f"none of {part} for {sys.platform}, {platform.machine()}, {sys.implementation.cache_tag}")


def tar_of(one: Locked, keep: Path, source: str) -> tuple[bytes, int]:
    """Return the tar that is locked, and the number of bytes that were downloaded for it. Raises `NoArchive`."""
    kept = keep / one.name.removesuffix(".xz")
    with contextlib.suppress(NoArchive, OSError), kept.open("rb") as file:
        return checked(file.read(one.size + 1), one), 0
    data = _downloaded(f"{source}/{one.name}")
    try:
        tar = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data, one.size + 1)
    except lzma.LZMAError as error:
        raise NoArchive(f"{one.name} is damaged: {error}") from None
    checked(tar, one)
    with contextlib.suppress(OSError):
        _keep(tar, kept)
    return tar, len(data)


def checked(tar: bytes, one: Locked) -> bytes:
    """Return a tar of the size and hash that are locked. Raises `NoArchive` for any other."""
    if len(tar) != one.size or hashlib.sha256(tar).hexdigest() != one.digest:
        raise NoArchive(f"{one.name} is not what was locked")
    return tar


def _downloaded(address: str) -> bytes:
    if not address.startswith(("https://", "http://")):
        raise NoArchive("no release to download them from")
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310 looked at above
            return bytes(answer.read(MOST_BYTES))
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        raise NoArchive(f"{address}: {error}") from None


def _extract(tar: bytes, environment: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
        archive.extractall(environment, members=_plain(archive))  # noqa: S202 only what was locked


def _plain(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield files and folders below the place; what was locked has nothing else."""
    for member in archive:
        path = Path(member.name)
        if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
            raise NoArchive(f"{member.name!a} is no plain file below the environment")
        yield member


def _keep(data: bytes, path: Path) -> None:
    """Keep a tar in place of older ones of its part, system and Python."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for older in path.parent.glob(f"{path.name.rpartition('-')[0]}-*"):
        older.unlink()
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
