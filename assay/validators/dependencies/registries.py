"""Client of deps.dev (versions, dates, licences) and OSV (known vulnerabilities), in the shapes they document.

Both are public and need no key. An answer has three forms: a document, None (there is no such thing), or `NotAnswered`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from assay.connections.addresses import is_confidential
from assay.connections.http_client import HttpClient, HttpFailed
from assay.validators.io.json_parts import dicts, inner, text
from assay.validators.io.row_cache import RowCache, Table, cache_file

DEPS_DEV = ("ASSAY_DEPS_DEV_URL", "https://api.deps.dev")
OSV = ("ASSAY_OSV_URL", "https://api.osv.dev")
"""Variable with another address, and the public service."""
MOST_BYTES = 8 * 1024 * 1024
MOST_IN_BATCH = 1000
MOST_PAGES = 20
_ANSWERS = Table("answers", ("body",), 20_000)
_PAUSES_S = (0.5, 1.0, 2.0)
_MAY_PASS = (429, 500, 502, 503, 504)
SYSTEMS = {
    "npm": ("NPM", "npm"),
    "pypi": ("PYPI", "PyPI"),
    "cargo": ("CARGO", "crates.io"),
    "gem": ("RUBYGEMS", "RubyGems"),
    "nuget": ("NUGET", "NuGet"),
    "maven": ("MAVEN", "Maven"),
    "golang": ("GO", "Go"),
    "composer": (None, "Packagist"),
}
"""Ecosystem -> its name at deps.dev, None where that has none, and at OSV."""


class Package(NamedTuple):
    """Package to ask about; `version` is exact or None, `before` the exact version that it replaces."""

    ecosystem: str
    name: str
    version: str | None = None
    before: str | None = None


class NotAnswered(Exception):
    """A registry could not be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Registries:
    """Connections to both services until `until_s` (of `time.monotonic`). Thread-safe."""

    client: HttpClient
    until_s: float

    def versions(self, package: Package) -> Mapping[str, Any] | None:
        """Return what deps.dev has of a package and all its versions; None if it does not exist."""
        return self._get(
            DEPS_DEV, f"/v3/systems/{SYSTEMS[package.ecosystem][0]}/packages/{quote(package.name, safe='')}"
        )

    def version(self, package: Package, version: str) -> Mapping[str, Any] | None:
        """Return what deps.dev has of one version; None if it does not exist."""
        system, name = SYSTEMS[package.ecosystem][0], quote(package.name, safe="")
        return self._get(DEPS_DEV, f"/v3/systems/{system}/packages/{name}/versions/{quote(version, safe='')}")

    def vulnerability(self, name: str) -> Mapping[str, Any] | None:
        """Return a vulnerability of OSV by its id."""
        return self._get(OSV, f"/v1/vulns/{quote(name, safe='')}")

    def affecting(self, packages: Sequence[tuple[str, str, str]]) -> list[list[str]]:
        """Return the ids of the vulnerabilities of each (ecosystem, name, version), in order."""
        found: list[list[str]] = [[] for _ in packages]
        asked = [
            (at, {"package": {"ecosystem": SYSTEMS[ecosystem][1], "name": name}, "version": version})
            for at, (ecosystem, name, version) in enumerate(packages)
        ]
        for _ in range(MOST_PAGES):
            if not asked:
                return found
            further: list[tuple[int, dict[str, Any]]] = []
            for begin in range(0, len(asked), MOST_IN_BATCH):
                part = asked[begin : begin + MOST_IN_BATCH]
                results = self._batch([query for _, query in part])
                for (at, query), result in zip(part, results, strict=True):
                    found[at] += _ids(result)
                    if token := text(inner(result, "next_page_token")):
                        further.append((at, {**query, "page_token": token}))
            asked = further
        raise NotAnswered("OSV has more pages than are read")

    def _batch(self, queries: list[dict[str, Any]]) -> list[Any]:
        answer = self._asked("POST", _address(OSV) + "/v1/querybatch", {"queries": queries})
        results = answer.get("results") if answer is not None else None
        if not isinstance(results, list) or len(results) != len(queries):
            raise NotAnswered("OSV answers in another form than it documents")
        return results

    def _get(self, service: tuple[str, str], path: str) -> Mapping[str, Any] | None:
        url, cache = _address(service) + path, _cache()
        key = f"{today()} {url}"
        if cache is not None and (row := cache.load(_ANSWERS, [key]).get(key)):
            return _document(str(row[0]).encode())
        answer = self._asked("GET", url)
        if cache is not None and answer is not None:
            cache.save(_ANSWERS, {key: (json.dumps(answer),)})
        return answer

    def _asked(self, method: str, url: str, sent: Any = None) -> Mapping[str, Any] | None:
        for pause_s in (*_PAUSES_S, None):
            left_s = self.until_s - time.monotonic()
            if left_s <= 0:
                raise NotAnswered("no answer in time")
            try:
                reply = self.client.request(method, url, within_s=left_s, most_bytes=MOST_BYTES, json=sent)
            except HttpFailed as failed:
                raise NotAnswered(str(failed)) from None
            if reply.status == 200:
                return _document(reply.body)
            if reply.status == 404:
                return None
            if reply.status not in _MAY_PASS or pause_s is None:
                raise NotAnswered(f"HTTP status {reply.status}")
            asked_s = reply.header("retry-after")
            time.sleep(
                min(float(asked_s) if asked_s.isdecimal() else pause_s, max(0.0, self.until_s - time.monotonic()))
            )
        raise AssertionError("the last attempt returns or raises")


def today() -> str:
    """Return the day in UTC, which answers are kept for."""
    return datetime.now(UTC).date().isoformat()


def _address(service: tuple[str, str]) -> str:
    variable, usual = service
    address = os.environ.get(variable, "") or usual
    if not is_confidential(address):
        raise NotAnswered(f"{variable} is not an https address")
    return address.rstrip("/")


def _cache() -> RowCache | None:
    path = cache_file("registries.sqlite")
    return RowCache(path, 1, _ANSWERS) if path is not None else None


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAnswered("the answer is not JSON") from None
    if not isinstance(answer, dict):
        raise NotAnswered("the answer is not a JSON object")
    return answer


def _ids(result: object) -> Iterator[str]:
    for one in dicts(inner(result, "vulns")):
        if isinstance(one.get("id"), str):
            yield one["id"]
