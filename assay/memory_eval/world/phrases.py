"""Sentences from templates.

A *predicate* states one thing without its subject ("is allergic to {allergy}"); a *frame* joins a subject and one to
several predicates into sentences. Frames, openers and asides of all blocks are in `templates/shared.json`.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.memory_eval.world.vocabulary_files import templates
from assay.seeded_random import Draws

_WITH_OPENER = 45
_WITH_ASIDE = 30


class Phrases:
    """The templates of one file, drawn from one stream."""

    def __init__(self, name: str, draws: Draws) -> None:
        self._own = templates(name)
        self._shared = templates("shared")
        self._draws = draws

    def one(self, statement: str, **parts: str) -> str:
        """Return one wording of a statement, filled in."""
        wording: str = self._draws.one(self._own[statement])
        return wording.format_map(parts)

    def of(self, subject: str, predicates: Sequence[str]) -> str:
        """Return one turn with all predicates of the named subject."""
        return self.aside(self.opener(self.joined(subject, predicates)))

    def dated(self, day: str, subject: str, predicates: Sequence[str]) -> str:
        """Return the same for values that change, preceded by the day (in words) they hold from."""
        opener = self._draws.one(self._shared["dated"]).format(d=day)
        return self.aside(f"{opener} {self.joined(subject, predicates)}")

    def joined(self, subject: str, predicates: Sequence[str]) -> str:
        """Return the same without opener and aside."""
        frames = self._shared["frames"]
        most = len(frames)
        parts = []
        for start in range(0, len(predicates), most):
            some = predicates[start : start + most]
            parts.append(self._draws.one(frames[str(len(some))]).format(*some, s=subject))
        return " ".join(parts)

    def opener(self, text: str) -> str:
        """Prepend an opener now and then."""
        if not self._draws.chance(_WITH_OPENER):
            return text
        return f"{self._draws.one(self._shared['openers'])} {text}"

    def aside(self, text: str) -> str:
        """Append a sentence without new information now and then."""
        if not self._draws.chance(_WITH_ASIDE):
            return text
        return f"{text} {self._draws.one(self._shared['asides'])}"
