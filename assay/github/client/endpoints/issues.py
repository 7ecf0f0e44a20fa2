"""List, create and edit issues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.github.client.connection import RepositoryClient, understood
from assay.github.client.limits import MOST_COMMENT_BYTES
from assay.github.client.truncate import cut
from assay.github.events.github_json import person_from
from assay.github.events.model import Person

_READ = "issues: read"
_WRITE = "issues: write"


@dataclass(frozen=True, slots=True)
class IssueFacts:
    """Issue, excluding pull requests, which GitHub lists together with issues."""

    number: int
    title: str
    body: str
    author: Person
    html_url: str


class Issues(RepositoryClient):
    """Issues by label."""

    def open_issues(self, label: str) -> Iterator[IssueFacts]:
        """Yield the open issues with this label, newest first."""
        what = "list the issues"
        asked = {"state": "open", "labels": label, "sort": "created", "direction": "desc"}
        for one in self._connection.pages(f"{self._path}/issues", what, _READ, **asked):
            if "pull_request" not in one:
                yield understood(_issue, one, what)

    def create_issue(self, title: str, body: str, label: str) -> IssueFacts:
        """Create an issue. It may exist after a lost response, so search for it before a retry."""
        what = "open an issue"
        wanted = {"title": title, "body": cut(body, MOST_COMMENT_BYTES), "labels": [label]}
        return understood(
            _issue,
            self._connection.send("POST", f"{self._path}/issues", what, _WRITE, body=wanted, is_content=True).data,
            what,
        )

    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts:
        """Edit an issue; close it as completed unless `is_open`."""
        what = "edit an issue"
        wanted: dict[str, Any] = {"title": title, "body": cut(body, MOST_COMMENT_BYTES)}
        wanted |= {"state": "open"} if is_open else {"state": "closed", "state_reason": "completed"}
        path = f"{self._path}/issues/{number}"
        return understood(_issue, self._connection.send("PATCH", path, what, _WRITE, body=wanted).data, what)


def _issue(data: dict[str, Any]) -> IssueFacts:
    return IssueFacts(
        number=int(data["number"]),
        title=str(data["title"]),
        body=str(data.get("body") or ""),
        author=person_from(data["user"]),
        html_url=str(data["html_url"]),
    )
