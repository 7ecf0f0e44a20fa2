"""prettier --check: which files are not as it would write them, and which it cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report import Finding, ToolKind
from assay.validators.tools.members.text_tool import TextTool
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading
from assay.validators.tools.tool import Reading

_ERROR = re.compile(r"\[error\] (.{1,1000}?): (\w*Error: .{1,600}?)(?: \((\d{1,7}):\d{1,7}\))?$")
_CLOSING = (
    "All matched files use Prettier code style",
    "[warn] Code style issues",
    "Code style issues",
    "Error occurred when checking code style",
)


def look(output: Output) -> Reading | None:
    """One finding for each file."""
    findings = list(_findings(output))
    nothing = next((line for line in output.lines if line.startswith("[error] No files matching the pattern")), None)
    if nothing is not None and not findings:
        return could_not_look(nothing.removeprefix("[error] "))
    if not findings and not any(line.startswith(_CLOSING) for line in output.lines):
        return None
    return lint_reading(findings)


def _gave_up(output: Output) -> str | None:
    return next((line.removeprefix("[error] ") for line in output.lines if line.startswith("[error] ")), None)


def _findings(output: Output) -> Iterator[Finding]:
    listing = any(word in ("-l", "--list-different") for word in output.words)
    for line in output.lines:
        if line.startswith("[warn] ") or (listing and line and not line.startswith("[")):
            file = output.places.file(line.removeprefix("[warn] "))
            if file is not None:
                yield finding("prettier", "format", "would be reformatted", (file, None))
        elif line.startswith("[error] ") and (match := _ERROR.match(line)):
            file = output.places.file(match[1])
            if file is not None:
                yield finding("prettier", "invalid-syntax", match[2], (file, int(match[3]) if match[3] else None))


prettier = TextTool("prettier", ToolKind.formatting, frozenset(("prettier",)), look, gave_up=_gave_up)
