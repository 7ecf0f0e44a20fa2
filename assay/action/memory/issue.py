"""The one issue about a memory that got worse: opened, brought up to date, and closed when it is as good again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from assay.github.client import IssueFacts

LABEL = "assay:memory"
"""By it the issue is found again, among however many others."""
TITLE = "The agent's memory got worse"
_BASELINE_RUN = re.compile(r"<!-- assay:memory:baseline-run:([1-9][0-9]{0,17}) -->\Z")


class Issues(Protocol):
    """A repository, as far as its issues are concerned."""

    def open_issues(self, label: str) -> Iterator[IssueFacts]: ...
    def create_issue(self, title: str, body: str, label: str) -> IssueFacts: ...
    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """The issue that stands open, and the run whose report the memory was found worse than, where it names one.

    Whoever may edit the issue can write another number there: it says where to look, and nothing of what to believe.
    """

    issue: IssueFacts
    baseline_run: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """The issue as it stands now, and what was done: `opened`, `updated` or `closed`."""

    issue: IssueFacts
    done: str


def standing_issue(repo: Issues, name: str) -> Standing | None:
    """The open issue about the evaluation of this name, or None.

    The hidden mark alone, everybody can type; the label, only who may sort the repository's issues.
    """
    mark = _mark(name)
    for issue in repo.open_issues(LABEL):
        body = issue.body.rstrip()
        if body.endswith(mark):
            told = _BASELINE_RUN.search(body.removesuffix(mark).rstrip())
            return Standing(issue, int(told[1]) if told else None)
    return None


def bring_up_to_date(
    repo: Issues, name: str, text: str, standing: Standing | None, *, is_open: bool, baseline_run: int | None = None
) -> Said | None:
    """Open or update the issue where it is to be open; close the standing one where not. None: nothing to say.

    `name` tells apart the evaluations of one repository; `text` is Markdown in our own words; `baseline_run` is the
    run that left the report the memory is worse than.
    """
    # In a line before the mark, which stays the last one: so each form of Assay finds the issues of the other.
    run = f"<!-- assay:memory:baseline-run:{baseline_run} -->\n" if baseline_run is not None else ""
    body = f"{text}\n\n{run}{_mark(name)}\n"
    if standing is None:
        return Said(repo.create_issue(TITLE, body, LABEL), "opened") if is_open else None
    edited = repo.edit_issue(standing.issue.number, TITLE, body, is_open=is_open)
    return Said(edited, "updated" if is_open else "closed")


def _mark(name: str) -> str:
    return f"<!-- assay:memory:{hashlib.sha256(name.encode()).hexdigest()[:16]} -->"
