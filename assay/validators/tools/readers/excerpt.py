"""Excerpt of a run's output: the lines that mention failure, anywhere, and the end.

Parallel runners bury a failure in the middle of the log, and the output may exceed what is kept of it, so the lines
are searched as they arrive.
"""

from __future__ import annotations

import re
from collections import deque

from assay.validators.tools.readers.output import plain

MOST_LINES = 40
TAIL_LINES = 15
LINE_LIMIT = 300
"""Maximum characters of one line in an excerpt."""

SEARCHED_LIMIT = 4000
"""Maximum bytes of one line that is searched; a longer one is a file, not a message."""

KEPT_OF_EACH_KIND = 200
ENOUGH = 6
GAP = "…"

MOST_LINES_SEARCHED = 100_000
"""Maximum relevant lines that are searched in one output; more of them carry no information."""

_TELLING = (
    *b"fail error panic exception traceback assert fatal abort segm killed undefined cannot expected actual".split(),
    *(b"not ok", b"no space", b"\ne  ", b"\xc3\x97"),
    *(b"\xe2\x9c\x95", b"\xe2\x9c\x96", b"\xe2\x9c\x97", b"\xe2\x9c\x98"),
)
# Patterns of failures; the second kind may only mention failure.
_STRONG = re.compile(
    r"^\s*(FAIL(ED|URE)?\b|ERROR\b|E  +\S|--- FAIL|not ok\b|error(\[\w+\])?:|fatal( error)?:|panic:|panicked|Traceback"
    r"|[\u2715-\u2718\u00d7] |\u25cf |npm (ERR!|error)|FATAL|make(\[\d+\])?: \*\*\*|thread '.*' panicked)"
    r"|\b(error TS\d+|AssertionError|[A-Z]\w*(Error|Exception)\b:|: error:|: fatal error:|Segmentation fault|Killed\b"
    r"|core dumped|out of memory|No space left|command not found|undefined reference|BUILD FAILED|Tests? failed)"
)
_WEAK = re.compile(
    r"(?i)fail|error|exception|fatal|cannot |not found|undefined|unexpected|expected|\b(actual|received)\b"
)
_TAP_COUNT = re.compile(r"# (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$")
_NOTHING = re.compile(
    r"(?i)\b(0|no) (errors?|fail\w*|problems?)\b|\b(errors?|fail\w*)[:= ]+0\b|-rf\w*E|passed$|\bPASS(ED)?\b"
    r"|^\s*[\u2713\u2714\u221a] "
)


class FailureLines:
    """Collector of the relevant lines of one stream as it arrives."""

    def __init__(self) -> None:
        self._rest = b""
        self._number = 0
        self._strong: list[tuple[int, str]] = []
        self._weak: list[tuple[int, str]] = []
        self._last: deque[tuple[int, bytes]] = deque(maxlen=TAIL_LINES * 2)
        self._left = MOST_LINES_SEARCHED

    def feed(self, data: bytes) -> None:
        """Process the next piece of output; its last, unfinished line waits for the next piece."""
        text = self._rest + data
        whole, newline, self._rest = text.rpartition(b"\n")
        if len(self._rest) > SEARCHED_LIMIT:
            self._rest = self._rest[:SEARCHED_LIMIT]
        if newline:
            self._take(whole)

    def lines(self) -> tuple[str, ...]:
        """Return at most `MOST_LINES` relevant lines and the last `TAIL_LINES`, in order, with marks for gaps."""
        if self._rest:
            self._take(self._rest)
            self._rest = b""
        last = [(number, _shown(raw)) for number, raw in self._last]
        tail = [entry for entry in last if entry[1].strip() and not _TAP_COUNT.match(entry[1])][-TAIL_LINES:]
        begin = tail[0][0] if tail else self._number
        strong = [entry for entry in self._strong if entry[0] < begin][:MOST_LINES]
        # Where enough lines clearly report a failure, those that only mention failure are noise.
        room = MOST_LINES - len(strong) if len(strong) < ENOUGH else 0
        weak = [entry for entry in self._weak if entry[0] < begin][:room]
        chosen = sorted({*strong, *weak, *tail})
        # Between lines of the tail only blank lines and counts are left out, which need no mark.
        found: list[str] = []
        for index, (number, line) in enumerate(chosen):
            if index and number > chosen[index - 1][0] + 1 and chosen[index - 1][0] < begin:
                found.append(GAP)
            found.append(line)
        return tuple(found)

    def _take(self, whole: bytes) -> None:
        num = whole.count(b"\n") + 1
        if self._left > 0 and _tells(b"\n" + whole):
            for offset, raw in enumerate(whole.split(b"\n")):
                if _tells(b"\n" + raw[:SEARCHED_LIMIT]):
                    self._left -= 1
                    self._sort(self._number + offset, raw)
        last = whole[-SEARCHED_LIMIT * TAIL_LINES :].split(b"\n")[-TAIL_LINES * 2 :]
        self._last.extend((self._number + num - len(last) + index, raw) for index, raw in enumerate(last))
        self._number += num

    def _sort(self, number: int, raw: bytes) -> None:
        if self._left <= 0 or len(self._strong) >= KEPT_OF_EACH_KIND:
            return
        line = _shown(raw)
        if _STRONG.search(line) and not _NOTHING.search(line):
            self._strong.append((number, line))
        elif len(self._weak) < KEPT_OF_EACH_KIND and _WEAK.search(line) and not _NOTHING.search(line):
            self._weak.append((number, line))


def _tells(data: bytes) -> bool:
    small = data.lower()
    return any(word in small for word in _TELLING)


def excerpt_of(output: bytes) -> tuple[str, ...]:
    """Return the excerpt of a complete output."""
    found = FailureLines()
    found.feed(output)
    return found.lines()


def _shown(raw: bytes) -> str:
    """Return a line safe to display: no escape codes or control characters, and within the length limit."""
    text = plain(raw[:SEARCHED_LIMIT]).replace("\t", "    ")
    # A carriage return redraws a line: a terminal shows its last state.
    text = next((part for part in reversed(text.split("\n")) if part.strip()), "").rstrip()
    return text if len(text) <= LINE_LIMIT else text[: LINE_LIMIT - 1] + "…"
