"""Why a tool checked nothing, or not all, as it prints it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.validators.report.model import Finding, Severity
from assay.validators.tools.readers.formats import NotChecked, formats
from assay.validators.tools.readers.output import Output

_FOLLOWING = 40


def why_not_checked(output: Output, tools: Collection[str], findings: Sequence[Finding]) -> str | None:
    """Return why the tools did not check everything; None where they print nothing of the kind."""
    is_one = len(tools) == 1
    may_be_plain = is_one and output.exit_code != 0 and not findings
    chosen = list(formats(tools))
    rows = [
        row
        for one in chosen
        for row in one.not_checked
        if (may_be_plain or not row.plain) and (row.unless is None or row.unless not in output.text)
    ]
    first: tuple[int, str] | None = None
    for index, line in enumerate(output.lines if rows else ()):
        at = next(
            (at for at, row in enumerate(rows) if (first is None or at < first[0]) and row.line.match(line)), None
        )
        if at is not None:
            first = at, _reason(rows[at], index, output.lines)
    if first is not None:
        return first[1]
    for one in chosen:
        errors = [found.rule for found in findings if found.tool == one.name and found.severity is Severity.error]
        if errors and one.unready.issuperset(errors):
            return f"{one.name} finds no imported module: is the environment ready?"
    return None


def _reason(row: NotChecked, index: int, lines: Sequence[str]) -> str:
    line = lines[index]
    match = row.line.match(line)
    following = lines[index if row.then and row.then.match(line) else index + 1 : index + _FOLLOWING]
    then = next((found[1] for one in following if row.then and (found := row.then.match(one))), "")
    return row.reason.format(line=line.strip(), then=then.strip(), **(match.groupdict() if match else {})).strip()
