"""Sentences from templates: what is said of a thing in many ways, put together in many ways.

A *predicate* says one thing without its subject ("is allergic to {allergy}"); a *frame* joins a subject and one to
several predicates into sentences. Frames, openers and asides of all blocks are in `templates/shared.json`.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.world.vocabulary_files import templates

_WITH_OPENER = 45
_WITH_ASIDE = 30


class Phrases:
    """The templates of one file, drawn from one stream."""

    def __init__(self, name: str, draws: Draws) -> None:
        self._own = templates(name)
        self._shared = templates("shared")
        self._draws = draws

    def one(self, statement: str, **parts: str) -> str:
        """One of the wordings of a statement, filled in."""
        wording: str = self._draws.one(self._own[statement])
        return wording.format_map(parts)

    def of(self, subject: str, predicates: Sequence[str]) -> str:
        """Everything the predicates say of the subject, named in it, as one turn."""
        return self.aside(self.opener(self.joined(subject, predicates)))

    def dated(self, day: str, subject: str, predicates: Sequence[str]) -> str:
        """The same for what changes: the day (in words) from which it holds stands before it."""
        opener = self._draws.one(self._shared["dated"]).format(d=day)
        return self.aside(f"{opener} {self.joined(subject, predicates)}")

    def joined(self, subject: str, predicates: Sequence[str]) -> str:
        """The same without opener and aside."""
        frames = self._shared["frames"]
        most = len(frames)
        parts = []
        for start in range(0, len(predicates), most):
            some = predicates[start : start + most]
            parts.append(self._draws.one(frames[str(len(some))]).format(*some, s=subject))
        return " ".join(parts)

    def opener(self, text: str) -> str:
        """The text, now and then with a few words before it."""
        if not self._draws.chance(_WITH_OPENER):
            return text
        return f"{self._draws.one(self._shared['openers'])} {text}"

    def aside(self, text: str) -> str:
        """The text, now and then with a sentence after it that says nothing new."""
        if not self._draws.chance(_WITH_ASIDE):
            return text
        return f"{text} {self._draws.one(self._shared['asides'])}"
