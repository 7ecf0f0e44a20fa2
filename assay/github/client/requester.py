"""PyGithub's requester with a pace, time limits, safe retries and Assay's errors.

All objects of PyGithub send through `requestJsonAndCheck`, so they have them too. Not used are `GithubRetry`, which
sleeps inside the call for up to an hour and may send a lost write twice, and `PaginatedList`, which keeps an object of
70 KiB for each entry and requests each again for its JSON.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from github.Auth import Auth
from github.Requester import Requester

from assay import __version__
from assay.github.client.answers import CORE, GRAPHQL, Answer, error_of, no_answer, of_graphql, wait_of
from assay.github.client.limits import MOST_PAGES, PER_PAGE
from assay.github.client.pacing import Pace
from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited

T = TypeVar("T")
Response: TypeAlias = tuple[dict[str, Any], Any]
Page: TypeAlias = tuple[Any, dict[str, str]]
Patiently: TypeAlias = Callable[[Callable[[], T]], T]
"""Wrapper that calls a function, and may wait and call it again after a rate limit."""

TIMEOUT_S = 20
"""Seconds for connecting, and for each pause within a response."""
MOST_TRIES = 3
"""Chosen limit: tries within a call; after them the durable job retries later."""
USER_AGENT = f"assay/{__version__}"

# Kinds of requests by the end of their path: the same result when sent twice, limits per minute and hour for new
# content, and no distance from the write before.
_REPEATABLE = re.compile(r"/(?:access_tokens|attempts|graphql|labels|reactions|sarifs)$")
_CONTENT = re.compile(r"/(?:comments|replies|reviews|pulls|issues)$")
_NO_WRITE = re.compile(r"/(?:access_tokens|graphql|token)$")

# PyGithub logs whole responses at DEBUG, which would log new tokens in the clear.
_quiet = logging.getLogger(f"{__name__}.pygithub")
_quiet.setLevel(logging.INFO)
Requester.injectLogger(_quiet)


class GithubRequester(Requester):
    """Requests to GitHub's API with one set of credentials; thread-safe, one at a time.

    Tokens get revoked: after a 401 `renew`, if given, is called once and the request sent again. A new token may be
    refused with 403 for a moment, so after a 403 it is called too, for the next request.
    """

    def __init__(
        self,
        api_url: str,
        auth: Auth | None,
        pace: Pace,
        *,
        timeout_s: int = TIMEOUT_S,
        renew: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(auth, api_url.rstrip("/"), timeout_s, USER_AGENT, PER_PAGE, True, 0, None, lazy=True)
        self.pace = pace
        self._renew = renew
        # PyGithub's connection stores the request between two steps, so two threads would mix theirs up.
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"GithubRequester({self.base_url!r})"

    def requestJsonAndCheck(  # noqa: N802 - PyGithub's name
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,  # noqa: A002 - PyGithub's name
        follow_302_redirect: bool = False,  # noqa: ARG002 - a token goes nowhere else
    ) -> Response:
        """Send a request; return the headers and JSON of its successful response. Redirects are not followed.

        Raises:
            GithubRefused, PermissionMissing: GitHub refused the request.
            GithubUnavailable, RateLimited: a later retry may succeed. GitHub may have executed a write that is not
                repeatable.
        """
        path = urlsplit(url).path
        what = f"{verb} {path}"
        if {unquote(part) for part in path[1:].split("/")} & {"", ".", ".."}:
            raise GithubRefused(400, what, "a part of this path leads elsewhere")
        send = partial(self._once, verb, url, parameters or {}, headers or {}, input)
        is_renewed = False
        for num_tried in count():
            answer = self._answer(verb, path, send)
            error = error_of(answer, what, self.pace.clock.now())
            if error is None:
                return dict(answer.headers), answer.data
            if isinstance(error, GithubRefused):
                is_of_login = answer.status == 401 and not is_renewed
                if self._renew is not None and (is_of_login or answer.status == 403):
                    self._renew()
                if self._renew is None or not is_of_login:
                    raise error
                is_renewed = True
                continue
            is_repeatable = isinstance(error, RateLimited) or _is_repeatable(verb, path, input)
            wait_s = wait_of(answer, self.pace.clock.now(), num_tried)
            if num_tried + 1 >= MOST_TRIES or not is_repeatable or wait_s > self.pace.most_wait_s:
                raise error
            self.pace.clock.sleep(wait_s)
        raise AssertionError("the last try returns or raises")

    def get(self, path: str, **parameters: Any) -> Any:
        """Return the JSON of a GET request. Raises as `requestJsonAndCheck` does."""
        return self.requestJsonAndCheck("GET", path, parameters)[1]

    def send(self, verb: str, path: str, body: Any = None) -> Any:
        """Return the JSON of a write. Raises as `requestJsonAndCheck` does."""
        return self.requestJsonAndCheck(verb, path, input=body)[1]

    def graphql(self, query: str, variables: dict[str, Any]) -> Any:
        """Return the data of a query. Raises as `requestJsonAndCheck` does, for the errors in the response too."""
        return self.graphql_query(query, variables)[1].get("data")

    def page(self, path: str, parameters: Mapping[str, Any]) -> Page:
        """Return the JSON of one page of a list, and the query of the next one; empty for the last.

        The host and path of GitHub's link are ignored, so it leads nowhere else.
        """
        headers, data = self.requestJsonAndCheck("GET", path, {"per_page": self.per_page, **parameters})
        links = (link.partition(";") for link in headers.get("link", "").split(","))
        following = next((address for address, _, rest in links if 'rel="next"' in rest), "")
        return data, dict(parse_qsl(urlsplit(following.strip(" <>")).query))

    def _pages(self, path: str, asked: Mapping[str, str], patiently: Patiently[Page] | None) -> Iterator[Any]:
        """Yield the JSON of each page of a list.

        `patiently` wraps the request of each page and may repeat it, so the list continues after a wait.
        """
        seen = set()
        for _ in range(MOST_PAGES):
            ask = partial(self.page, path, asked)
            data, following = ask() if patiently is None else patiently(ask)
            yield data
            place = tuple(sorted(following.items()))
            if not following:
                return
            if place in seen:
                raise GithubUnavailable(f"GET {path}", "its pages form a cycle")
            seen.add(place)
            asked = {**asked, **following}
        raise GithubUnavailable(f"GET {path}", f"the list has more than {MOST_PAGES} pages")

    def items(
        self,
        path: str,
        read: Callable[[Any], T],
        inside: str = "",
        asked: Mapping[str, str] | None = None,
        patiently: Patiently[Page] | None = None,
    ) -> Iterator[T]:
        """Yield the parsed items of all pages of a list; `inside` is its key if the list is in an object."""
        for page in self._pages(path, asked or {}, patiently):
            found = page.get(inside) if inside and isinstance(page, dict) else page
            if not isinstance(found, list):
                raise _unreadable(path)
            yield from (understood(read, one, path) for one in found)

    def _answer(self, verb: str, path: str, send: Callable[[], Answer]) -> Answer:
        """Send a request once, in its turn; note what the response says about limits."""
        resource = GRAPHQL if path.endswith("/graphql") else CORE
        is_write = verb != "GET" and not _NO_WRITE.search(path)
        is_content = verb == "POST" and _CONTENT.search(path) is not None
        with self.pace.turn(f"{verb} {path}", is_write=is_write, is_content=is_content, resource=resource):
            answer = send()
        if self.pace.on_answer is not None:
            self.pace.on_answer(verb, answer.status, answer.headers)
        answer = of_graphql(answer) if resource == GRAPHQL else answer
        self.pace.heed(answer)
        return answer

    def _once(
        self, verb: str, url: str, parameters: Mapping[str, Any], headers: Mapping[str, str], body: Any
    ) -> Answer:
        try:
            with self._lock:
                status, told, text = self.requestJson(verb, url, dict(parameters), dict(headers), body)
            return Answer(status, told, _json(status, text))
        # requests raises OSError for a broken connection, the JSON or text decoder ValueError for an incomplete
        # response, and PyGithub RuntimeError or AssertionError for a redirect to another host.
        except (OSError, ValueError, RecursionError) as error:
            return no_answer(error)
        except (RuntimeError, AssertionError):
            return Answer(301, data={"message": f"{self.base_url} redirects to another host: is this the API's URL?"})


def _is_repeatable(verb: str, path: str, body: Any) -> bool:
    """Return whether a request has the same result when sent twice: GitHub appends annotations to those that stand."""
    if verb == "POST":
        return _REPEATABLE.search(path) is not None
    return not (isinstance(body, dict) and (body.get("output") or {}).get("annotations"))


def understood(read: Callable[[Any], T], data: Any, what: str) -> T:
    """Parse a response; raise `GithubUnavailable` if it does not match GitHub's schema."""
    try:
        return read(data)
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise _unreadable(what) from None


def _unreadable(what: str) -> GithubUnavailable:
    return GithubUnavailable(what, "the answer does not match GitHub's schema", code="github.unreadable")


def quoted(part: str) -> str:
    """Quote one part of a path: a branch, a login, a label."""
    return quote(part.encode("utf-8", "surrogateescape"), safe="")


def _json(status: int, text: str) -> Any:
    """Parse a response body; return None for HTML of a proxy, unless the status is a success."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        if 200 <= status < 300:
            raise
        return None
