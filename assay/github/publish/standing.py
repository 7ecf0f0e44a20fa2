"""One commit as the head of several pull requests: of a name GitHub shows the newest check, so the worst stands on all.

A verdict on the commit counts for each of them, also the one given against a base whose settings are laxer, and anybody
can open a second pull request. Here is what is said; who the others are is known to whoever publishes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.github.client import CheckConclusion, CheckOutput, CheckStatus
from assay.github.publish.markers import OWN, marker, read_marker

BLOCKS = (CheckConclusion.failure, CheckConclusion.action_required)
"""The worse first. The others let a change pass all the same."""
_OF_ANOTHER = " of the same commit "
_TITLE = re.compile(r"#\d+ of the same commit [a-z_ ]{1,60} · ")


@dataclass(frozen=True, slots=True)
class Other:
    """Another open pull request with the same head; why it must not be merged, as a conclusion and in words."""

    number: int
    conclusion: CheckConclusion
    said: str


def with_others(check: CheckOutput, others: tuple[Other, ...], *, keeps_own: bool = False) -> CheckOutput:
    """A concluded Check Run as the worst of the verdicts on this commit; any other as it is.

    With `keeps_own` its own conclusion stays in it, unseen: for whoever has no other place to remember it.
    """
    if check.status is not CheckStatus.completed or not others:
        return check
    worst = min(others, key=lambda other: BLOCKS.index(other.conclusion))
    if check.conclusion in BLOCKS and BLOCKS.index(check.conclusion) <= BLOCKS.index(worst.conclusion):
        return check
    note = (
        f"**This commit is the head of #{worst.number} too, which {worst.said}.** GitHub keeps one verdict for a "
        f"commit, so the worse one stands here as well. Close #{worst.number}, or push a commit, to tell them apart."
    )
    kept = f"{marker(OWN, str(check.conclusion))}\n" if keeps_own else ""
    return replace(
        check,
        conclusion=worst.conclusion,
        title=f"#{worst.number}{_OF_ANOTHER}{worst.said} · {check.title}",
        summary=f"{kept}{note}\n\n{check.summary}",
    )


def own_conclusion(conclusion: str | None, summary: str | None) -> str | None:
    """How a Check Run ended by itself, before the verdict of another was put in (`keeps_own`)."""
    found = read_marker(summary or "")
    return found[1] if found is not None and found[0] == OWN and found[1] in set(CheckConclusion) else conclusion


def without_others(check: CheckOutput) -> CheckOutput:
    """A Check Run that `with_others` changed, as it was before (`keeps_own`); any other as it is."""
    found = read_marker(check.summary)
    if found is None or found[0] != OWN or found[1] not in set(CheckConclusion):
        return check
    return replace(
        check,
        conclusion=CheckConclusion(found[1]),
        title=_TITLE.sub("", check.title, count=1),
        summary=check.summary.replace("\r\n", "\n").partition("\n\n")[2],
    )
