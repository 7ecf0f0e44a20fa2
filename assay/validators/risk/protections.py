"""Annotations and decorators that a function loses (transactions, retries, locks, limits, validation), and refusals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from assay.validators.changes.change import FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in, languages
from assay.validators.report.model import Statement
from assay.validators.risk.refusals import no_longer_refused
from assay.validators.risk.signal import Measure, RiskContext

_MARK = re.compile(
    r"\s*(?:@|#?\[)(?:[\w.]+\.)?(?:Transactional|atomic|Retry\w*|retry\w*|CircuitBreaker|Bulkhead|RateLimit\w*|rate_limit\w*"
    r"|ratelimit\w*|throttle\w*|Throttle\w*|Synchronized|synchronized|Lock|lock|SchedulerLock|Valid\w*|validate\w*|csrf_protect"
    r"|sensitive_\w+|Idempotent\w*|idempotent\w*|TimeLimiter|Timed?out|timeout)\b(?!\.)"
)
_DEFINES = re.compile(
    r"(?:\b(?:def|fun|function|class|interface)\s+|\b)(?P<name>[A-Za-z_]\w*)\s*(?:\(|\{|:|extends\b|<)"
)
_ANNOTATION = re.compile(r"\s*(?:@|#?\[|//|#|\*|/\*|\)|$)")
MOST_LINES, MOST_MARKS = 12, 200
"""Maximum lines from a mark to what it marks, and marks of a file."""


class ProtectionsSignal:
    """Signal `protections`: what kept a function safe is gone, and its code stays."""

    name = "protections"
    answers = None
    covers = languages(*"python java kotlin scala groovy csharp typescript javascript php".split())

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield each mark that a kept definition loses and no changed line gets, and what it no longer refuses."""
        lost: list[_Lost] = []
        gained: Counter[str] = Counter()
        for file in context.change.files:
            is_code = file.nature is Nature.source and file.kind is FileKind.text and is_in(file.path, self.covers)
            if not is_code or file.base_path is None or not file.exists:
                continue
            gained.update(_key(line) for line in file.added.values() if _MARK.match(line[:1000]))
            removed = {number: line for number, line in file.removed.items() if _MARK.match(line[:1000])}
            if removed:
                base = text_at(context.change.base, file.base_path).split("\n")
                head = text_at(context.change.head, file.path)
                lost += _lost(removed, base, head, file.path)
        yield from no_longer_refused(context)
        for one in lost:
            if gained[one.key] > 0:
                gained[one.key] -= 1
            else:
                yield Statement("protection_removed", f"`{one.text}` of {one.owner}", one.path, one.line)


@dataclass(frozen=True, slots=True)
class _Lost:
    key: str
    text: str
    owner: str
    path: str
    line: int


def _key(line: str) -> str:
    return "".join(line.split())


def _lost(removed: dict[int, str], base: list[str], head: str, path: str) -> Iterator[_Lost]:
    """Yield the marks whose definition is still in the head, with its line there."""
    for number, line in islice(removed.items(), MOST_MARKS):
        below = (one for one in base[number : number + MOST_LINES] if not _ANNOTATION.match(one))
        marked = next(below, "")[:1000]
        found = _DEFINES.search(marked)
        if found is None:
            continue
        at = head.find(marked[: found.end("name")].strip())
        if at >= 0:
            place = head.count("\n", 0, at) + 1
            yield _Lost(_key(line), " ".join(line.split())[:100], found["name"], path, place)
