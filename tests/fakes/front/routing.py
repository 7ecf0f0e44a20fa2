"""Which of the front's own routes a request is for."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tests.fakes.front.exchange import Answer, Exchange

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

Handler = Callable[["Front", Exchange], Awaitable[Answer]]
# These may hold slashes, as the documentation of their routes says.
_LONG = {"ref", "path", "basehead", "branch"}


def _parameter(match: re.Match[str]) -> str:
    name = match.group(1)
    return f"(?P<{name}>.+)" if name in _LONG else f"(?P<{name}>[^/]+)"


class Routes:
    """A table of handlers, found by method and path as GitHub's documentation writes it."""

    def __init__(self) -> None:
        self.table: list[tuple[str, str, re.Pattern[str], Handler]] = []

    def on(self, method: str, template: str) -> Callable[[Handler], Handler]:
        """Register a handler."""
        pattern = re.compile(re.sub(r"\\\{(\w+)\\\}", _parameter, re.escape(template)))

        def register(handler: Handler) -> Handler:
            self.table.append((method, template, pattern, handler))
            return handler

        return register

    def find(self, exchange: Exchange) -> Handler | None:
        """The handler for a request, whose `params` are filled in."""
        for method, _, pattern, handler in self.table:
            if method == exchange.method and (match := pattern.fullmatch(exchange.path)):
                exchange.params = {name: unquote(value) for name, value in match.groupdict().items()}
                return handler
        return None


ROUTES = Routes()
