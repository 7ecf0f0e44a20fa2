"""Published memories: list, download, verify, unpack, build.

    for dataset in list_datasets():
        print(dataset["name"], "local" if dataset["local"] else "remote")
    path = download_dataset("5000t-seed42-v1.0")     # then: --skip-learning --load-db path/memory_db

A register (`datasets.json`) has each archive's name and SHA-256. The bundled one lists the datasets of Assay's
releases; `base_url` or ASSAY_DATASETS_URL selects another one.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
from pydantic import BaseModel, Field, TypeAdapter

from assay import __version__
from assay.connections.addresses import is_loopback
from assay.escape import visible
from assay.memory_eval.errors import ExamCouldNotRun, ExamUsageError, UnknownDataset, told_in_a_line
from assay.memory_eval.files import write_atomically
from assay.memory_eval.render.rendering import rendered
from assay.memory_eval.report.model import EvalReport

METADATA, RESULTS, MEMORY, REGISTER = "metadata.json", "baseline_results.json", "memory_db", "datasets.json"
FOLDER = Path("datasets")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MOST_REGISTER_BYTES = 4 * 1024 * 1024
MOST_ARCHIVE_BYTES = 8 * 1024**3
MOST_RATIO = 200
"""Unpacked bytes for each byte of an archive: a memory compresses about tenfold, zeros a thousandfold."""


class Listed(BaseModel):
    """One dataset of a register. `url` may be relative to the register's address."""

    name: str = Field(pattern=rf"^{NAME.pattern}$")
    url: str = Field(min_length=1, max_length=2000)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    num_bytes: int = Field(ge=1, le=MOST_ARCHIVE_BYTES)
    description: str = Field(default="", max_length=2000)
    num_turns: int | None = None
    seed: int | None = None


_LISTED = TypeAdapter(list[Listed])


def list_datasets(folder: Path = FOLDER, base_url: str | None = None) -> list[dict[str, Any]]:
    """Return available and local datasets, sorted by name: `{name, local, path?, url?, sha256?, …}`.

    Raises `ExamCouldNotRun` if another register was requested and is not available, `ExamUsageError` for an unreadable
    folder.
    """
    found = {one.name: {**one.model_dump(exclude_none=True), "local": False} for one in _register(_base(base_url))}
    with told_in_a_line(folder, "read"):
        for path in folder.iterdir() if folder.is_dir() else []:
            if (path / METADATA).is_file():
                found[path.name] = {"name": path.name, **found.get(path.name, {}), "local": True, "path": str(path)}
    return [found[name] for name in sorted(found)]


def download_dataset(name: str, folder: Path = FOLDER, base_url: str | None = None, *, force: bool = False) -> Path:
    """Download and unpack a dataset and return its folder; keep an existing folder unless `force`.

    Raises `UnknownDataset` for an unknown name or a wrong checksum, `ExamCouldNotRun` if the download fails,
    `ExamUsageError` if the folder cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UnknownDataset(f"no dataset is called {name[:100]!r}")
    target, base = folder / name, _base(base_url)
    with told_in_a_line(folder, "read"):
        if (target / METADATA).is_file() and not force:
            return target
    listed = next((one for one in _register(base) if one.name == name), None)
    if listed is None:
        known = ", ".join(one["name"] for one in list_datasets(folder, base_url))
        there_is = f"there is {known}" if known else "none is published yet, and `assay memory build-dataset` makes one"
        raise UnknownDataset(f"no dataset is called {name!r}; {there_is}", code="dataset.unknown")
    with told_in_a_line(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder) as scratch:
            archive, unpacked = Path(scratch) / "archive", Path(scratch) / "unpacked"
            _download(urljoin(f"{base}/", listed.url), archive, listed, is_here=_is_here(base))
            unpack(archive, unpacked)
            _put(unpacked, target, force=force)
    return target


def unpack(archive: Path, folder: Path) -> None:
    """Unpack into a new folder; raises `UnknownDataset` for anything but plain files below it, and for too much."""
    left = max(2**20, archive.stat().st_size * MOST_RATIO)
    try:
        with tarfile.open(archive, mode="r|gz") as tar:
            for member in tar:
                left -= member.size
                if not (member.isreg() or member.isdir()) or (folder / member.name).is_file() or left < 0:
                    raise UnknownDataset(f"the archive holds {member.name[:100]!r}, which a dataset does not hold")
                tar.extract(member, folder, filter="data")
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise UnknownDataset(
            f"the archive cannot be unpacked: {str(error)[:200]}", code="dataset.broken-archive"
        ) from None
    if missing := [name for name in (METADATA, MEMORY) if not (folder / name).exists()]:
        raise UnknownDataset(f"the archive is not a dataset: it lacks {' and '.join(missing)}")


def build_dataset(name: str, memory: Path, report: EvalReport, folder: Path) -> dict[str, Any]:
    """Write `NAME.tar.gz` and its entry in `folder`'s datasets.json; return the entry.

    Upload both files to one place and use its address as `base_url`. Raises `ExamUsageError` for an invalid name, an
    invalid run, a memory with anything but plain files, and a folder that cannot be written.
    """
    if not NAME.fullmatch(name):
        raise ExamUsageError(f"{name[:100]!r}: a dataset's name is of letters, digits, dots, dashes and underscores")
    if not report.valid:
        raise ExamUsageError(
            f"the report is not of a valid run ({report.why_invalid}); a dataset needs its scores",
            code="dataset.invalid-run",
        )
    results = rendered(report, "json")
    fields = ("num_turns", "num_questions", "seed", "total_facts_delivered", "world_version", "agent", "overall_score")
    # Without a date: the same memory gives the same archive.
    metadata = {"name": name, "assay_version": __version__, **{key: getattr(report, key) for key in fields}}
    with told_in_a_line(folder, "written"):
        files = dict(_files(memory))
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / f"{name}.tar.gz"
        text = json.dumps(metadata, indent=2, sort_keys=True, ensure_ascii=False)
        with tempfile.TemporaryFile(dir=folder) as packed:
            _pack(packed, {METADATA: f"{text}\n".encode(), RESULTS: results.encode()}, files)
            packed.seek(0)
            digest = write_atomically(archive, iter(lambda: packed.read(2**20), b""))
        entry = {
            "name": name,
            "url": archive.name,
            "sha256": digest,
            "num_bytes": archive.stat().st_size,
            "num_turns": report.num_turns,
            "seed": report.seed,
            "description": f"{report.num_turns:,} turns, {report.total_facts_delivered:,} facts; {report.agent}"[:2000],
        }
        write_atomically(archive.with_name(f"{archive.name}.sha256"), [f"{digest}  {archive.name}\n".encode()])
        _enter(folder / REGISTER, entry)
    return entry


def _files(memory: Path) -> Iterator[tuple[str, Path]]:
    """Yield (name in the archive, path) of each file, sorted by name."""
    if not memory.exists():
        raise ExamUsageError(f"{memory}: is not there")
    start = memory.parent if memory.is_file() else memory
    for path in [memory] if memory.is_file() else sorted(memory.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ExamUsageError(
                f"{path}: is not a plain file; a dataset may contain only plain files", code="dataset.not-a-file"
            )
        if path.is_file():
            yield f"{MEMORY}/{path.relative_to(start).as_posix()}", path


def _pack(packed: Any, texts: Mapping[str, bytes], files: Mapping[str, Path]) -> None:
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name in (*texts, *files):
            entry = tarfile.TarInfo(name)  # without owner and time, so that archives do not depend on the machine
            entry.size = len(texts[name]) if name in texts else files[name].stat().st_size
            with io.BytesIO(texts[name]) if name in texts else files[name].open("rb") as content:
                tar.addfile(entry, content)


def _enter(register: Path, entry: Mapping[str, Any]) -> None:
    try:
        known = json.loads(register.read_text("utf-8"))["datasets"] if register.is_file() else []
        others = [one for one in known if one["name"] != entry["name"]]
    except (ValueError, KeyError, TypeError):
        raise ExamUsageError(
            f"{register}: not a register of datasets; move it away", code="dataset.invalid-register"
        ) from None
    text = json.dumps({"datasets": sorted([*others, entry], key=lambda one: str(one["name"]))}, indent=2)
    write_atomically(register, [text.encode() + b"\n"])


def _put(unpacked: Path, target: Path, *, force: bool) -> None:
    try:
        if force and target.exists() and not target.is_symlink():
            shutil.rmtree(target)
        unpacked.rename(target)
    except OSError as error:
        why = f"{target}: exists and is not a dataset ({error.strerror or error}); move it away"
        raise ExamUsageError(why, code="dataset.not-replaced") from None


def _base(base_url: str | None) -> str:
    """Return the address of the register, from the caller or the environment; "" for the bundled one."""
    return (base_url or os.environ.get("ASSAY_DATASETS_URL") or "").rstrip("/")


def _register(base: str) -> list[Listed]:
    """Return the datasets of the register at this address, or of the bundled one."""
    if base:
        with _fetched(f"{base}/{REGISTER}", MOST_REGISTER_BYTES, is_here=_is_here(base)) as chunks:
            data = b"".join(chunks)
    else:
        data = resources.files(__name__).joinpath(REGISTER).read_bytes()
    try:
        return _LISTED.validate_python(json.loads(data)["datasets"])
    except (ValueError, KeyError, TypeError, RecursionError):  # a pydantic ValidationError is a ValueError
        raise ExamCouldNotRun(f"{_shown(base)}: not a register of datasets", code="dataset.invalid-register") from None


def _download(address: str, target: Path, listed: Listed, *, is_here: bool) -> None:
    digest = hashlib.sha256()
    with _fetched(address, listed.num_bytes, is_here=is_here) as chunks, target.open("wb") as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != listed.sha256:
        raise UnknownDataset(f"{listed.name}: the download does not match its checksum; nothing was unpacked")


@contextmanager
def _fetched(address: str, most: int, *, is_here: bool) -> Iterator[Iterator[bytes]]:
    """Yield the body of an address in pieces, at most `most` bytes: by https, or from this machine if `is_here`."""
    shown = _shown(address)

    def allow(request: httpx2.Request) -> None:
        # Every hop: a redirect may leave neither https nor lead from outside to this machine.
        parts = urlsplit(str(request.url))
        if not (is_here if is_loopback(parts.hostname) else parts.scheme == "https"):
            where = _shown(str(request.url))
            raise ExamUsageError(f"{where}: only https to another machine is supported", code="dataset.needs-https")

    def body(response: httpx2.Response) -> Iterator[bytes]:
        left = most
        for chunk in response.iter_raw():
            left -= len(chunk)
            if left < 0:
                raise UnknownDataset(f"{shown}: larger than it should be", code="dataset.too-large")
            yield chunk

    # The checksum covers the bytes as stored, so transport compression is disabled.
    as_it_is = {"Accept-Encoding": "identity"}
    try:
        with (
            httpx2.Client(timeout=60, headers=as_it_is, event_hooks={"request": [allow]}) as client,
            client.stream("GET", address, follow_redirects=True) as response,
        ):
            if response.status_code != 200:
                raise ExamCouldNotRun(f"{shown}: answered {response.status_code}")
            yield body(response)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ExamCouldNotRun(f"{shown}: {type(error).__name__}: {str(error)[:200]}") from None


def _shown(address: str) -> str:
    """Return an address for a message, without user name and password."""
    return visible(re.sub(r"//[^/]*@", "//", address), 200)


def _is_here(address: str) -> bool:
    return is_loopback(urlsplit(address).hostname)
