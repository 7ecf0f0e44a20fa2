"""Client of the GitHub App: its identity, installations and repositories."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeAlias

from assay.github.client.clock import Clock
from assay.github.client.connection import Connection, quoted, understood
from assay.github.client.deliveries import DeliveryFacts, deliveries, redeliver
from assay.github.client.identity import Us
from assay.github.client.limits import SECONDS_BETWEEN_WRITES
from assay.github.client.pacing import Pace
from assay.github.client.repository import Repo
from assay.github.client.tokens import InstallationAuth, Scope, Tokens, app_auth
from assay.github.events.github_json import repository_from
from assay.github.events.model import RepositoryFacts

OnAnswer: TypeAlias = Callable[[int | None, str, int, Mapping[str, str]], None]


@dataclass(frozen=True, slots=True)
class AppFacts:
    """Registration of the App on GitHub."""

    id: int
    slug: str
    name: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallationFacts:
    """Installation of the App: account, permissions and suspension."""

    id: int
    account: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    has_all_repositories: bool = False
    is_suspended: bool = False


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
        seconds_between_requests: float = 0.0,
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
        self._pauses = (seconds_between_requests, seconds_between_writes)
        self._app = Connection(self.api_url, app_auth(app_id, private_key), self._new_pace())
        self._tokens = Tokens(self._app, self._clock)
        self._lock = threading.Lock()
        self._paces: dict[int, Pace] = {}
        self._facts: AppFacts | None = None

    def __repr__(self) -> str:
        return f"Github(app_id={self.app_id}, api_url={self.api_url!r})"

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def app(self) -> AppFacts:
        """Return the App's current registration."""
        what = "read the App"
        self._facts = understood(_app_from, self._app.get("/app", what), what)
        return self._facts

    def us(self) -> Us:
        """Return the App's account; it is requested once."""
        facts = self._facts or self.app()
        return Us.app(facts.id, facts.slug)

    def installations(self) -> Iterator[InstallationFacts]:
        """Yield the installations of the App."""
        what = "list the installations"
        return (understood(_installation_from, one, what) for one in self._app.pages("/app/installations", what))

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

    def token(self, installation_id: int, repository_id: int, permissions: Mapping[str, str]) -> str:
        """Return a token for git, valid for at least five minutes; never log it or put it into a URL."""
        return self._tokens.get(Scope.of(installation_id, repository_id, permissions)).value

    def deliveries(self, since: datetime) -> Iterator[DeliveryFacts]:
        """Yield webhook deliveries, newest first, back to `since` (timezone-aware)."""
        return deliveries(self._app, since)

    def redeliver(self, delivery_id: int) -> None:
        """Request a delivery again."""
        redeliver(self._app, delivery_id)

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
        between_requests, between_writes = self._pauses
        told = self._on_answer
        return Pace(
            self._clock,
            seconds_between_requests=between_requests,
            seconds_between_writes=between_writes,
            on_answer=None if told is None else lambda *answer: told(installation_id, *answer),
        )


def _app_from(data: dict[str, Any]) -> AppFacts:
    return AppFacts(
        int(data["id"]), str(data["slug"]), str(data["name"]), _granted(data), tuple(map(str, data.get("events") or ()))
    )


def _installation_from(data: dict[str, Any]) -> InstallationFacts:
    return InstallationFacts(
        id=int(data["id"]),
        account=str((data.get("account") or {}).get("login") or (data.get("account") or {}).get("slug") or ""),
        permissions=_granted(data),
        events=tuple(map(str, data.get("events") or ())),
        has_all_repositories=data.get("repository_selection") == "all",
        is_suspended=data.get("suspended_at") is not None,
    )


def _granted(data: dict[str, Any]) -> Mapping[str, str]:
    return MappingProxyType({str(name): str(level) for name, level in (data.get("permissions") or {}).items()})
