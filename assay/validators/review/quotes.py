"""Find the place of quoted text in a file; a model's line numbers are not used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SHORTEST_QUOTE = 4
"""Minimum characters, white space aside: a shorter quote is found in every file."""
SHORTEST_PART = 12
"""Minimum characters of a quote that is a part of one line."""
MOST_LINES = 40
"""Maximum lines of a quote; a longer one names no place."""


def spans(lines: Sequence[str], quote: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line (1-based) of each occurrence of a quote.

    Lines are compared without their outer white space, so that a quote may be indented differently; every other
    character counts. A quote of one line may be a part of a line.
    """
    wanted = [line.strip() for line in quote.strip("\n").split("\n")]
    while wanted and not wanted[0]:
        wanted.pop(0)
    while wanted and not wanted[-1]:
        wanted.pop()
    if not wanted or len(wanted) > MOST_LINES or sum(map(len, wanted)) < SHORTEST_QUOTE:
        return
    stripped = [line.strip() for line in lines]
    for index in range(len(stripped) - len(wanted) + 1):
        if stripped[index : index + len(wanted)] == wanted:
            yield index + 1, index + len(wanted)
        elif len(wanted) == 1 and len(wanted[0]) >= SHORTEST_PART and wanted[0] in stripped[index]:
            yield index + 1, index + 1


def word_spans(lines: Sequence[str], words: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line (1-based) of each run of lines that has exactly these words, in any white space."""
    stripped = [" ".join(line.split()) for line in lines]
    for index, line in enumerate(stripped):
        if not line or not words.startswith(line):
            continue
        read, end = line, index
        while len(read) < len(words) and end + 1 < len(stripped) and end - index < MOST_LINES:
            end += 1
            read = f"{read} {stripped[end]}" if stripped[end] else read
        if read == words:
            yield index + 1, end + 1
