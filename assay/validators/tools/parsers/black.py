"""black --check: files it would reformat, and files it cannot parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading
from assay.validators.tools.tool import Reading

_CLOSING = re.compile(r"\d+ files? would (be reformatted|be left unchanged|fail to reformat)|All done! |Oh no! ")
_PLACE = re.compile(r"(.*?):(\d{1,7}):\d{1,7}$")


def look(output: Output) -> Reading | None:
    """Return one finding for each file."""
    findings = list(_findings(output))
    if not findings and not any(_CLOSING.match(line) or "file would be left" in line for line in output.lines):
        return None
    if any("No Python files are present to be formatted" in line for line in output.lines):
        return could_not_look("no Python files found")
    return lint_reading(findings)


def _findings(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        if line.startswith("would reformat "):
            file = output.places.file(line.removeprefix("would reformat "))
            if file is not None:
                yield finding("black", "format", "would be reformatted", (file, None))
        elif line.startswith("error: cannot "):
            yield from _unreadable(output, line)


def _unreadable(output: Output, line: str) -> Iterator[Finding]:
    """Parse `error: cannot parse: FILE:1:6` (26 and newer) or `error: cannot format FILE: Cannot parse: 1:6: …`."""
    rest = re.sub(r"^error: cannot (parse|format):? ", "", line)
    path, _, said = rest.partition(": ")
    place = _PLACE.match(path)
    number = place[2] if place else next(iter(re.findall(r"(\d{1,7}):\d", said[:100])), "")
    file = output.places.file(place[1] if place else path)
    if file is not None:
        yield finding("black", "invalid-syntax", said or "cannot be parsed", (file, int(number) if number else None))


black = TextTool("black", ToolKind.formatting, frozenset(("black",)), look, gave_up=re.compile("Error: "))
