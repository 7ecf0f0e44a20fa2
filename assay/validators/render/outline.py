"""Text of a report without a format: lines of parts, blocks of output, and sections."""

from __future__ import annotations

from dataclasses import dataclass, field


class Code(str):
    """Part of a line that is code: a path, a name, a command."""

    __slots__ = ()


class Ours(str):
    """Part of a line that holds Assay's own words alone, and needs no escaping."""

    __slots__ = ()


class Strong(str):
    """Emphasized part of a line."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Line of a list at a `depth` from 1, or a paragraph at 0. Parts of no class are prose."""

    parts: tuple[str, ...]
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Output:
    """Block of output, or of a file."""

    lines: tuple[str, ...]
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Section:
    """Section with a title, which holds no untrusted text. Where space is short, the highest `drop_first` goes first.

    0 is never left out. `is_folded`: a format that can fold hides its content.
    """

    title: str
    content: tuple[Line | Output, ...] = field(default=())
    drop_first: int = 0
    is_folded: bool = True


def line(*parts: str, depth: int = 1) -> Line:
    """Return a line of the parts that are not empty."""
    return Line(tuple(part for part in parts if part) or ("",), depth)
