"""Catalog of published memories: list, download, verify, unpack.

    for dataset in list_datasets():
        print(dataset["name"], "local" if dataset["local"] else "remote")
    path = download_dataset("5000t-seed42-v1.0")     # then: --skip-learning --load-db path/memory_db

The register (`datasets.json`) has each archive's name and SHA-256. The bundled register lists the datasets of Assay's
releases; `base_url` or ASSAY_DATASETS_URL selects another one.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from assay.connections.addresses import is_loopback
from assay.escape import visible
from assay.memory_eval.datasets.archive import METADATA, unpack
from assay.memory_eval.errors import ExamCouldNotRun, ExamUsageError, UnknownDataset, told_in_a_line

FOLDER = Path("datasets")
REGISTER = "datasets.json"
ENVIRONMENT = "ASSAY_DATASETS_URL"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
TIMEOUT_S = 60.0
MOST_REGISTER_BYTES = 4 * 1024 * 1024
MOST_ARCHIVE_BYTES = 8 * 1024 * 1024 * 1024
MOST_SHOWN = 200


class Listed(BaseModel):
    """One dataset of a register. `url` may be relative to the register's address."""

    model_config = ConfigDict(extra="ignore", frozen=True)

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
    found: dict[str, dict[str, Any]] = {}
    for listed in _register(_base(base_url)):
        found[listed.name] = {**listed.model_dump(exclude_none=True), "local": False}
    with told_in_a_line(folder, "read"):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if (path / METADATA).is_file():
                entry = found.setdefault(path.name, {"name": path.name})
                found[path.name] = {**entry, "local": True, "path": str(path)}
    return [found[name] for name in sorted(found)]


def download_dataset(name: str, folder: Path = FOLDER, base_url: str | None = None, *, force: bool = False) -> Path:
    """Download and unpack a dataset and return its folder; keep an existing folder unless `force`.

    Raises `UnknownDataset` for an unknown name or a wrong checksum, `ExamCouldNotRun` if the download fails,
    `ExamUsageError` if the folder cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UnknownDataset(f"no dataset is called {name[:100]!r}")
    target = folder / name
    with told_in_a_line(folder, "read"):
        if (target / METADATA).is_file() and not force:
            return target
    base = _base(base_url)
    listed = next((one for one in _register(base) if one.name == name), None)
    if listed is None:
        known = ", ".join(one["name"] for one in list_datasets(folder, base_url))
        there_is = f"there is {known}" if known else "none is published yet, and `assay memory build-dataset` makes one"
        raise UnknownDataset(f"no dataset is called {name!r}; {there_is}", code="dataset.unknown")
    with told_in_a_line(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder) as scratch:
            archive = Path(scratch) / "archive"
            _download(_address(listed.url, base), archive, listed, may_be_here=_is_here(base))
            unpacked = Path(scratch) / "unpacked"
            unpack(archive, unpacked)
            _put(unpacked, target, force=force)
    return target


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
    return base_url or os.environ.get(ENVIRONMENT) or ""


def _register(base: str) -> list[Listed]:
    """Return the datasets of the register at this address, or of the bundled one."""
    if not base:
        text = resources.files("assay.memory_eval.datasets").joinpath(REGISTER).read_text("utf-8")
        return _LISTED.validate_python(json.loads(text)["datasets"])
    where = f"{base.rstrip('/')}/{REGISTER}"
    data = b"".join(_fetched(where, MOST_REGISTER_BYTES, may_be_here=_is_here(base)))
    try:
        return _LISTED.validate_python(json.loads(data)["datasets"])
    except (ValueError, KeyError, TypeError, RecursionError):  # a pydantic ValidationError is a ValueError
        raise ExamCouldNotRun(f"{_shown(where)}: not a register of datasets", code="dataset.invalid-register") from None


def _download(address: str, target: Path, listed: Listed, *, may_be_here: bool) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        for chunk in _fetched(address, listed.num_bytes, may_be_here=may_be_here):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != listed.sha256:
        raise UnknownDataset(f"{listed.name}: the download does not match its checksum; nothing was unpacked")


def _fetched(address: str, most: int, *, may_be_here: bool) -> Iterator[bytes]:
    """Yield the body of an address, at most `most` bytes: by https, or on this machine if `may_be_here`."""
    num = 0
    shown = _shown(address)
    try:
        with contextlib.ExitStack() as stack:
            # The checksum covers the bytes as stored, so transport compression is disabled.
            as_it_is = {"Accept-Encoding": "identity"}
            allow = functools.partial(_allow, may_be_here=may_be_here)
            client = httpx2.Client(timeout=TIMEOUT_S, headers=as_it_is, event_hooks={"request": [allow]})
            stack.enter_context(client)
            response = stack.enter_context(client.stream("GET", address, follow_redirects=True))
            if response.status_code != 200:
                raise ExamCouldNotRun(f"{shown}: answered {response.status_code}")
            for chunk in response.iter_raw():
                num += len(chunk)
                if num > most:
                    raise UnknownDataset(f"{shown}: larger than it should be", code="dataset.too-large")
                yield chunk
    except httpx2.HTTPError as error:
        raise ExamCouldNotRun(f"{shown}: {type(error).__name__}: {str(error)[:200]}") from None
    except httpx2.InvalidURL as error:
        raise ExamUsageError(f"{shown}: {error}") from None


def _allow(request: httpx2.Request, *, may_be_here: bool) -> None:
    """Check every hop: a redirect may leave neither https nor lead from outside to this machine."""
    parts = urlsplit(str(request.url))
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ExamUsageError(f"{_shown(str(request.url))}: only https is supported", code="dataset.needs-https")
    if not may_be_here and is_loopback(parts.hostname):
        raise ExamUsageError(
            f"{_shown(str(request.url))}: leads from outside to this machine", code="dataset.local-address"
        )


def _shown(address: str) -> str:
    """Return an address for a message, without user name and password."""
    before, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return visible(f"{before}{slashes}{host.rpartition('@')[2]}{slash}{path}", MOST_SHOWN)


def _is_here(base: str) -> bool:
    """Return whether the register itself is on this machine; a remote one may not redirect to it."""
    return is_loopback(urlsplit(base).hostname)


def _address(url: str, base: str) -> str:
    return url if urlsplit(url).scheme or not base else f"{base.rstrip('/')}/{url.lstrip('/')}"
