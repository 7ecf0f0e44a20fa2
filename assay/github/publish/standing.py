"""Verdict of a commit that is the head of several pull requests.

GitHub shows the newest check of a name on a commit, so a verdict counts for all its pull requests, including one
against a base with laxer settings. Any user can open such a second pull request, so the worst verdict is published
for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.github.client import CheckConclusion, CheckOutput, CheckStatus
from assay.github.publish.markers import OWN, marker, read_marker

BLOCKS = (CheckConclusion.failure, CheckConclusion.action_required)
"""Blocking conclusions, the worst first."""
_OF_ANOTHER = " of the same commit "
_TITLE = re.compile(r"#\d+ of the same commit [a-z_ ]{1,60} · ")


@dataclass(frozen=True, slots=True)
class Other:
    """Another open pull request with the same head, and why it must not be merged."""

    number: int
    conclusion: CheckConclusion
    said: str


def with_others(check: CheckOutput, others: tuple[Other, ...], *, keeps_own: bool = False) -> CheckOutput:
    """Return a completed Check Run with the worst verdict on this commit; others unchanged.

    With `keeps_own` a hidden marker keeps its own conclusion, for callers without a database.
    """
    if check.status is not CheckStatus.completed or not others:
        return check
    worst = min(others, key=lambda other: BLOCKS.index(other.conclusion))
    if check.conclusion in BLOCKS and BLOCKS.index(check.conclusion) <= BLOCKS.index(worst.conclusion):
        return check
    note = (
        f"**This commit is also the head of #{worst.number}, which {worst.said}.** GitHub keeps one verdict per "
        f"commit, so the worse one is shown here. To separate them, close #{worst.number} or push a commit."
    )
    kept = f"{marker(OWN, str(check.conclusion))}\n" if keeps_own else ""
    return replace(
        check,
        conclusion=worst.conclusion,
        title=f"#{worst.number}{_OF_ANOTHER}{worst.said} · {check.title}",
        summary=f"{kept}{note}\n\n{check.summary}",
    )


def own_conclusion(conclusion: str | None, summary: str | None) -> str | None:
    """Return a Check Run's own conclusion, before `with_others` replaced it (`keeps_own`)."""
    found = read_marker(summary or "")
    return found[1] if found is not None and found[0] == OWN and found[1] in set(CheckConclusion) else conclusion


def without_others(check: CheckOutput) -> CheckOutput:
    """Undo `with_others` (`keeps_own`); return other Check Runs unchanged."""
    found = read_marker(check.summary)
    if found is None or found[0] != OWN or found[1] not in set(CheckConclusion):
        return check
    return replace(
        check,
        conclusion=CheckConclusion(found[1]),
        title=_TITLE.sub("", check.title, count=1),
        summary=check.summary.replace("\r\n", "\n").partition("\n\n")[2],
    )
