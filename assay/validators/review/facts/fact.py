"""Facts about one part of a change, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from assay.validators.changes.change import ChangedFile
from assay.validators.report.review import Side


class FactKind(StrEnum):
    """Kind of a fact, in the order of importance: the last ones are left out first."""

    contract = "contract"
    reported = "reported"
    caller = "caller"
    definition = "definition"
    test = "test"
    sibling = "sibling"
    rule = "rule"
    convention = "convention"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file from `start` (1-based)."""

    side: Side
    path: str
    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: a line of ours, and the code or text of the repository it is about, if any."""

    kind: FactKind
    about: str
    excerpt: Excerpt | None = None
    text: tuple[str, ...] = ()


@dataclass
class Neighbourhood:
    """Changed files that the import graph connects, with the facts about them, the most important first.

    `left_out` names facts that do not fit or could not be found.
    """

    files: tuple[ChangedFile, ...]
    facts: list[Fact] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of its files."""
        return tuple(file.path for file in self.files)
