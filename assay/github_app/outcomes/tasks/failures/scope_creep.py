"""Failure of a change that exceeds its request; last in order, since it may accompany any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    failure_of,
)
from assay.validators import Nature, nature_of

_SIDE = frozenset((Nature.test, Nature.docs, Nature.lock, Nature.generated))
"""Paths that commonly accompany a code change and do not widen its scope."""


class ScopeCreep:
    """Rule for scope creep."""

    name = str(Category.scope_creep)

    def look(self, case: Case) -> Failure | None:
        """Compare the changed paths with those the request names."""
        text = "Change only what the request asks for; note everything else you see in the description."
        return failure_of(Category.scope_creep, _by_paths(case), Suggestion(GoesTo.prompt, text))


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
    # If no named file is changed, it is a different task, not an excess of this one.
    if len(case.changed) / 2 <= len(other) < len(case.changed):
        text = f"{len(other)} of {len(case.changed)} changed files are not among those it names: {', '.join(other[:3])}"
        yield Evidence("request", case.task.id, text)


def _folder(path: str) -> str:
    return path.strip("/") if path.endswith("/") else str(PurePosixPath(path).parent)


def _is_under(path: str, folder: str) -> bool:
    return folder != "." and (path.startswith(folder + "/") or f"/{folder}/" in f"/{path}")
