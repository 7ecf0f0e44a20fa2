"""Client of the GitHub App: its identity, installations, webhook deliveries and repositories."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, TypeAlias
from urllib.parse import quote

from github.GithubApp import GithubApp
from pydantic import TypeAdapter

from assay.github.client.clock import Clock
from assay.github.client.identity import Us
from assay.github.client.limits import SECONDS_BETWEEN_WRITES
from assay.github.client.pacing import Pace
from assay.github.client.repository import Repo
from assay.github.client.requester import GithubRequester, understood
from assay.github.client.tokens import InstallationAuth, app_auth
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github.events.field_types import Id, Moment, Name, Wire
from assay.github.events.github_json import repository_from
from assay.github.events.model import RepositoryFacts

OnAnswer: TypeAlias = Callable[[int | None, str, int, Mapping[str, str]], None]
MOST_TOKENS = 1_000
"""Chosen limit of kept credentials; the least recently used are dropped first."""
_DELIVERIES = "/app/hook/deliveries"


class DeliveryFacts(Wire):
    """Attempt to deliver. `guid` is in the webhook's header and stays the same when it is delivered again."""

    id: Id
    guid: Name
    delivered_at: Moment
    status_code: Id = 0
    event: Name

    @property
    def arrived(self) -> bool:
        return 200 <= self.status_code < 300


_PAGE = TypeAdapter(tuple[DeliveryFacts, ...])


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
        self._clock = clock or Clock()
        self._seconds_between_writes = seconds_between_writes
        self._app = GithubRequester(api_url, app_auth(app_id, private_key), self._new_pace())
        self._lock = threading.Lock()
        self._paces: dict[int, Pace] = {}
        self._kept_auth = lru_cache(MOST_TOKENS)(partial(InstallationAuth, self._app))
        self._us: Us | None = None

    def __repr__(self) -> str:
        return f"Github(app_id={self.app_id}, api_url={self._app.base_url!r})"

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def app(self) -> GithubApp:
        """Return the App as GitHub describes it now."""
        return GithubApp(self._app, url="/app").complete()

    def us(self) -> Us:
        """Return the App's account; it is requested once."""
        if self._us is None:
            self._us = understood(lambda app: Us.app(int(app.id), str(app.slug)), self.app(), "GET /app")
        return self._us

    def webhook(self) -> Mapping[str, Any]:
        """Return GitHub's JSON of the App's webhook."""
        return understood(dict, self._app.get("/app/hook/config"), "/app/hook/config")

    def installation_of(self, repository_full_name: str) -> int:
        """Return the installation of a repository; raise `GithubRefused` (404) if there is none."""
        path = f"/repos/{quote(repository_full_name)}/installation"
        return understood(lambda given: int(given["id"]), self._app.get(path), path)

    def installations(self) -> Iterator[Mapping[str, Any]]:
        """Yield GitHub's JSON of the App's installations."""
        return self._app.items("/app/installations", dict)

    def repositories(self, installation_id: int) -> Iterator[RepositoryFacts]:
        """Yield the repositories of an installation."""
        with closing(self._requester(installation_id, None, {"metadata": "read"})) as requester:
            yield from requester.items("/installation/repositories", repository_from, "repositories")

    def repository(
        self, installation_id: int, repository_id: int, full_name: str, *, permissions: Mapping[str, str]
    ) -> Repo:
        """Open a repository with only these permissions, under its current name."""
        current = self._auth(installation_id, repository_id, permissions).full_name
        requester = self._requester(installation_id, repository_id, permissions)
        return Repo(requester, current or full_name, repository_id, self.us())

    def public_repository(
        self, installation_id: int, repository_id: int, full_name: str, *, permissions: Mapping[str, str]
    ) -> Repo:
        """Open another repository with the token of this one, which reads public repositories too."""
        return Repo(self._requester(installation_id, repository_id, permissions), full_name, None, self.us())

    def token(self, installation_id: int, repository_id: int, permissions: Mapping[str, str]) -> str:
        """Return a token for git, valid for at least five minutes; never log it or put it into a URL."""
        return self._auth(installation_id, repository_id, permissions).token

    def low_until(self) -> dict[int, datetime]:
        """Return the installations of whose requests only the reserve is left, with the time until which."""
        with self._lock:
            found = {installation_id: pace.low_until for installation_id, pace in self._paces.items()}
        return {installation_id: until for installation_id, until in found.items() if until is not None}

    def deliveries(self, since: datetime) -> Iterator[DeliveryFacts]:
        """Yield webhook deliveries, newest first, back to `since` (timezone-aware)."""
        for attempt in self._app.items(_DELIVERIES, DeliveryFacts.model_validate):
            if attempt.delivered_at < since:
                return
            yield attempt

    def delivery_page(self, cursor: str | None) -> tuple[tuple[DeliveryFacts, ...], str | None]:
        """Return a page of deliveries, newest first, and the cursor of the next one; None for the last."""
        found, following = self._app.page(_DELIVERIES, {} if cursor is None else {"cursor": cursor})
        return understood(_PAGE.validate_python, found, _DELIVERIES), following.get("cursor")

    def redeliver(self, delivery_id: int) -> None:
        """Request a delivery again, with the same guid; GitHub does not retry by itself."""
        self._app.send("POST", f"{_DELIVERIES}/{delivery_id}/attempts")

    def _auth(
        self, installation_id: int, repository_id: int | None, permissions: Mapping[str, str]
    ) -> InstallationAuth:
        return self._kept_auth(installation_id, repository_id, frozenset(permissions.items()))

    def _requester(
        self, installation_id: int, repository_id: int | None, permissions: Mapping[str, str]
    ) -> GithubRequester:
        with self._lock:
            pace = self._paces.setdefault(installation_id, self._new_pace(installation_id))
        auth = self._auth(installation_id, repository_id, permissions)
        return GithubRequester(self._app.base_url, auth, pace, renew=auth.forget)

    def _new_pace(self, installation_id: int | None = None) -> Pace:
        told = self._on_answer
        return Pace(
            self._clock,
            seconds_between_writes=self._seconds_between_writes,
            on_answer=None if told is None else lambda *answer: told(installation_id, *answer),
        )


def credentials_of(api_url: str, code: str) -> Mapping[str, Any]:
    """Exchange the code of GitHub's manifest flow for the new App's credentials, once and within an hour.

    The path of the request has the code, which errors must not show.
    """
    path = f"/app-manifests/{quote(code, safe='')}/conversions"
    with closing(GithubRequester(api_url, None, Pace())) as requester:
        try:
            return understood(dict, requester.send("POST", path), "the code")
        except GithubRefused as refused:
            why = "the code was used or is older than an hour: start again"
            raise GithubRefused(refused.status, "the code", why) from None
        except GithubUnavailable as error:
            raise GithubUnavailable("the exchange of the code", error.why) from None
