"""Failure of a change that exceeds its request; reported with other categories, since it may accompany any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import Category, Evidence, Failure, GoesTo, Suggestion, weighed
from assay.github_app.outcomes.tasks.failures.sayings import said_by_reviewers, saying
from assay.validators import Nature, nature_of

_WORDS = (
    saying(r"\bout of scope\b|\bscope creep\b|\bbeyond (?:the )?scope\b|\bnot in scope\b", 0.7),
    saying(
        r"\b(?:unrelated|unneeded|unnecessary|unasked|gratuitous)\b.{0,25}"
        r"\b(?:change|edit|refactor|diff|file|rename|reformat|commit)",
        0.6,
    ),
    saying(r"\b(?:separate|another|different|its own|follow-?up) (?:pr|pull request|change|commit|mr)\b", 0.5),
    saying(r"\bwhy (?:did you|was|were|is|are)\b.{0,30}\b(?:chang|touch|renam|reformat|mov|delet)", 0.4),
    saying(
        r"\b(?:revert|drop|undo|remove)\b.{0,20}"
        r"\b(?:these|this|the|those) (?:unrelated|formatting|other|changes? to)\b",
        0.55,
    ),
    saying(r"\b(?:too|way too|very) (?:big|large|much)\b.{0,30}\b(?:pr|pull request|change|diff|review)\b", 0.45),
    saying(r"\bkeep (?:it|this|the (?:pr|diff|change)) (?:small|minimal|focus)", 0.45),
)
_SIDE = frozenset((Nature.test, Nature.docs, Nature.lock, Nature.generated))
"""Paths that commonly accompany a code change and do not widen its scope."""


class ScopeCreep:
    """Rule for scope creep."""

    name = str(Category.scope_creep)

    def look(self, case: Case) -> Failure | None:
        """Check the reviews, and compare the changed paths with those the request names."""
        found = [*said_by_reviewers(case, _WORDS), *_by_paths(case)]
        text = "Change only what the request asks for; note everything else you see in the description."
        return weighed(Category.scope_creep, found, Suggestion(GoesTo.prompt, text))


def _by_paths(case: Case) -> Iterator[Evidence]:
    asked = case.asked_paths
    if not asked or len(case.changed) < 3:
        return
    folders = {_folder(path) for path in asked}
    other = sorted(
        path
        for path in case.changed
        if nature_of(path) not in _SIDE and not any(_is_under(path, one) for one in folders)
    )
    share = len(other) / len(case.changed)
    # If no named file is changed, it is a different task, not an excess of this one.
    if other and len(other) < len(case.changed) and share >= 0.3:
        text = f"{len(other)} of {len(case.changed)} changed files are not among those it names: {', '.join(other[:3])}"
        yield Evidence("request", case.task.id, text, 0.25 + 0.3 * share)


def _folder(path: str) -> str:
    return path.strip("/") if path.endswith("/") else str(PurePosixPath(path).parent)


def _is_under(path: str, folder: str) -> bool:
    return folder != "." and (path.startswith(folder + "/") or f"/{folder}/" in f"/{path}")
