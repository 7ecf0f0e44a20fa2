"""Findings that linters, formatters, type checkers and compilers print as text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from urllib.parse import unquote

from assay.validators.report.model import Finding
from assay.validators.tools.readers.formats import Place, formats
from assay.validators.tools.readers.output import Output, finding, severity_of

_NAMES = {"unformatted": "format", "SyntaxError": "invalid-syntax"}
_ARROW = re.compile(r" *--> (?P<file>[^:]{1,400}):(?P<line>\d{1,7}):\d{1,7}$")
_HEADING = re.compile(r" {0,2}(?P<file>\S[^:]{0,400}?\.\w{1,10})(?::|:\d{1,7}:\d{1,7})?$")
_MAY = re.compile(r"[:(]\d|-->|reformat|\[warn\]|\[error\]|line[ =]\d|^  [✖⚠]|::(?:error|warning) ")
"""Text that a line with a finding has: most lines of a long output have none of it."""
_LINT = re.compile(r"rust-clippy/\S{1,40}index\.html#(\w{2,80})|`(?:#\[\w+\(([\w:]{2,80})\)\]|-[DWF] ([\w:-]{2,80}))`")
_HELP = re.compile(r"help: (.*)")
_BLOCK = 60


def diagnostics(output: Output, tools: Collection[str]) -> Iterator[Finding]:
    """Yield the findings that the given tools printed, in order."""
    chosen = list(formats(tools))
    rows = [(one.name, row) for one in chosen for row in one.places]
    below = [(one.name, row) for one in chosen for row in one.below]
    arrows = [(one.name, row) for one in chosen for row in one.arrows]
    heading: re.Match[str] | None = None
    for index, line in enumerate(output.lines):
        heading = _HEADING.match(line) or heading
        if not _MAY.search(line):
            continue
        following = output.lines[index + 1 : index + 9]
        read = (_read(output, tool, row, row.pattern.match(line), following) for tool, row in rows)
        found = next(filter(None, read), None)
        if found is None and arrows and (arrow := _ARROW.match(line)):
            found = _at_arrow(output, arrows, index, arrow)
        if found is None and heading:
            read = (_read(output, tool, row, row.pattern.match(line), file=heading["file"]) for tool, row in below)
            found = next(filter(None, read), None)
        if found is not None:
            yield found
    if "prettier" in tools and {"-l", "--list-different"} & set(output.words):
        files = (output.places.file(line) for line in output.lines if line)
        yield from (finding("prettier", "format", "would be reformatted", (file, None)) for file in files if file)


def _read(
    output: Output,
    tool: str,
    row: Place,
    match: re.Match[str] | None,
    following: Sequence[str] = (),
    *,
    file: str | None = None,
    lint: str | None = None,
    hint: str | None = None,
) -> Finding | None:
    """Return the finding of a matching line; `file` is its file where the line names none."""
    if match is None:
        return None
    said = match.groupdict()
    path = output.places.file(file or said["file"])
    if path is None or not path.endswith(row.suffixes):
        return None
    rule, message = said.get("first") or said.get("rule") or lint, said.get("message") or row.said
    if not rule:
        more, rule = _rest(row, following)
        message = f"{message.rstrip()} {more}".strip()
    rule = rule or row.rule
    if tool == "annotations":
        message = unquote(message).split("\n")[0]
    if tool == "eslint" and message.startswith("Parsing error"):
        rule = "parse"
    number, end = said.get("line") or said.get("other"), said.get("end")
    return finding(
        tool,
        _NAMES.get(rule, rule),
        message,
        (path, int(number) if number else None),
        severity_of(said.get("severity") or said.get("word") or "error"),
        end_line=int(end) if end else None,
        suggestion=hint,
    )


def _rest(row: Place, following: Sequence[str]) -> tuple[str, str | None]:
    """Return how a message continues on the next lines, and its rule."""
    more: list[str] = []
    for line in takewhile(lambda line: line and not row.pattern.match(line), following):
        if row.later is None or (row.is_joined and line[0].isspace()):
            break
        if match := row.later.match(line):
            return " ".join((*more, match["more"])) if row.is_joined else "", match["rule"]
        more.append(line)
    return "", None


def _at_arrow(output: Output, rows: Sequence[tuple[str, Place]], index: int, arrow: re.Match[str]) -> Finding | None:
    """Return the finding whose head is at most three lines above an arrow; None for an arrow of a note."""
    above = takewhile(lambda line: line and not _ARROW.match(line), reversed(output.lines[max(0, index - 3) : index]))
    heads = ((tool, row, match) for line in above for tool, row in rows if (match := row.pattern.match(line)))
    for tool, row, head in heads:
        block = list(takewhile(str.strip, output.lines[index + 1 : index + _BLOCK]))
        hint = next((found[1] for line in block if (found := _HELP.match(line))), None) if tool == "ruff" else None
        read = _read(output, tool, row, head, file=arrow["file"], lint=_lint(block), hint=hint)
        return replace(read, line=int(arrow["line"])) if read else None
    return None


def _lint(block: Sequence[str]) -> str | None:
    for line in block:
        if match := _LINT.search(line):
            return f"clippy::{match[1]}" if match[1] else (match[2] or match[3]).replace("-", "_")
    return None
