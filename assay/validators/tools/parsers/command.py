"""Any other command: `make check`, `npm test`, a script. Output of every known tool in it is parsed.

First the report files it wrote (JUnit XML, SARIF, TAP), then each tool's text, then lines that name a place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool, read_with
from assay.validators.tools.readers.any_format import look_any_format
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of, together
from assay.validators.tools.tool import Ran, Reading

_PLACE = re.compile(r":(\d{1,7})(?::\d{1,7})?:? ")
_SEVERITY = re.compile(r"(?:fatal )?(error|warning|note|info|style)\b:? *", re.IGNORECASE)
_CODE_FIRST = re.compile(r"\[?([A-Z]{1,8}-?\d{2,6})\]?:? +(.*)")
_CODE = re.compile(r"[\w@/.:-]{2,80}")


@dataclass(frozen=True, slots=True)
class Command:
    """A command that no other parser recognises, or that starts several tools; `tools` are those it may start."""

    tools: tuple[TextTool, ...]
    name: str = "command"
    kind: ToolKind = ToolKind.test

    def recognises(self, words: Sequence[str]) -> bool:
        """Return True: this parser is last in the register."""
        return bool(words)

    def arguments(self, words: Sequence[str], scratch: Path) -> Sequence[str]:  # noqa: ARG002
        """Return the words unchanged."""
        return tuple(words)

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """Return the variables of all tools, since any of them may be started."""
        return {name: value for tool in self.tools for name, value in tool.environment(scratch).items()}

    def read(self, ran: Ran) -> Reading:
        """Return the combined reading of all tools."""
        return read_with("the command", self._look, ran)

    def _look(self, output: Output) -> Reading | None:
        readings = [reading for tool in self.tools if (reading := tool.look(output)) is not None]
        if not any(reading.counts.passed or reading.counts.failed for reading in readings):
            found = look_any_format(output)
            readings += [found] if found else []
        if not readings and output.exit_code != 0:
            return _look_gcc_lines(output)
        return together(readings) if readings else None


def _look_gcc_lines(output: Output) -> Reading | None:
    """Return compiler-style messages (`file:line:column: message`) with a place in the repository, or None."""
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
