"""One measured function, and how a set of them crosses from the child process to ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

ANONYMOUS = "(anonymous)"
"""The last part of the name of a function without one."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method. Lines are 1-based and inclusive; a figure is None where nothing measures it for this
    language.

    `name` is qualified by its classes and outer functions (`Parser.parse`). `cyclomatic` is McCabe's number of
    independent paths, `cognitive` the cognitive complexity as Sonar defines it, `nesting` the depth of control flow
    inside control flow.
    """

    name: str
    start: int
    end: int
    cyclomatic: int
    cognitive: int | None = None
    nesting: int | None = None

    @property
    def is_anonymous(self) -> bool:
        """Whether its name says only where it stands: several may share it."""
        return self.name.endswith((ANONYMOUS, " callback", "returned function"))

    def as_data(self) -> dict[str, Any]:
        """The fields as plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Function:
        """The function that `as_data` gave; raises TypeError or KeyError for anything else."""
        known = {field.name: data[field.name] for field in fields(cls)}
        if not isinstance(known["name"], str) or not all(
            isinstance(value, int) or value is None for key, value in known.items() if key != "name"
        ):
            raise TypeError("not a function")
        return cls(**known)
