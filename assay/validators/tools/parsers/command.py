"""Any other command: `make check`, `npm test`, a script. Output of every known tool in it is parsed.

First the report files it wrote (JUnit XML, SARIF, TAP), then each tool's text, then lines that name a place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.validators.report.model import ToolKind
from assay.validators.tools.parsers.text_tool import Look, read_with
from assay.validators.tools.readers.any_format import look_any_format
from assay.validators.tools.readers.gcc_lines import look_gcc_lines
from assay.validators.tools.readers.output import Output, together
from assay.validators.tools.tool import Ran, Reading, Tool


@dataclass(frozen=True, slots=True)
class Command:
    """A command that no other parser recognises, or that starts several tools; `tools` are those it may start."""

    looks: tuple[Look, ...]
    tools: tuple[Tool, ...]
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
        readings = [reading for look in self.looks if (reading := look(output)) is not None]
        if not any(reading.counts.passed or reading.counts.failed for reading in readings):
            readings += [reading for reading in (look_any_format(output),) if reading is not None]
        if not readings and output.exit_code != 0:
            readings += [reading for reading in (look_gcc_lines(output),) if reading is not None]
        return together(readings) if readings else None
