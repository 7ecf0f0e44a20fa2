"""golangci-lint's JSON."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.report.model import Finding
from assay.validators.tools.readers.json_text import dicts, inner, json_values, number, text
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading


def look_golangci_json(output: Output) -> Reading | None:
    """Return its issues; None where the output has no such report."""
    if '"Issues"' not in output.text or '"FromLinter"' not in output.text:
        return None
    return lint_reading(_findings(output))


def _findings(output: Output) -> Iterator[Finding]:
    for value in json_values(output.text):
        for issue in dicts(inner(value, "Issues")):
            file = output.places.file(text(inner(issue, "Pos", "Filename")))
            if file is not None:
                place = (file, number(inner(issue, "Pos", "Line")))
                severity = severity_of(issue.get("Severity") or "error")
                yield finding("golangci-lint", text(issue.get("FromLinter")), text(issue.get("Text")), place, severity)
