"""Client of the GitHub App: its identity, installations and repositories."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TypeAlias

from assay.github.client.clock import Clock
from assay.github.client.connection import Connection, quoted, understood
from assay.github.client.deliveries import DeliveryFacts, delivery_page, redeliver
from assay.github.client.identity import Us
from assay.github.client.limits import SECONDS_BETWEEN_WRITES
from assay.github.client.pacing import Pace
from assay.github.client.repository import Repo
from assay.github.client.tokens import InstallationAuth, Scope, Tokens, app_auth
from assay.github.events.github_json import repository_from
from assay.github.events.model import RepositoryFacts

OnAnswer: TypeAlias = Callable[[int | None, str, int, Mapping[str, str]], None]


class Github(AbstractContextManager["Github"]):
    """The App on one GitHub (`api_url`: github.com's, `https://api.NAME.ghe.com`, or `https://HOST/api/v3`).

    It is thread-safe, and sends requests only when needed.
    """

    def __init__(
        self,
        app_id: int,
        private_key: str,
        api_url: str,
        *,
        seconds_between_writes: float = SECONDS_BETWEEN_WRITES,
        clock: Clock | None = None,
        on_answer: OnAnswer | None = None,
    ) -> None:
        """Create the client.

        `on_answer` is called for every response: installation (None: the App), method, status, headers.
        """
        self._on_answer = on_answer
        self.app_id = app_id
        self.api_url = api_url.rstrip("/")
        self._clock = clock or Clock()
        self._seconds_between_writes = seconds_between_writes
        self._app = Connection(self.api_url, app_auth(app_id, private_key), self._new_pace())
        self._tokens = Tokens(self._app, self._clock)
        self._lock = threading.Lock()
        self._paces: dict[int, Pace] = {}
        self._us: Us | None = None

    def __repr__(self) -> str:
        return f"Github(app_id={self.app_id}, api_url={self.api_url!r})"

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def us(self) -> Us:
        """Return the App's account; it is requested once."""
        if self._us is None:
            what = "read the App"
            data = self._app.get("/app", what)
            self._us = understood(lambda given: Us.app(int(given["id"]), str(given["slug"])), data, what)
        return self._us

    def installation_of(self, repository_full_name: str) -> int:
        """Return the installation of a repository; raise `GithubRefused` (404) if there is none."""
        owner, _, name = repository_full_name.partition("/")
        what = "find the installation"
        data = self._app.get(f"/repos/{quoted(owner)}/{quoted(name)}/installation", what)
        return understood(lambda given: int(given["id"]), data, what)

    def repositories(self, installation_id: int) -> Iterator[RepositoryFacts]:
        """Yield the repositories of an installation."""
        what = "list the installation's repositories"
        with self._connection(Scope.of(installation_id, None, {"metadata": "read"})) as connection:
            for one in connection.pages("/installation/repositories", what, inside="repositories"):
                yield understood(repository_from, one, what)

    def repository(
        self, installation_id: int, repository_id: int, full_name: str, *, permissions: Mapping[str, str]
    ) -> Repo:
        """Open a repository with only these permissions, under its current name."""
        scope = Scope.of(installation_id, repository_id, permissions)
        name = self._tokens.get(scope).full_name or full_name
        return Repo(self._connection(scope), name, repository_id, self.us())

    def public_repository(
        self, installation_id: int, repository_id: int, full_name: str, *, permissions: Mapping[str, str]
    ) -> Repo:
        """Open another repository with the token of this one, which reads public repositories too."""
        return Repo(self._connection(Scope.of(installation_id, repository_id, permissions)), full_name, None, self.us())

    def token(self, installation_id: int, repository_id: int, permissions: Mapping[str, str]) -> str:
        """Return a token for git, valid for at least five minutes; never log it or put it into a URL."""
        return self._tokens.get(Scope.of(installation_id, repository_id, permissions)).value

    def low_until(self) -> dict[int, datetime]:
        """Return the installations of whose requests only the reserve is left, with the time until which."""
        with self._lock:
            found = {installation_id: pace.low_until for installation_id, pace in self._paces.items()}
        return {installation_id: until for installation_id, until in found.items() if until is not None}

    def redeliver(self, delivery_id: int) -> None:
        """Request a delivery again."""
        redeliver(self._app, delivery_id)

    def delivery_page(self, cursor: str | None) -> tuple[tuple[DeliveryFacts, ...], str | None]:
        """Return a page of webhook deliveries, newest first, and the cursor of the next one; None for the last."""
        return delivery_page(self._app, cursor)

    def _connection(self, scope: Scope) -> Connection:
        with self._lock:
            pace = self._paces.setdefault(scope.installation_id, self._new_pace(scope.installation_id))
        return Connection(
            self.api_url,
            InstallationAuth(self._tokens, scope),
            pace,
            repeat_login=lambda: self._tokens.forget(scope),
        )

    def _new_pace(self, installation_id: int | None = None) -> Pace:
        told = self._on_answer
        return Pace(
            self._clock,
            seconds_between_writes=self._seconds_between_writes,
            on_answer=None if told is None else lambda *answer: told(installation_id, *answer),
        )
