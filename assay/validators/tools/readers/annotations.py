"""Workflow commands of GitHub Actions (`::error file=a.py,line=3::words`), which many tools can print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from assay.validators.report.model import Finding, Severity
from assay.validators.tools.readers.json_text import number
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_COMMAND = re.compile(r"::(error|warning|notice) ([^:]{0,1500}?)::(.*)")


def look_annotations(output: Output) -> Reading | None:
    """Return the errors and warnings; None where there are none with a place in the repository."""
    findings = list(_findings(output)) if "::error " in output.text or "::warning " in output.text else []
    return lint_reading(findings) if findings else None


def _findings(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        match = _COMMAND.match(line)
        if match is None or match[1] == "notice":
            continue
        settings = dict(part.split("=", 1) for part in match[2].split(",") if "=" in part)
        file = output.places.file(unquote(settings.get("file", "")))
        if file is None:
            continue
        first, last = (number(settings.get(key)) for key in ("line", "endLine"))
        title = settings.get("title", "")
        code = re.search(r"\(([\w./-]{2,60})\)", title[:200])
        severity: Severity = severity_of(match[1])
        message = unquote(match[3]).split("\n")[0]
        rule = code[1] if code else title or "annotation"
        yield finding("annotations", rule, message, (file, first), severity, end_line=last)
