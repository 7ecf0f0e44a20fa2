"""Broken contracts inside a tree: symbols a change removes or alters while files of its head still use them.

A language contributes one `Contract`. It compares the changed files of its kind on both sides, and looks for uses in
the files that import them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from assay.validators.report import NotChecked

if TYPE_CHECKING:
    from assay.validators.contracts.search import Search


class BreakKind(StrEnum):
    """How a use is broken; the value is the part of the rule's name."""

    name = "missing-name"
    module = "missing-module"
    arguments = "call-arguments"
    attribute = "missing-attribute"


@dataclass(frozen=True, slots=True)
class Use:
    """A line of the head that relies on a symbol as the base had it; `how` completes "but `file:line` …".

    `file` is where the base defined the symbol, `now` its present signature where the arguments do not match, and
    `receiver` the class (file, qualified name) an attribute is read from where a subclass may have it.
    """

    kind: BreakKind
    file: str
    symbol: str
    path: str
    line: int
    how: str
    is_certain: bool = True
    now: str = ""
    receiver: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """A symbol of the base that changed incompatibly, with its uses in the head: all of one kind, file and symbol.

    `head_file` and `line` are the place in the head nearest to the definition; None where the file is gone.
    """

    uses: tuple[Use, ...]
    head_file: str | None = None
    line: int | None = None


class Contract(Protocol):
    """Symbols of one language: what a file offers, and which uses of it are certain."""

    @property
    def name(self) -> str:
        """The register key: the language's name in `LANGUAGES`."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Every break the change introduces in the files of the search. Raises `OutOfTime`."""
