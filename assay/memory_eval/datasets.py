"""Memories that were taught already: listed, downloaded from releases, checked, unpacked.

    for dataset in list_datasets():
        print(dataset["name"], "local" if dataset["local"] else "remote")
    path = download_dataset("5000t-seed42-v1.0")     # then: --skip-learning --load-db path/memory_db

The register (`datasets.json`) names each archive and its SHA-256; the one that comes with Assay lists what its releases
offer, another may be given by its address (`base_url`, or ASSAY_DATASETS_URL).
"""

from __future__ import annotations

import contextlib
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
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from assay.memory_eval.dataset_archive import METADATA, unpack
from assay.memory_eval.errors import ExamCouldNotRun, ExamUsageError, UnknownDataset

FOLDER = Path("datasets")
REGISTER = "datasets.json"
ENVIRONMENT = "ASSAY_DATASETS_URL"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
TIMEOUT_S = 60.0
MOST_REGISTER_BYTES = 4 * 1024 * 1024
MOST_ARCHIVE_BYTES = 8 * 1024 * 1024 * 1024
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Listed(BaseModel):
    """One dataset of a register. `url` may be relative to the register's own address."""

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
    """What can be downloaded, and what lies in `folder` already: `{name, local, path?, url?, sha256?, …}`, by name.

    Raises `ExamCouldNotRun` where another register was asked for and cannot be had.
    """
    found: dict[str, dict[str, Any]] = {}
    for listed in _register(base_url):
        found[listed.name] = {**listed.model_dump(exclude_none=True), "local": False}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if (path / METADATA).is_file():
            entry = found.setdefault(path.name, {"name": path.name})
            found[path.name] = {**entry, "local": True, "path": str(path)}
    return [found[name] for name in sorted(found)]


def download_dataset(name: str, folder: Path = FOLDER, base_url: str | None = None, *, force: bool = False) -> Path:
    """Download and unpack a dataset; gives its folder, which is left alone where it is there already (unless `force`).

    Raises `UnknownDataset` where none is called so or it is not what its checksum says, `ExamCouldNotRun` where it
    cannot be had.
    """
    if not NAME.fullmatch(name):
        raise UnknownDataset(f"no dataset is called {name[:100]!r}")
    target = folder / name
    if (target / METADATA).is_file() and not force:
        return target
    listed = next((one for one in _register(base_url) if one.name == name), None)
    if listed is None:
        known = ", ".join(one["name"] for one in list_datasets(folder, base_url))
        there_is = f"there is {known}" if known else "none is published yet, and `assay memory build-dataset` makes one"
        raise UnknownDataset(f"no dataset is called {name!r}; {there_is}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder) as scratch:
        archive = Path(scratch) / "archive"
        _download(_address(listed.url, base_url), archive, listed)
        unpacked = Path(scratch) / "unpacked"
        unpack(archive, unpacked)
        if force and target.exists():
            shutil.rmtree(target)
        unpacked.rename(target)
    return target


def _register(base_url: str | None) -> list[Listed]:
    """The datasets of the register at this address; of Assay's own without one."""
    address = base_url or os.environ.get(ENVIRONMENT)
    if not address:
        text = resources.files("assay.memory_eval").joinpath(REGISTER).read_text("utf-8")
        return _LISTED.validate_python(json.loads(text)["datasets"])
    where = f"{address.rstrip('/')}/{REGISTER}"
    with tempfile.TemporaryFile() as file:
        for chunk in _fetched(where, MOST_REGISTER_BYTES):
            file.write(chunk)
        file.seek(0)
        try:
            return _LISTED.validate_python(json.loads(file.read())["datasets"])
        except (ValueError, ValidationError, KeyError, TypeError, RecursionError):
            raise ExamCouldNotRun(f"{where}: no register of datasets") from None


def _download(address: str, target: Path, listed: Listed) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        for chunk in _fetched(address, listed.num_bytes):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != listed.sha256:
        raise UnknownDataset(f"{listed.name}: what came is not what its checksum says; nothing was unpacked")


def _fetched(address: str, most: int) -> Iterator[bytes]:
    """The body of an address, over https alone (plain http to this machine), no more than `most` bytes of it."""
    num = 0
    try:
        with contextlib.ExitStack() as stack:
            # What comes is hashed as it is: nobody may pack it on the way.
            as_it_is = {"Accept-Encoding": "identity"}
            client = httpx2.Client(timeout=TIMEOUT_S, headers=as_it_is, event_hooks={"request": [_allow]})
            stack.enter_context(client)
            response = stack.enter_context(client.stream("GET", address, follow_redirects=True))
            if response.status_code != 200:
                raise ExamCouldNotRun(f"{address}: answered {response.status_code}")
            for chunk in response.iter_raw():
                num += len(chunk)
                if num > most:
                    raise UnknownDataset(f"{address}: larger than it should be")
                yield chunk
    except httpx2.HTTPError as error:
        raise ExamCouldNotRun(f"{address}: {type(error).__name__}: {str(error)[:200]}") from None
    except httpx2.InvalidURL as error:
        raise ExamUsageError(f"{address}: {error}") from None


def _allow(request: httpx2.Request) -> None:
    """Every hop counts: a redirect may not lead away from https either."""
    parts = urlsplit(str(request.url))
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ExamUsageError(f"{request.url}: only https is spoken")


def _address(url: str, base_url: str | None) -> str:
    base = base_url or os.environ.get(ENVIRONMENT)
    return url if urlsplit(url).scheme or not base else f"{base.rstrip('/')}/{url.lstrip('/')}"
