"""Values bound to sources in an answer: "X: v", "v according to X", a table's rows, "X and Y say v and w"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.memory_eval.graders.reading.claims import Claim

Placed = tuple[int, int, Claim, bool]
"""(start, end, claim, whether it is a source)."""

_LINE_END = re.compile(r"\n|;|[.!?](?=\s|$)")
_PART_END = re.compile(r",|\b(?:while|whereas|but|and|however|against|versus|vs)\b|\s[-\u2013—/]\s")


def bound_pairs(text: str, placed: Sequence[Placed]) -> list[tuple[Claim, Claim]]:
    """Return (source, value) claims in order; a value without a source nearby is not bound."""
    pairs: list[tuple[Claim, Claim]] = []
    waiting: list[Placed] = []
    for line in _cut(text, placed, _LINE_END):
        if _has_both(line):
            pairs.extend(_pairs_of_line(text, line))
            waiting = []
        elif waiting and _has_both([*waiting, *line]):
            pairs.extend(_zipped([*waiting, *line]))
            waiting = []
        else:
            waiting = list(line)
    return pairs


def _cut(text: str, placed: Sequence[Placed], end: re.Pattern[str]) -> list[list[Placed]]:
    """Split the mentions by line (or part), without empty groups; never inside a mention."""
    cuts = [
        match.start() for match in end.finditer(text) if not any(low <= match.start() < up for low, up, _, _ in placed)
    ]
    groups: dict[int, list[Placed]] = {}
    for item in placed:
        groups.setdefault(sum(cut < item[0] for cut in cuts), []).append(item)
    return list(groups.values())


def _has_both(items: Sequence[Placed]) -> bool:
    return len({item[3] for item in items}) > 1


def _pairs_of_line(text: str, line: list[Placed]) -> list[tuple[Claim, Claim]]:
    if len(zipped := _zipped(line)) > 1:
        return zipped
    pairs: list[tuple[Claim, Claim]] = []
    waiting: list[Placed] = []
    for found in _cut(text, line, _PART_END):
        several_share_a_value = all(item[3] for item in waiting) and found[0][3]
        part = [*waiting, *found] if several_share_a_value or not _has_both(found) else found
        waiting = [] if _has_both(part) else part
        if not waiting:
            pairs.extend(_bound(part))
    return pairs


def _zipped(line: list[Placed]) -> list[tuple[Claim, Claim]]:
    """Pair sources with as many values that follow them, or precede them."""
    half = len(line) // 2
    first, second = line[:half], line[half:]
    if len(line) % 2 or len({item[3] for item in first}) != 1 or {item[3] for item in second} != {not first[0][3]}:
        return []
    sources, values = (first, second) if first[0][3] else (second, first)
    return [(source[2], value[2]) for source, value in zip(sources, values, strict=True)]


def _bound(part: list[Placed]) -> list[tuple[Claim, Claim]]:
    """Pair each value with the source before it, or after it if the part begins with a value."""
    sources = [item for item in part if item[3]]
    values = [item for item in part if not item[3]]
    if len(values) == 1 or len(sources) == 1:
        return [(source[2], value[2]) for source in sources for value in values]
    pairs = _zipped(part)
    for place, (_, _, claim, is_source) in enumerate(part if not pairs else ()):
        nearby = part[place + 1 :] if not part[0][3] else part[:place][::-1]
        source = next((other for other in nearby if other[3]), None)
        if source and not is_source:
            pairs.append((source[2], claim))
    return pairs
