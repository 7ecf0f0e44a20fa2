"""deps.dev and OSV on one local address, in the shapes they document; pages, refusals, slow answers on request."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

_OSV_NAMES = {"npm": "NPM", "PyPI": "PYPI", "crates.io": "CARGO", "RubyGems": "RUBYGEMS", "Go": "GO", "Maven": "MAVEN"}


@dataclass
class FakeRegistries:
    """What both services have, how they behave, and what they were asked.

    `packages`: "NPM ws" -> {version: {days, licences, deprecated, attested}}, the last one is the default. `found`:
    "NPM ws 8.0.0" -> ids of vulnerabilities, whose documents are in `vulnerabilities`. `refusals` are HTTP statuses of
    the next answers, `body` replaces every answer, `pause_s` delays it where the path has `pause_at`, `page` is the
    most ids in an answer of OSV.
    """

    packages: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    found: Mapping[str, list[str]] = field(default_factory=dict)
    vulnerabilities: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    refusals: list[int] = field(default_factory=list)
    body: bytes | None = None
    pause_s: float = 0.0
    pause_at: str = ""
    page: int = 1000
    asked: Counter[str] = field(default_factory=Counter)
    url: str = ""

    def answer(self, path: str, sent: Any) -> Mapping[str, Any] | None:
        """Return the document of a request; None for 404."""
        self.asked[path] += 1
        parts = [unquote(part) for part in path.strip("/").split("/")]
        match parts:
            case ["v3", "systems", system, "packages", name]:
                versions = self.packages.get(f"{system} {name}")
                return None if versions is None else _versions(system, name, versions)
            case ["v3", "systems", system, "packages", name, "versions", version]:
                said = self.packages.get(f"{system} {name}", {}).get(version)
                return None if said is None else _version(system, name, version, said)
            case ["v1", "querybatch"]:
                return {"results": [self._affecting(query) for query in sent["queries"]]}
            case ["v1", "vulns", name]:
                said = self.vulnerabilities.get(name)
                return None if said is None else {"id": name, **said}
        return None

    def _affecting(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        package = query["package"]
        key = f"{_OSV_NAMES.get(package['ecosystem'], package['ecosystem'])} {package['name']} {query['version']}"
        ids, begin = self.found.get(key, []), int(query.get("page_token", "0"))
        part = ids[begin : begin + self.page]
        more = {"next_page_token": str(begin + self.page)} if begin + self.page < len(ids) else {}
        return {
            **({"vulns": [{"id": one, "modified": "2026-01-01T00:00:00Z"} for one in part]} if part else {}),
            **more,
        }


def _day(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _versions(system: str, name: str, versions: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    rows = [
        {
            "versionKey": {"system": system, "name": name, "version": version},
            "publishedAt": _day(said.get("days", 1000)),
            "isDefault": version == [*versions][-1],
            "isDeprecated": said.get("deprecated", False),
        }
        for version, said in versions.items()
    ]
    return {"packageKey": {"system": system, "name": name}, "versions": rows}


def _version(system: str, name: str, version: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "versionKey": {"system": system, "name": name, "version": version},
        "publishedAt": _day(said.get("days", 1000)),
        "isDeprecated": said.get("deprecated", False),
        "licenses": said.get("licences", ["MIT"]),
        "advisoryKeys": [],
        "attestations": [{"type": "https://docs.npmjs.com/", "verified": True}] if said.get("attested") else [],
    }


@contextmanager
def serving(registries: FakeRegistries) -> Iterator[FakeRegistries]:
    """Serve on a free port of this machine until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, sent: Any) -> None:
            time.sleep(registries.pause_s if registries.pause_at in self.path else 0)
            status = registries.refusals.pop(0) if registries.refusals else 200
            found = registries.answer(self.path, sent) if status == 200 else {}
            body = registries.body if registries.body is not None else json.dumps(found).encode()
            self.send_response(404 if found is None else status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    registries.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield registries
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
