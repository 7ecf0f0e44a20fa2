"""Values bound to sources in an answer: "X: v", "v according to X", a table's rows, "X and Y say v and w"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.memory_eval.graders.reading.claims import Claim

Placed = tuple[int, int, Claim, bool]
"""(start, end, claim, whether it is a source)."""

_LINE_END = re.compile(r"\n|;|[.!?](?=\s|$)")
_PART_END = re.compile(
    r",|\bwhile\b|\bwhereas\b|\bbut\b|\band\b|\bhowever\b|\bagainst\b|\bversus\b|\bvs\b|\s[-\u2013—]\s|\s/\s"
)
_VALUE_FIRST = re.compile(
    r"\b(?:according to|from|by|per|says|said|claimed by|reported by|via|source)\W*(?:the )?\W*$|\($"
)


def bound_pairs(text: str, placed: Sequence[Placed]) -> list[tuple[Claim, Claim]]:
    """Return (source, value) claims in order; a value without a source nearby is not bound."""
    pairs: list[tuple[Claim, Claim]] = []
    waiting: list[Placed] = []
    for line in _cut(text, placed, _LINE_END):
        kinds = {item[3] for item in line}
        if kinds == {True, False}:
            pairs.extend(_pairs_of_line(text, line))
            waiting = []
        elif waiting and {item[3] for item in waiting} != kinds:
            pairs.extend(
                _zipped([*waiting, *line]) or ([] if len(waiting) > 1 or len(line) > 1 else _paired([*waiting, *line]))
            )
            waiting = []
        else:
            waiting = list(line)
    return pairs


def _cut(text: str, placed: Sequence[Placed], end: re.Pattern[str]) -> list[list[Placed]]:
    """Split the mentions by line (or part), without empty groups; never inside a mention."""
    if not placed:
        return []
    cuts = [
        match.start() for match in end.finditer(text, placed[0][0], placed[-1][1]) if not _inside(match.start(), placed)
    ]
    lines: list[list[Placed]] = [[]]
    for item in placed:
        while cuts and cuts[0] < item[0]:
            cuts.pop(0)
            if lines[-1]:
                lines.append([])
        lines[-1].append(item)
    return [line for line in lines if line]


def _inside(place: int, placed: Sequence[Placed]) -> bool:
    return any(start <= place < end for start, end, _, _ in placed)


def _pairs_of_line(text: str, line: list[Placed]) -> list[tuple[Claim, Claim]]:
    zipped = _zipped(line)
    if zipped and len(zipped) > 1:
        return zipped
    pairs: list[tuple[Claim, Claim]] = []
    waiting: list[Placed] = []
    for part in _cut(text, line, _PART_END):
        kinds = {item[3] for item in part}
        if kinds == {True, False}:
            lead = (
                waiting
                if waiting
                and all(item[3] for item in waiting)
                and part[0][3]
                and _no_value_between(line, waiting, part)
                else []
            )
            pairs.extend(_bound(text, [*lead, *part] if lead and _all_sources_first(part) else part))
            waiting = []
            continue
        waiting = [*waiting, *part]
        if {item[3] for item in waiting} == {True, False}:
            pairs.extend(_bound(text, waiting))
            waiting = []
    return pairs


def _no_value_between(line: list[Placed], one: list[Placed], other: list[Placed]) -> bool:
    return not any(one[-1][1] <= item[0] < other[0][0] for item in line)


def _all_sources_first(part: list[Placed]) -> bool:
    kinds = [item[3] for item in part]
    return kinds == sorted(kinds, reverse=True)


def _zipped(line: list[Placed]) -> list[tuple[Claim, Claim]]:
    """Pair sources with as many values that follow them, or precede them."""
    kinds = [item[3] for item in line]
    half = len(kinds) // 2
    if len(kinds) % 2 or not half or kinds[:half].count(kinds[0]) != half or kinds[half:].count(not kinds[0]) != half:
        return []
    sources, values = (line[:half], line[half:]) if kinds[0] else (line[half:], line[:half])
    return [(source[2], value[2]) for source, value in zip(sources, values, strict=True)]


def _paired(items: list[Placed]) -> list[tuple[Claim, Claim]]:
    source, value = (items[0], items[1]) if items[0][3] else (items[1], items[0])
    return [(source[2], value[2])]


def _bound(text: str, part: list[Placed]) -> list[tuple[Claim, Claim]]:
    """Pair each value with the source before it, or after it if the part begins with a value."""
    sources = [item for item in part if item[3]]
    values = [item for item in part if not item[3]]
    if len(values) == 1:
        follows = [item for item in sources if item[0] > values[0][0]]
        if follows and len(sources) > 1 and _VALUE_FIRST.search(text[values[0][1] : follows[0][0]]):
            return [(follows[0][2], values[0][2])]
        return [(source[2], values[0][2]) for source in sources]
    if len(sources) == 1:
        return [(sources[0][2], value[2]) for value in values]
    zipped = _zipped(part)
    if zipped:
        return zipped
    value_first = not part[0][3]
    pairs = []
    for place, item in enumerate(part):
        if item[3]:
            continue
        nearest = next(
            (other for other in (part[place + 1 :] if value_first else reversed(part[:place])) if other[3]), None
        )
        if nearest:
            pairs.append((nearest[2], item[2]))
    return pairs
