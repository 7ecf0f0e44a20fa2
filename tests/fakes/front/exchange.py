"""One request to the fake GitHub and what was answered."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

DOCS = "https://docs.github.com/rest"


class NotHere(LookupError):
    """What a route needs is not there: 404."""


@dataclass(slots=True)
class Answer:
    """What goes back. `body` is JSON data or bytes; `broken` says how to spoil the sending of it."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    broken: str = ""

    def content(self) -> bytes:
        """The bytes on the wire."""
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


def refused(status: int, message: str, **more: Any) -> Answer:
    """An error as GitHub words it."""
    return Answer(status, {"message": message, "documentation_url": DOCS, "status": str(status), **more})


@dataclass(slots=True)
class Exchange:
    """A request as it came, and its answer: the line of the log that tests assert on."""

    method: str
    path: str
    query_string: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)
    token: Any = None
    params: dict[str, str] = field(default_factory=dict)
    status: int = 0
    answer: Any = None
    fault: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters; of repeated ones the last."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    @property
    def json(self) -> Any:
        """The body as JSON, `None` when there is none or it is not JSON."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None

    @property
    def repo(self) -> str:
        """`owner/name` out of the path of a repository's route."""
        return f"{self.params['owner']}/{self.params['repo']}"

    @property
    def permissions(self) -> dict[str, str]:
        """What the token that was used may do."""
        return dict(self.token.permissions) if self.token else {}

    def __str__(self) -> str:
        return f"{self.method} {self.path} -> {self.status or 'no answer'}{f' ({self.fault})' if self.fault else ''}"


def page_of(items: list[Any], exchange: Exchange, *, default: int = 30) -> list[Any]:
    """The page that was asked for, a hundred items at most, as GitHub does."""
    size = max(1, min(100, int(exchange.query.get("per_page", default))))
    number = max(1, int(exchange.query.get("page", 1)))
    return items[(number - 1) * size : number * size]


def links_of(num_items: int, exchange: Exchange, base_url: str, *, default: int = 30) -> dict[str, str]:
    """The `Link` header to the next and last page, when there are any."""
    size = max(1, min(100, int(exchange.query.get("per_page", default))))
    number = max(1, int(exchange.query.get("page", 1)))
    last = -(-num_items // size)
    if number >= last:
        return {}
    others = "&".join(f"{name}={value}" for name, value in exchange.query.items() if name != "page")
    address = f"{base_url}{exchange.path}?{others}&page=".replace("?&", "?")
    return {"link": f'<{address}{number + 1}>; rel="next", <{address}{last}>; rel="last"'}
