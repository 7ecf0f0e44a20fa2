"""Sections of a text that lists several subjects, so that no value is taken from a neighbour's line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.memory_eval.holding.lexing import Lexed, lexed
from assay.memory_eval.holding.subjects import Subjects

MOST_ABOVE = 500
"""Characters of the lines above that are read with every section; longer ones are a separate section."""
_MARKS = " \t-*+#>|"


def sections(text: str, subjects: Subjects) -> Iterator[Lexed]:
    """Yield the text, or if several lines begin with a subject alike, each of these with the lines below it.

    Lines are alike if they have the same indent and bullet, and either the name alone or more. The lines above the
    first one, such as a title, belong to every section.
    """
    lines = text.splitlines()
    starts = _starts(lines, subjects) if len(lines) > 1 else []
    if len(starts) < 2:
        yield lexed(text)
        return
    above = lines[: starts[0]]
    if sum(map(len, above)) > MOST_ABOVE:
        yield lexed("\n".join(above))
        above = []
    for begin, end in pairwise([*starts, len(lines)]):
        yield lexed("\n".join([*above, *lines[begin:end]]))


def _starts(lines: Sequence[str], subjects: Subjects) -> list[int]:
    """Return the numbers of the lines that begin with a subject as the first such line does."""
    kinds: dict[int, tuple[str, bool]] = {}
    for number, line in enumerate(lines):
        read = lexed(line)
        name = subjects.leading(read)
        if name is not None:
            mark = line[: len(line) - len(line.lstrip(_MARKS))]
            kinds[number] = mark, name.end == len(read.tokens)
    first = next(iter(kinds.values()), None)
    return [number for number, kind in kinds.items() if kind == first]
