"""prettier --check: files it would reformat, and files it cannot parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading
from assay.validators.tools.tool import Reading

_ERROR = re.compile(r": (\w{0,60}Error: .*)")
_PLACE = re.compile(r" \((\d{1,7}):\d{1,7}\)$")
_CLOSING = (
    "All matched files use Prettier code style",
    "[warn] Code style issues",
    "Code style issues",
    "Error occurred when checking code style",
)


def look(output: Output) -> Reading | None:
    """Return one finding for each file."""
    findings = list(_findings(output))
    nothing = next((line for line in output.lines if line.startswith("[error] No files matching the pattern")), None)
    if nothing is not None and not findings:
        return could_not_look(nothing.removeprefix("[error] "))
    if not findings and not any(line.startswith(_CLOSING) for line in output.lines):
        return None
    return lint_reading(findings)


def _findings(output: Output) -> Iterator[Finding]:
    listing = any(word in ("-l", "--list-different") for word in output.words)
    for line in output.lines:
        if line.startswith("[warn] ") or (listing and line and not line.startswith("[")):
            file = output.places.file(line.removeprefix("[warn] "))
            if file is not None:
                yield finding("prettier", "format", "would be reformatted", (file, None))
        elif line.startswith("[error] ") and (match := _ERROR.search(line)):
            file = output.places.file(line[len("[error] ") : match.start()])
            place = _PLACE.search(line[-30:])
            if file is not None:
                message = match[1].removesuffix(place[0]) if place else match[1]
                yield finding("prettier", "invalid-syntax", message, (file, int(place[1]) if place else None))


prettier = TextTool(
    "prettier", ToolKind.formatting, frozenset(("prettier",)), look, gave_up=re.compile(r"\[error\] (.*)")
)
