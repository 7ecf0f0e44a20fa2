"""A memory as plain text: each paragraph is an entry, and so is each line that ends a sentence or begins a new item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, candidates, head_of, lines_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry, day_of, pieces

_SUFFIXES = frozenset({".txt", ".text", ".log"})
_BEGINS = re.compile(r"\s*(?:[-*+•]\s|\d{1,9}[.)]\s|\[|\d{4}-\d{2}-\d{2})")
_ENDS = re.compile(r"[.!?][\"')\]]*\s*$")


def _detects(path: Path) -> bool:
    return any(candidates(path, _SUFFIXES)) if path.is_dir() else head_of(path) is not None


def _read(reading: Reading) -> str:
    for file in reading.files(_SUFFIXES):
        for line, text in _paragraphs(reading.text(file)):
            day = day_of(text)
            reading.keep(Entry(piece, f"{file.name}:{line}", "paragraph", None, day) for piece in pieces(text))
    return "text"


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield (first line's number, text) of each paragraph."""
    begun, lines = 0, list[str]()
    for number, line in enumerate(lines_of(text), start=1):
        if lines and (not line.strip() or _BEGINS.match(line) or _ENDS.search(lines[-1][-80:])):
            yield begun, " ".join(lines)
            lines = []
        if line.strip():
            begun = begun if lines else number
            lines.append(line.strip())
    if lines:
        yield begun, " ".join(lines)


READER = Reader(_detects, _read)
