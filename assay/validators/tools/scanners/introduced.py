"""Selection of the sightings a change introduces."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.tools.scanners.scanner import Sighting
from assay.validators.tools.scanners.silencing import ALIKE

MOST_CONTEXT_LINES = 8
MOST_COMPARED = 300
"""Maximum base sightings of a rule that a head sighting is compared with."""

_DELIBERATE = re.compile(r"#\s*nosec\b|#\s*noqa:[^#]*\bS\d{3}|//\s*eslint-disable-(?:next-)?line|#\s*type: ignore\[S")
SILENCED = "suppressed by this change"
_DIGEST = re.compile(r"\b[0-9a-f]{32,64}\b")
"""The pin of an action or image, which may change without a new finding."""

_RANKS = {Severity.error: 0, Severity.warning: 1, Severity.info: 2}


def introduced(sightings: Iterable[Sighting], tool: str) -> list[Finding]:
    """Return the head's sightings that have no counterpart in the base.

    A counterpart has the same rule and the same text, in the same file first and then in any other (moved code is not
    new); or the same rule and nearly the same text in the same file (an edited line had the fault before).
    """
    wanted = _strongest([sighting for sighting in sightings if not _is_deliberate(sighting)])
    base = [sighting for sighting in wanted if sighting.where.side == "base"]
    head = [sighting for sighting in wanted if sighting.where.side == "head"]
    for is_same in (_same_text_here, _same_text, _edited):
        head = _without_counterparts(head, base, is_same)
    return [_finding(sighting, tool) for sighting in _once(head)]


def _without_counterparts(
    head: Sequence[Sighting], base: list[Sighting], is_same: Callable[[Sighting, Sighting], bool]
) -> list[Sighting]:
    """Return the head's sightings without counterparts; each of `base` stands for only one, and is removed from it."""
    by_rule: dict[str, list[Sighting]] = defaultdict(list)
    for sighting in base:
        by_rule[sighting.rule].append(sighting)
    left = []
    for sighting in head:
        known = by_rule[sighting.rule]
        match = next((old for old in known[:MOST_COMPARED] if is_same(sighting, old)), None)
        if match is None:
            left.append(sighting)
        else:
            known.remove(match)
            base.remove(match)
    return left


def _same_text_here(new: Sighting, old: Sighting) -> bool:
    return new.where.path == old.where.path and _same_text(new, old)


def _same_text(new: Sighting, old: Sighting) -> bool:
    return context_of(new) == context_of(old)


def _edited(new: Sighting, old: Sighting) -> bool:
    if new.where.path != old.where.path or new.is_secret:
        return False
    return SequenceMatcher(None, context_of(new), context_of(old), autojunk=False).ratio() >= ALIKE


def _strongest(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Remove sightings that a stronger one about the same lines covers; a secret only if it is the same text."""
    said: dict[tuple[str, str], list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        said[sighting.where.name, sighting.rule].append(sighting)

    def is_covered(one: Sighting) -> bool:
        stronger = (one.weaker_than or "").split()
        return any(_overlap(one, other) for rule in stronger for other in said[one.where.name, rule][:MOST_COMPARED])

    return [sighting for sighting in sightings if not is_covered(sighting)]


def _once(sightings: Sequence[Sighting]) -> Iterator[Sighting]:
    """Merge sightings of one rule on consecutive lines; of secrets only those of the same text."""
    ended: dict[tuple[str, str], tuple[int, int]] = {}
    for sighting in sorted(sightings, key=lambda s: (s.where.name, s.line, s.columns, _RANKS[s.severity], s.rule)):
        key = (sighting.where.name, sighting.rule)
        begin, end = _extent(sighting)
        if begin > ended.get(key, (0, 0)):
            yield sighting
        ended[key] = max(ended.get(key, end), end)


def _overlap(one: Sighting, other: Sighting) -> bool:
    (begin, end), (other_begin, other_end) = _extent(one), _extent(other)
    return begin < other_end and other_begin < end


def _extent(sighting: Sighting) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where a sighting begins and ends: whole lines, of a secret its text. A line and a column each."""
    if sighting.is_secret:
        return (sighting.line, sighting.columns[0]), (sighting.end_line, sighting.columns[1])
    return (sighting.line, 0), (sighting.end_line + 1, 0)


def _is_deliberate(sighting: Sighting) -> bool:
    """Return whether the base declines this advice on the spot; errors are always reported."""
    if sighting.severity is Severity.error:
        return False
    numbers = range(max(1, sighting.line - 1), min(sighting.end_line, len(sighting.where.lines)) + 1)
    return any(
        _DELIBERATE.search(sighting.where.lines[number - 1][:2000])
        for number in numbers
        if number not in sighting.where.silencers
    )


def context_of(sighting: Sighting) -> str:
    """Return a sighting's source text with normalized white space; of a secret only the digest of itself."""
    last = min(sighting.end_line, sighting.line + MOST_CONTEXT_LINES - 1)
    lines = sighting.where.lines[sighting.line - 1 : last]
    if sighting.is_secret:
        return hashlib.sha256(_secret(lines, sighting)).hexdigest()
    return _DIGEST.sub("#", " ".join(" ".join(lines).split())[:400])


def _secret(lines: Sequence[str], sighting: Sighting) -> bytes:
    """Return the text of a secret: two on one line are not the same one, and what stands around it does not matter."""
    text = [line.encode("utf-8", "surrogateescape") for line in lines]
    begin, end = sighting.columns
    if end and len(text) == sighting.end_line - sighting.line + 1:
        text[-1] = text[-1][: end - 1]
        text[0] = text[0][begin - 1 :]
    return b" ".join(b" ".join(text).split())[:400]


def _finding(sighting: Sighting, tool: str) -> Finding:
    message = " ".join(sighting.message.split())
    if sighting.where.is_silenced(sighting.line, sighting.end_line):
        message = f"{SILENCED}: {message}"
    return Finding(
        tier=Tier.tools,
        severity=sighting.severity,
        rule=sighting.rule,
        file=sighting.where.path,
        message=message if len(message) <= 500 else message[:499] + "…",
        line=sighting.line,
        end_line=sighting.end_line if sighting.end_line > sighting.line else None,
        suggestion=sighting.suggestion,
        tool=tool,
        context=context_of(sighting),
        is_secret=sighting.is_secret,
    )
