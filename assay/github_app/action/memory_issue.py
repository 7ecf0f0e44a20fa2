"""The one issue about a memory that got worse: opened, brought up to date, and closed when it is as good again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from assay.github_app.github import IssueFacts

LABEL = "assay:memory"
"""By it the issue is found again, among however many others."""
TITLE = "The agent's memory got worse"


class Issues(Protocol):
    """A repository, as far as its issues are concerned."""

    def open_issues(self, label: str) -> Iterator[IssueFacts]: ...
    def create_issue(self, title: str, body: str, label: str) -> IssueFacts: ...
    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts: ...


@dataclass(frozen=True, slots=True)
class Said:
    """The issue as it stands now, and what was done: `opened`, `updated` or `closed`."""

    issue: IssueFacts
    done: str


def bring_up_to_date(repo: Issues, name: str, text: str, *, is_worse: bool) -> Said | None:
    """Open or update the issue where the memory is worse; close the one that is open where it is not.

    None where there is nothing to say. `name` tells apart the evaluations of one repository; `text` is Markdown in our
    own words. The hidden mark alone, everybody can type; the label, only who may sort the repository's issues.
    """
    mark = f"<!-- assay:memory:{hashlib.sha256(name.encode()).hexdigest()[:16]} -->"
    body = f"{text}\n\n{mark}\n"
    standing = next((one for one in repo.open_issues(LABEL) if one.body.rstrip().endswith(mark)), None)
    if standing is None:
        return Said(repo.create_issue(TITLE, body, LABEL), "opened") if is_worse else None
    edited = repo.edit_issue(standing.number, TITLE, body, is_open=is_worse)
    return Said(edited, "updated" if is_worse else "closed")
