"""The issue about a memory regression: opened, updated, and closed when the memory has recovered."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from assay.github.client import IssueFacts, Repo

LABEL = "assay:memory"
"""Label by which the issue is found."""
WORSE = "The agent's memory got worse"
FINDINGS = "The agent's memory has findings"
"""Titles of the issue, for an evaluation and for a production memory."""
_BASELINE_RUN = re.compile(r"<!-- assay:memory:baseline-run:([1-9][0-9]{0,17}) -->\Z")


@dataclass(frozen=True, slots=True)
class Standing:
    """The open issue, and the run with the baseline of the regression, if the issue names one.

    The number is untrusted: users who may edit the issue can change it.
    """

    issue: IssueFacts
    baseline_run: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """The issue after the update, and the action: `opened`, `updated` or `closed`."""

    issue: IssueFacts
    done: str


def standing_issue(repo: Repo, name: str) -> Standing | None:
    """Return the open issue about the evaluation of this name, or None.

    Any user can write the hidden marker, but only users with triage permission can set the label.
    """
    mark = _mark(name)
    for issue in repo.open_issues(LABEL):
        body = issue.body.rstrip()
        if body.endswith(mark):
            told = _BASELINE_RUN.search(body.removesuffix(mark).rstrip())
            return Standing(issue, int(told[1]) if told else None)
    return None


def bring_up_to_date(
    repo: Repo,
    name: str,
    text: str,
    standing: Standing | None,
    *,
    is_open: bool,
    baseline_run: int | None = None,
    title: str = WORSE,
) -> Said | None:
    """Open, update or close the issue, by `is_open`; return None if there is nothing to do.

    `name` identifies the evaluation in the repository; `text` is Markdown; `baseline_run` is the run with the baseline
    of the regression.
    """
    # On a line before the marker, which stays the last line.
    run = f"<!-- assay:memory:baseline-run:{baseline_run} -->\n" if baseline_run is not None else ""
    body = f"{text}\n\n{run}{_mark(name)}\n"
    if standing is None:
        return Said(repo.create_issue(title, body, LABEL), "opened") if is_open else None
    edited = repo.edit_issue(standing.issue.number, title, body, is_open=is_open)
    return Said(edited, "updated" if is_open else "closed")


def _mark(name: str) -> str:
    return f"<!-- assay:memory:{hashlib.sha256(name.encode()).hexdigest()[:16]} -->"
