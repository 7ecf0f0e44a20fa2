"""`file:line:column: message`, the format of compilers and many linters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_PLACE = re.compile(r":(\d{1,7})(?::\d{1,7})?:? ")
_SEVERITY = re.compile(r"(?:fatal )?(error|warning|note|info|style)\b:? *", re.IGNORECASE)
_CODE_FIRST = re.compile(r"\[?([A-Z]{1,8}-?\d{2,6})\]?:? +(.*)")
_CODE = re.compile(r"[\w@/.:-]{2,80}")


def look_gcc_lines(output: Output) -> Reading | None:
    """Return the messages with a place in the repository; None where there are none."""
    findings = list(_findings(output))
    return lint_reading(findings) if findings else None


def _findings(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        match = _PLACE.search(line)
        if match is None or match.start() == 0 or line[0] in " \t":
            continue
        file = output.places.file(line[: match.start()])
        message = line[match.end() :].strip()
        if file is None or not message:
            continue
        said = _SEVERITY.match(message)
        severity = severity_of(said[1] if said else "error")
        message = message[said.end() :] if said else message
        first = _CODE_FIRST.match(message)
        rule = first[1] if first else _code_at_end(message) or "message"
        yield finding("lines", rule, first[2] if first else message, (file, int(match[1])), severity)


def _code_at_end(message: str) -> str:
    """Return the rule of `message [rule]` or `message (rule)`, "" where there is none."""
    rest = message.rstrip(". ")
    code = rest[max(rest.rfind("["), rest.rfind("(")) + 1 : -1] if rest.endswith(("]", ")")) else ""
    return code if _CODE.fullmatch(code) else ""
