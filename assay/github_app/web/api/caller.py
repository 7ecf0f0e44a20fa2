"""Authentication of API requests: by an API token, or by the identity token of a GitHub Actions job.

A token grants the repositories and scopes it was created for. A job may access its own repository, if the App has
access to it, with all scopes except deciding about rules; it reports only its own work, unless the operator trusts its
workflow (`must_be_own`).
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github.errors import ApiRefused, ResultsRefused
from assay.github_app.store import RepositoryRow, Scope, Store
from assay.github_app.store.app.api_tokens import is_token
from assay.github_app.web.http.oidc import IdentityTokens
from assay.github_app.web.http.trusted_jobs import is_trusted

MOST_FAILURES = 20
"""Refused credentials from one address within a minute before further ones are answered 429."""
WITHIN_S = 60.0
"""Seconds in which refused credentials, and requests of one caller, are counted."""
MOST_ADDRESSES = 10_000
SCOPES_OF_JOBS = frozenset(Scope) - {Scope.rules_write}
EVENTS_OF_OTHERS = frozenset(
    "pull_request_target workflow_run issue_comment issues pull_request_review pull_request_review_comment discussion "
    "discussion_comment fork watch gollum".split()
)
"""Events that any user can trigger: their jobs may not act for the repository."""

_BEARER = re.compile(r"[Bb]earer +(\S+)")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Authenticated caller. `name` is for logs and provenance: `token:ID (name)` or `workflow:owner/repo@run`.

    The name of a job whose workflow is not trusted ends with its ref, ` (refs/heads/change)`: see `must_be_own`.
    """

    name: str
    repository_ids: frozenset[int]
    scopes: frozenset[Scope]

    def repository(self, store: Store, full_name: str | None = None) -> RepositoryRow:
        """Return the repository `owner/name`, by default the caller's only one.

        A repository without access is reported as missing. Raises `ApiRefused` (404, 422).
        """
        if full_name is None:
            if len(self.repository_ids) != 1:
                raise ApiRefused(422, "repo: required, as owner/name")
            row = store.repositories.get(next(iter(self.repository_ids)))
        else:
            row = store.repositories.named(full_name)
        if row is None or row.id not in self.repository_ids or not row.is_given:
            raise ApiRefused(404, "no such repository, or no access to it", code="api.no-repository")
        return row


class Callers:
    """Authenticator of callers. Thread-safe."""

    def __init__(
        self,
        store: Store,
        jobs: IdentityTokens,
        clock: Callable[[], datetime],
        *,
        trusted: Sequence[str] = (),
        most_requests: int | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Authenticate by a store and a verifier of identity tokens.

        Args:
            store: has the API tokens.
            jobs: verifies the tokens of jobs.
            clock: the time, for the expiry of tokens.
            trusted: workflows whose jobs report for the whole repository (`is_trusted`).
            most_requests: of one caller in a minute at this process; None for any number.
            clock_s: seconds of a clock that only moves forward.
        """
        self._store = store
        self._jobs = jobs
        self._clock = clock
        self._trusted = tuple(trusted)
        self._failures = _Recent(clock_s)
        self._most_requests = most_requests
        self._requests = _Recent(clock_s)

    def caller(self, authorization: str | None, address: str, any_of: frozenset[Scope]) -> Caller:
        """Return the caller with this header, if it has one of these scopes.

        Raises `ApiRefused`: 401 not authenticated, 403 not allowed, 429 too many failures or requests, 503 keys
        unavailable.
        """
        known = _BEARER.fullmatch(authorization or "")
        try:
            caller = self._authenticated(known[1] if known else "")
        except ApiRefused as refused:
            # Counted after verification, which is cheap: valid callers may share an address behind a proxy.
            num_failed = self._failures.note(address, MOST_FAILURES) if refused.status == 401 else 0
            if num_failed == MOST_FAILURES:
                _log.warning("credentials from one address were refused %d times in a minute", MOST_FAILURES)
            if num_failed > MOST_FAILURES:
                raise ApiRefused(
                    429, "too many refused credentials from this address; wait a minute", code="api.too-many-attempts"
                ) from None
            raise
        most = self._most_requests
        if most is not None and self._requests.note(caller.name, most) > most:
            raise ApiRefused(429, f"more than {most} requests in a minute; wait a minute", code="api.too-many-requests")
        if not caller.scopes & any_of:
            scopes = " or ".join(sorted(any_of))
            raise ApiRefused(403, f"this needs the scope {scopes}", code="api.missing-scope")
        return caller

    def _authenticated(self, secret: str) -> Caller:
        if not secret:
            raise ApiRefused(401, "send a token as `Authorization: Bearer …`; see `assay token create`")
        return self._of_token(secret) if secret.startswith("assay_") else self._of_job(secret)

    def _of_token(self, secret: str) -> Caller:
        if not is_token(secret):
            raise ApiRefused(401, "not a token of Assay, or incomplete")
        at = self._clock()
        row = self._store.tokens.known(secret)
        if row is None:
            raise ApiRefused(401, "unknown token")
        if not row.is_good(at):
            if row.revoked_at:
                raise ApiRefused(401, "the token was revoked", code="api.revoked-token")
            raise ApiRefused(401, "the token has expired", code="api.expired-token")
        self._store.tokens.used(row, at)
        return Caller(f"token:{row.id} ({row.name})", row.repository_ids, row.scopes)

    def _of_job(self, secret: str) -> Caller:
        try:
            identity = self._jobs.verify(secret)
        except ResultsRefused as refused:
            raise ApiRefused(refused.status, str(refused)) from None
        if identity.event_name in EVENTS_OF_OTHERS:
            raise ApiRefused(403, f"jobs of the event {identity.event_name} may not act for their repository")
        row = self._store.repositories.get(identity.repository_id)
        if row is None or not row.is_given:
            raise ApiRefused(404, "the App is not installed on this repository")
        suffix = "" if is_trusted(identity, self._trusted) else f" ({identity.ref})"
        return Caller(f"workflow:{row.full_name}@{identity.run_id}{suffix}", frozenset({row.id}), SCOPES_OF_JOBS)


class _Recent:
    """Times of events by key within `WITHIN_S`, for `MOST_ADDRESSES` keys. Thread-safe."""

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._of: OrderedDict[str, deque[float]] = OrderedDict()

    def note(self, key: str, most: int) -> int:
        """Count an event; return the number within the time, this one included, at most `most` + 1.

        Events beyond `most` are not kept, so that a caller who goes on is served again as the earlier ones age.
        """
        with self._lock:
            now = self._clock_s()
            times = self._of.setdefault(key, deque())
            self._of.move_to_end(key)
            while times and now - times[0] >= WITHIN_S:
                times.popleft()
            if len(times) >= most:
                return most + 1
            times.append(now)
            while len(self._of) > MOST_ADDRESSES:
                self._of.popitem(last=False)
            return len(times)
