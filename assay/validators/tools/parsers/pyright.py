"""pyright and basedpyright: text and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, Severity, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import dicts, inner, json_values, number, text
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_LINE = re.compile(r":(\d{1,7}):\d{1,7} - (error|warning): (.*)")
_RULE = re.compile(r"\((report\w{1,80})\)\s*$")
_CLOSING = re.compile(r"\d+ errors?, \d+ warnings?, \d+ (informations?|notes?)")
_NO_LOOK = re.compile(
    r"No source files found|File or directory \".{1,900}\" does not exist"
    r"|.{0,200}[Cc]onfig file .{1,500} (?:could not be|not found)"
)


def look(output: Output) -> Reading | None:
    """Return the errors and warnings; if all are missing modules, report that the tree was not prepared for it."""
    findings = [*_printed(output), *_json(output)]
    closed = any(_CLOSING.match(line) for line in output.lines) or '"generalDiagnostics"' in output.text
    if not findings and not closed:
        return None
    errors = [found for found in findings if found.severity is Severity.error]
    if errors and all(found.rule == "reportMissingImports" for found in errors):
        return lint_reading(
            findings, looked=False, reason="pyright finds no imported module: is the environment ready?"
        )
    return lint_reading(findings)


def _printed(output: Output) -> Iterator[Finding]:
    lines = output.lines
    for index, line in enumerate(lines):
        match = _LINE.search(line)
        file = output.places.file(line[: match.start()].strip()) if match else None
        if match is None or file is None:
            continue
        message = match[3]
        rule = _RULE.search(message)
        for later in lines[index + 1 : index + 30]:
            # The rest of a message is indented deeper than where it begins.
            if rule or not later[:3].isspace() or _LINE.search(later):
                break
            rule = _RULE.search(later)
        said = _RULE.sub("", message).rstrip()
        yield finding("pyright", rule[1] if rule else "pyright", said, (file, int(match[1])), severity_of(match[2]))


def _json(output: Output) -> Iterator[Finding]:
    if '"generalDiagnostics"' not in output.text:
        return
    for value in json_values(output.text):
        for entry in dicts(inner(value, "generalDiagnostics")):
            severity = severity_of(entry.get("severity"))
            file = output.places.file(text(entry.get("file")))
            if file is None or severity is Severity.info:
                continue
            line, end_line = (number(inner(entry, "range", end, "line")) for end in ("start", "end"))
            yield finding(
                "pyright",
                text(entry.get("rule")) or "pyright",
                text(entry.get("message")).split("\n")[0],
                (file, None if line is None else line + 1),
                severity,
                end_line=None if end_line is None else end_line + 1,
            )


pyright = TextTool("pyright", ToolKind.types, frozenset(("pyright", "basedpyright")), look, gave_up=_NO_LOOK)
