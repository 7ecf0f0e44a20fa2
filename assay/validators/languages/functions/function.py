"""Metrics of one function, and their serialization between the child process and the parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

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

    def as_data(self) -> dict[str, Any]:
        """Return the fields as plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Function:
        """Return the function from `as_data`; raise TypeError or KeyError for anything else."""
        known = {field.name: data[field.name] for field in fields(cls)}
        if not isinstance(known["name"], str) or not all(
            isinstance(value, int) or value is None for key, value in known.items() if key != "name"
        ):
            raise TypeError("not a function")
        return cls(**known)
