"""Requests to GitHub with pacing, time limits, safe retries and Assay's errors.

PyGithub sends the requests (URLs, headers, credentials, Enterprise hosts); `retrying` classifies the responses.
PyGithub's retries, pauses and object mapping are not used: they can wait for hours inside a call, send a lost write
twice, and make extra requests.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import github
from github.Auth import Auth
from github.Requester import Requester

from assay import __version__
from assay.github.client.identity import Us
from assay.github.client.limits import MOST_HISTORY_PAGES, MOST_PAGES, PER_PAGE
from assay.github.client.pacing import CORE, GRAPHQL, Pace
from assay.github.client.retrying import (
    MOST_TRIES,
    Answer,
    Trouble,
    broken,
    exhausted_until,
    is_of_another_kind,
    left_of_hour,
    resource_of,
    trouble_of,
)
from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited

T = TypeVar("T")
Patiently: TypeAlias = Callable[[Callable[[], Answer]], Answer]
"""Wrapper that calls a function, and may wait and call it again after a rate limit."""

TIMEOUT_S = 20
"""Seconds for connecting, and for each pause within a response."""
USER_AGENT = f"assay/{__version__}"

# PyGithub logs whole responses at DEBUG, which would log new tokens in the clear.
_quiet = logging.getLogger(f"{__name__}.pygithub")
_quiet.setLevel(logging.INFO)
Requester.injectLogger(_quiet)


class Connection(AbstractContextManager["Connection"]):
    """Connection to GitHub's API with one set of credentials; thread-safe, one request at a time.

    Tokens get revoked: after a 401 `repeat_login`, if given, is called once and the request sent again. A new token may
    be refused with 403 for a moment, so after a 403 it is called too, for the next request.
    """

    def __init__(
        self,
        api_url: str,
        auth: Auth | None,
        pace: Pace,
        *,
        timeout_s: int = TIMEOUT_S,
        repeat_login: Callable[[], None] | None = None,
    ) -> None:
        self.api_url = api_url.rstrip("/")
        self.pace = pace
        self._repeat_login = repeat_login
        # PyGithub's connection stores the request between two steps, so two threads would mix theirs up.
        self._lock = threading.Lock()
        self._github = github.Github(
            auth=auth,
            base_url=self.api_url,
            timeout=timeout_s,
            user_agent=USER_AGENT,
            retry=0,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )

    def __repr__(self) -> str:
        return f"Connection({self.api_url!r})"

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        with self._lock:
            self._github.close()

    def login(self) -> dict[str, str]:
        """Return the authorization header for a separate request; send it to the API's host only."""
        headers: dict[str, str] = {}
        with self._lock:
            if self._github.requester.auth is not None:
                self._github.requester.auth.authentication(headers)
        return headers

    def get(self, path: str, what: str, needs: str = "", **parameters: Any) -> Any:
        """Return the JSON of a GET request. Raises as `send` does."""
        return self.send("GET", path, what, needs, parameters=parameters).data

    def find(self, path: str, what: str, needs: str = "", **parameters: Any) -> Any:
        """Return the JSON of a GET request, None for 404."""
        try:
            return self.get(path, what, needs, **parameters)
        except GithubRefused as refused:
            if refused.status == 404:
                return None
            raise

    def pages(self, path: str, what: str, needs: str = "", *, inside: str = "", **parameters: Any) -> Iterator[Any]:
        """Yield the items of all pages of a list; `inside` is its key if the list is in an object."""
        return self._pages(path, what, needs, parameters, inside, MOST_PAGES, _at_once)

    def page(self, path: str, what: str, parameters: Mapping[str, Any]) -> tuple[list[Any], dict[str, str] | None]:
        """Return one page of a list, and the parameters of the next one; None for the last."""
        answer = self.send("GET", path, what, parameters={"per_page": PER_PAGE, **parameters})
        if not isinstance(answer.data, list):
            raise GithubUnavailable(what, "the answer is not a list", code="github.unreadable")
        return answer.data, _next_page(answer.headers.get("link", ""))

    def history_pages(
        self, path: str, what: str, needs: str, parameters: Mapping[str, Any], patiently: Patiently | None = None
    ) -> Iterator[Any]:
        """Yield the items of a list as long as a repository's history.

        `patiently` wraps the request of each page and may repeat it, so the list continues after a wait.
        """
        return self._pages(path, what, needs, parameters, "", MOST_HISTORY_PAGES, patiently or _at_once)

    def _pages(
        self,
        path: str,
        what: str,
        needs: str,
        parameters: Mapping[str, Any],
        inside: str,
        most_pages: int,
        patiently: Patiently,
    ) -> Iterator[Any]:
        asked: Mapping[str, Any] = {"per_page": PER_PAGE, **parameters}
        seen: set[tuple[tuple[str, str], ...]] = set()
        for _ in range(most_pages):
            answer = patiently(partial(self.send, "GET", path, what, needs, parameters=asked))
            items = answer.data.get(inside) if inside and isinstance(answer.data, dict) else answer.data
            if not isinstance(items, list):
                raise GithubUnavailable(what, "the answer is not a list", code="github.unreadable")
            yield from items
            following = _next_page(answer.headers.get("link", ""))
            if following is None:
                return
            place = tuple(sorted(following.items()))
            if place in seen:
                raise GithubUnavailable(what, "its pages form a cycle")
            seen.add(place)
            asked = {**asked, **following}
        raise GithubUnavailable(what, f"the list has more than {most_pages} pages")

    def send(
        self,
        method: str,
        path: str,
        what: str,
        needs: str = "",
        *,
        parameters: Mapping[str, Any] | None = None,
        body: Any = None,
        is_repeatable: bool | None = None,
        is_write: bool | None = None,
        is_content: bool = False,
    ) -> Answer:
        """Send a request and return its successful response.

        Args:
            method: GET, POST, PATCH, PUT or DELETE.
            path: path below the API's URL, with every part quoted (see `quoted`).
            what: its purpose for errors: "create the check run".
            needs: its permission: "checks: write".
            parameters: the query.
            body: JSON.
            is_repeatable: whether it is idempotent; default: every method but POST.
            is_write: whether it keeps a distance from the write before it; default: everything but GET.
            is_content: whether it creates content, which has limits per minute and hour.

        Raises:
            GithubRefused, PermissionMissing: GitHub refused the request.
            GithubUnavailable, RateLimited: a later retry may succeed. GitHub may have executed a write that is not
                repeatable.
        """
        kinds = {"is_write": method != "GET" if is_write is None else is_write, "is_content": is_content}
        may_repeat = method != "POST" if is_repeatable is None else is_repeatable
        has_login = self._repeat_login is not None
        num_tried = 0
        while True:
            trouble, answer = self._tried(method, path, what, needs, parameters or {}, body, num_tried, kinds)
            if trouble is None:
                return answer
            if answer.status == 401 and has_login and self._repeat_login is not None:
                has_login = False
                self._repeat_login()
                continue
            if answer.status == 403 and trouble.wait_s is None and self._repeat_login is not None:
                self._repeat_login()
            num_tried += 1
            if trouble.wait_s is None or num_tried >= MOST_TRIES or not (may_repeat or trouble.is_undone):
                raise trouble.error
            if trouble.wait_s > self.pace.most_wait_s:
                raise trouble.error
            if not isinstance(trouble.error, RateLimited) or is_of_another_kind(answer):  # else the pace waits
                self.pace.clock.sleep(trouble.wait_s)

    def graphql(self, query: str, variables: Mapping[str, Any], what: str, needs: str = "") -> Any:
        """Return the `data` of a query's response; raise its errors as refusals, or `RateLimited`."""
        address = urlsplit(self.api_url)
        root = address.path.removesuffix("/v3").rstrip("/")
        url = f"{address.scheme}://{address.netloc}{root}/graphql"
        body = {"query": query, "variables": dict(variables)}
        answer = self.send("POST", url, what, needs, body=body, is_repeatable=True, is_write=False)
        data = answer.data
        errors = data.get("errors") if isinstance(data, dict) else [{}]
        if errors:
            first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
            told = Answer(422, {}, {"message": first.get("message", "it gave no data")}).message
            # GitHub, "Rate limits and query limits for the GraphQL API": beyond the limits "the response status will
            # still be `200`".
            limited = trouble_of(Answer(403, answer.headers, {"message": told}), what, needs, self.pace.clock.now())
            if limited is not None and isinstance(limited.error, RateLimited):
                self.pace.block(limited.error.retry_at, GRAPHQL if is_of_another_kind(answer) else CORE)
                raise limited.error
            raise GithubRefused(404 if first.get("type") == "NOT_FOUND" else 422, what, told)
        return data.get("data")

    def _tried(
        self,
        method: str,
        path: str,
        what: str,
        needs: str,
        parameters: Mapping[str, Any],
        body: Any,
        num_tried: int,
        kinds: Mapping[str, bool],
    ) -> tuple[Trouble | None, Answer]:
        resource = GRAPHQL if path.endswith("/graphql") else CORE
        with self.pace.turn(what, resource=resource, **kinds):
            try:
                answer = self._once(method, path, parameters, body)
            # requests raises OSError for a broken connection, PyGithub RuntimeError for a redirect to another host,
            # and the JSON or text decoder ValueError for an incomplete response.
            except (OSError, ValueError) as error:
                self._tell(method, Answer(0))
                return broken(error, what, num_tried), Answer(0)
            except (RuntimeError, AssertionError):
                refused = GithubRefused(301, what, f"{self.api_url} redirects to another host: is this the API's URL?")
                return Trouble(refused), Answer(301)
        self._tell(method, answer)
        now = self.pace.clock.now()
        self._heed(answer, now)
        trouble = trouble_of(answer, what, needs, now, num_tried)
        if trouble is not None and isinstance(trouble.error, RateLimited) and not is_of_another_kind(answer):
            self.pace.block(trouble.error.retry_at)
        return trouble, answer

    def _once(self, method: str, path: str, parameters: Mapping[str, Any], body: Any) -> Answer:
        with self._lock:
            status, headers, text = self._github.requester.requestJson(
                method, path, parameters=dict(parameters), input=body
            )
        return Answer(status, headers, _json(status, text))

    def _tell(self, method: str, answer: Answer) -> None:
        if self.pace.on_answer is not None:
            self.pace.on_answer(method, answer.status, answer.headers)

    def _heed(self, answer: Answer, now: datetime) -> None:
        """Note what is left of the hour, and block the pace after its last allowed request."""
        left = left_of_hour(answer)
        if left is not None:
            self.pace.note(*left)
        until = exhausted_until(answer)
        if until is not None and until > now.astimezone(UTC):
            self.pace.block(until, resource_of(answer))


class RepositoryClient:
    """Base of the parts of `Repo`: requests to one repository, as the account `us`."""

    def __init__(self, connection: Connection, full_name: str, us: Us) -> None:
        if full_name.count("/") != 1 or any(part in ("", ".", "..") for part in full_name.split("/")):
            raise GithubRefused(404, "open the repository", "its name is not owner/name")
        self.full_name = full_name
        self.us = us
        self._connection = connection
        self._path = f"/repos/{full_name}"


def understood(reader: Callable[[Any], T], data: Any, what: str) -> T:
    """Parse a response; raise `GithubUnavailable` if it does not match GitHub's schema."""
    try:
        return reader(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise GithubUnavailable(what, "the answer does not match GitHub's schema", code="github.unreadable") from None


def quoted(part: str) -> str:
    """Quote one part of a path: a branch, a login, a label.

    Raises:
        GithubRefused: the part is `.` or `..`, which cannot be quoted.
    """
    if part in ("", ".", ".."):
        raise GithubRefused(404, "ask for it", "no object can have that name")
    return quote(part.encode("utf-8", "surrogateescape"), safe="")


def _json(status: int, text: str) -> Any:
    """Parse a response body; return None for HTML of a proxy, unless the status is a success."""
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        if 200 <= status < 300:
            raise
        return None


def _at_once(ask: Callable[[], Answer]) -> Answer:
    return ask()


def _next_page(links: str) -> dict[str, str] | None:
    """Return the query of the link `rel="next"`; its host and path are ignored."""
    for link in links.split(","):
        address, _, rest = link.partition(";")
        if 'rel="next"' in rest:
            return dict(parse_qsl(urlsplit(address.strip().strip("<>")).query))
    return None
