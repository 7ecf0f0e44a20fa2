"""Expected values in the tables of a test: rows of `parametrize`, and names such as `want` or `expected`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.language_table import suffixes
from assay.validators.quality.integrity.assertions import Assertion, Strength
from assay.validators.quality.integrity.both_sides import Kept

_LITERAL = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|(?<![\w.])-?\d[\d_]*(?:\.\d+)?\b|\b(?:True|False|None|true|false|nil|null)\b"
)
_EXPECTED = re.compile(r"\b(?:want|wants|expected|expect|exp)\w*[\"']?\s*(?::=|[:=])\s*$", re.IGNORECASE)
_DEF = re.compile(r"\s*(?:async\s+)?def\s")
LONGEST_LINE = 2000


def other_values(kept: Kept) -> Iterator[tuple[Assertion, Assertion]]:
    """Yield lines of the test that differ from the replaced ones only in the expected value."""
    for hunk in kept.read.file.hunks:
        if len(hunk.base_lines) != len(hunk.head_lines):
            continue
        for offset, (old, new) in enumerate(zip(hunk.base_lines, hunk.head_lines, strict=True)):
            number = hunk.head_start + offset
            if not kept.after.start <= number <= kept.after.end or max(len(old), len(new)) > LONGEST_LINE:
                continue
            values = _last_value(old, new, is_row=number < _first_line(kept))
            if values is not None:
                before, after = values
                yield (
                    Assertion("", Strength.exact, before, hunk.base_start + offset, old),
                    Assertion("", Strength.exact, after, number, new),
                )


def _last_value(old: str, new: str, *, is_row: bool) -> tuple[str, str] | None:
    """Return the last values of two lines that are equal up to there."""
    before, after = list(_LITERAL.finditer(old)), list(_LITERAL.finditer(new))
    if not before or not after:
        return None
    one, other = before[-1], after[-1]
    start, end = old[: one.start()], old[one.end() :]
    if one.group() == other.group() or (start, end) != (new[: other.start()], new[other.end() :]):
        return None
    # In a table row the expected value comes last, after the inputs.
    is_expected = _EXPECTED.search(start) is not None or (is_row and len(before) > 1)
    return (one.group(), other.group()) if is_expected else None


def _first_line(kept: Kept) -> int:
    """Return the line of a Python test's `def`, after its decorators; 0 in another language."""
    if not kept.read.file.path.endswith(suffixes("python")):
        return 0
    lines = kept.after.source.code_lines
    return next((n for n in range(kept.after.start, kept.after.end + 1) if _DEF.match(lines[n - 1])), 0)
