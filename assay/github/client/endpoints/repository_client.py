"""Base of the parts of `Repo`.

Writes use PyGithub's objects. Reads use its requester, as its lists keep an object of 70 KiB for each entry, request
each again for its JSON, and leave out what our models check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from github.GithubObject import GithubObject
from github.Repository import Repository

from assay.github.client.identity import Us
from assay.github.client.requester import GithubRequester, Page, Patiently, understood
from assay.github.errors import GithubRefused

T = TypeVar("T")


class RepositoryClient:
    """Requests to one repository, as the account `us`; `_github` is PyGithub's object of it."""

    def __init__(self, requester: GithubRequester, full_name: str, us: Us) -> None:
        if full_name.count("/") != 1 or any(part in ("", ".", "..") for part in full_name.split("/")):
            raise GithubRefused(404, "access", "its name is not owner/name")
        self.full_name = full_name
        self.us = us
        self._requester = requester
        self._path = f"/repos/{full_name}"
        self._github = Repository(requester, url=self._path)

    def _get(self, path: str, read: Callable[[Any], T], **parameters: Any) -> T:
        """Return the parsed response of a GET request below the repository."""
        path = f"{self._path}/{path}"
        return understood(read, self._requester.get(path, **parameters), path)

    def _items(
        self,
        path: str,
        read: Callable[[Any], T],
        inside: str = "",
        asked: Mapping[str, str] | None = None,
        patiently: Patiently[Page] | None = None,
    ) -> Iterator[T]:
        """Yield the parsed items of a list below the repository; `inside` is its key if it is in an object."""
        return self._requester.items(f"{self._path}/{path}", read, inside, asked, patiently)

    def _send(self, verb: str, path: str, read: Callable[[Any], T], body: Any) -> T:
        """Return the parsed response of a write that PyGithub has not, or not without another request."""
        path = f"{self._path}/{path}"
        return understood(read, self._requester.send(verb, path, body), path)

    def _made(self, write: Callable[[], GithubObject], read: Callable[[Any], T]) -> T:
        """Return the parsed response of a write by PyGithub."""
        return understood(lambda _: read(write().raw_data), None, self._path)


def if_found(ask: Callable[[], T], *more: int) -> T | None:
    """Return the result of a request; None for 404, and the statuses `more`."""
    try:
        return ask()
    except GithubRefused as refused:
        if refused.status not in (404, *more):
            raise
        return None
