"""Metrics of one function."""

from __future__ import annotations

from dataclasses import dataclass

ANONYMOUS = "(anonymous)"
"""Last part of the name of an anonymous function."""


@dataclass(frozen=True, slots=True)
class Function:
    """Function or method. Lines are 1-based and inclusive; a metric is None if its language has none.

    `name` is qualified by its classes and outer functions (`Parser.parse`). `cyclomatic` is McCabe's number of
    independent paths, `cognitive` the cognitive complexity as Sonar defines it, `nesting` the maximum depth of control
    flow.
    """

    name: str
    start: int
    end: int
    cyclomatic: int
    cognitive: int | None = None
    nesting: int | None = None

    @property
    def is_anonymous(self) -> bool:
        """Whether the name is only a position: several functions may share it."""
        return self.name.endswith((ANONYMOUS, " callback", "returned function"))
