"""tsc and vue-tsc: plain and pretty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_PLAIN = re.compile(r"\((\d{1,7}),\d{1,7}\): (error|warning) (TS\d{1,6}): (.*)")
_PRETTY = re.compile(r":(\d{1,7}):\d{1,7} - (error|warning) (TS\d{1,6}): (.*)")
_PLACELESS = re.compile(r"error (TS\d{1,6}): (.*)")
_MODULES = frozenset(("TS2307", "TS2688", "TS7016", "TS2792"))
"""Errors of an environment without packages: no module, type library or declaration file found."""


def look(output: Output) -> Reading | None:
    """Return the errors of the repository's own files; an error without a place means a bad configuration."""
    findings = list(_findings(output))
    placeless = next((match for line in output.lines if (match := _PLACELESS.match(line))), None)
    if placeless is not None:
        return could_not_look(f"{placeless[1]}: {placeless[2]}", findings)
    if not findings:
        if re.search(r": error TS\d|- error TS\d", output.text):
            return could_not_look("all errors lie outside the repository: the environment is not ready")
        return None
    if all(found.rule in _MODULES for found in findings):
        return lint_reading(findings, looked=False, reason="tsc finds no imported module: is the environment ready?")
    return lint_reading(findings)


def _findings(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        match = (_PLAIN.search(line) or _PRETTY.search(line)) if " TS" in line else None
        file = output.places.file(line[: match.start()]) if match else None
        if match is not None and file is not None:
            yield finding("tsc", match[3], match[4], (file, int(match[1])), severity_of(match[2]))


tsc = TextTool("tsc", ToolKind.types, frozenset(("tsc", "vue-tsc", "tspc")), look)
