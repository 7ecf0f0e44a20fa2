"""Environment failures: both sides fail in the same place for the same cause.

A registry outage, a package that cannot be built, a service no test reaches: such a run gives no verdict on the
change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.validators.tools.execution.attempt import Attempt

_VARIES = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|\d{4}-\d\d-\d\d[T_ ][\d:_.+Z-]+|/tmp/\S+|\d+(\.\d+)?")
_TELLING = re.compile(
    r"npm (?:ERR!|error) (?:(?:code|notarget|network|40[0-9]) .+|(?:Could not|Cannot|Unable to|Unsupported|Invalid) .+)"
    r"|npm (?:ERR!|error) (?!A complete log|errno|syscall|path|command|\s*$|If you|Or|See|Fix|for a full)\S.+"
    r"|\w*Error(?: \[\w+\])?: .+|.*\bERROR  +\S.+"
    r"|\s*ERR_PNPM_\S+.+|error An unexpected error occurred.+|error (?!Command failed)\S.+ .+"
    r"|\s*\N{MULTIPLICATION SIGN} .+|ERROR: .+|error: .+|error\[E\d+\]: .+|fatal: .+|E: .+"
    r"|go: .+|.*\[ERROR\] (?!\s*$|->|To see|Re-run|For more|.*Some problems).+|Could not (?:find|resolve|fetch) .+"
)


def same_failure(head: Attempt, base: Attempt) -> bool:
    """Return whether everything that keeps the head from running keeps the base from running too."""
    ours, theirs = _causes(head), _causes(base)
    return bool(ours) and ours <= theirs


def telling_line(lines: Sequence[str]) -> str:
    """Return the line in which a package manager reports the cause, else the last line with text."""
    said = [line.strip() for line in lines if line.strip()]
    return next((line for line in said if _TELLING.fullmatch(line)), said[-1] if said else "no output")


def normalised(text: str) -> str:
    """Remove what differs between runs: numbers, ids, times, temporary folders."""
    return " ".join(_VARIES.sub("#", text).split())


def same_words(ours: Iterable[str], theirs: Iterable[str]) -> bool:
    """Return whether the first words are among the second, ignoring what varies."""
    first = {normalised(line) for line in ours} - {""}
    return bool(first) and first <= {normalised(line) for line in theirs}


def _causes(attempt: Attempt) -> frozenset[tuple[str, str, str]]:
    """Return (place, rule, cause) of each failure; for a run without findings, its reason or last lines."""
    reading = attempt.reading
    named = frozenset((found.file, found.rule, normalised(found.message)) for found in reading.findings)
    if named:
        return named
    code = str(attempt.exit_code)
    if reading.reason or attempt.reason:
        return frozenset((("", code, normalised(reading.reason or attempt.reason or "")),))
    return frozenset(("", code, line) for raw in attempt.excerpt if (line := normalised(raw)))
