"""The tools Assay reads: a row a tool. The first that recognises a command reads it; the last reads any output."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from assay.validators.report.model import Counts, ToolKind
from assay.validators.tools.readers.formats import FORMATS, Format
from assay.validators.tools.readers.go_events import OPTION
from assay.validators.tools.readers.junit_xml import junit_reading, parse_junit
from assay.validators.tools.readers.node_reports import node_environment, node_reading
from assay.validators.tools.readers.output import Output, could_not_look
from assay.validators.tools.readers.program import program_words
from assay.validators.tools.readers.pytest_report import pytest_options, pytest_reading
from assay.validators.tools.readers.reading import Report, read, read_lines
from assay.validators.tools.tool import Ran, Reading, Tool

_ABSENT = re.compile(
    r"No module named|command not found|could not determine executable to run|Cannot find module .*[/\\]bin[/\\]"
    r"|Failed to spawn|is not installed|executable file not found|canceled due to missing packages|Command .* not found"
)
_BUN_REPORT = "bun.xml"


@dataclass(frozen=True, slots=True)
class Request:
    """What makes a runner name its tests: variables, words added to its command, and the `report` that it writes."""

    variables: Callable[[Path], Mapping[str, str]] | None = None
    words: Callable[[Sequence[str], Path], Sequence[str]] | None = None
    report: Report | None = None


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool with a format; without programs it is any command, which may start several tools.

    Tools without a `request` run unchanged: an option that a version or a wrapper does not take would break the run.
    """

    format: Format = field(hash=False)
    kind: ToolKind
    request: Request | None = None

    @property
    def name(self) -> str:
        return self.format.name

    def recognises(self, words: Sequence[str]) -> bool:
        """Return whether the words start one of the programs."""
        if not self.format.programs:
            return bool(words)
        found = program_words(words, self.format.programs)
        needed = self.format.only_with.get(found[0]) if found else None
        return found is not None and (needed is None or bool(needed.intersection(_deciding(found[1:]))))

    def arguments(self, words: Sequence[str], scratch: Path) -> Sequence[str]:
        """Return the words unchanged, except for options that make the tool name every test or write a report."""
        return tuple(self.request.words(words, scratch) if self.request and self.request.words else words)

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """Return the variables of the tool; of a command, those of all tools."""
        if not self.format.programs:
            return {name: value for tool in _KNOWN for name, value in tool.environment(scratch).items()}
        asked = self.request.variables(scratch) if self.request and self.request.variables else {}
        return {**self.format.variables, **asked}

    def read(self, ran: Ran) -> Reading:
        """Parse the run's results."""
        output = Output.of(ran)
        tools = (self.name,) if self.format.programs else tuple(tool.name for tool in _KNOWN)
        reading = read(output, tools, _REPORTS)
        if reading is None and not self.format.programs and output.exit_code != 0:
            reading = read_lines(output)
        reading = output.relative(reading or self._unread(output))
        is_missing = self.name in _REPORTS and reading.is_reported is None
        return replace(reading, is_reported=False) if is_missing else reading

    def _unread(self, output: Output) -> Reading:
        """Return the reading of an output without known text: a success passes, a failure checked nothing."""
        if output.exit_code == 0:
            is_linter = self.kind in (ToolKind.lint, ToolKind.types, ToolKind.formatting)
            return Reading(Counts(errors=0, warnings=0) if is_linter else Counts())
        absent = next((line for line in output.lines[-2000:] if _ABSENT.search(line)), None)
        name = self.name if self.format.programs else "the command"
        if absent is not None:
            return could_not_look(f"{name} did not start: {absent.strip()}")
        said = next((f": {line.strip()}" for line in output.lines if "rror: " in line), "")
        return could_not_look(f"no result of {name} in the output{said}")


def _deciding(words: Sequence[str]) -> Sequence[str]:
    """Return the options, and the first word that is not one: the subcommand."""
    options = [word for word in words if word.startswith("-")]
    return [*options, *[word for word in words if not word.startswith(("-", "+"))][:1]]


def _pytest_words(words: Sequence[str], scratch: Path) -> Sequence[str]:
    """Return the words with the report's options last, where they override the project's settings."""
    return words if "--" in words else (*words, *pytest_options(scratch))


def _verbose(words: Sequence[str], _scratch: Path) -> Sequence[str]:
    return words if {"-v", "--verbose", "-q", "--quiet"} & set(words) else (*words, "-v")


def _go_events(words: Sequence[str], _scratch: Path) -> Sequence[str]:
    at = next((index for index, word in enumerate(words) if word == "test" and words[index - 1].endswith("go")), None)
    return words if at is None or OPTION in words else (*words[: at + 1], OPTION, *words[at + 1 :])


def _bun_words(words: Sequence[str], scratch: Path) -> Sequence[str]:
    """Return the words with the report's options after `test`, unless the project chose a reporter."""
    # The folder of `--cwd` may be called like the command.
    ends = (index for index, pair in enumerate(pairwise(("", *words)), 1) if pair[1] == "test" and pair[0] != "--cwd")
    place = next(ends, 0)
    if not place or any(word.startswith("--reporter") for word in words):
        return words
    return (*words[:place], "--reporter=junit", f"--reporter-outfile={scratch / _BUN_REPORT}", *words[place:])


def _bun_reading(output: Output) -> Reading | None:
    cases = parse_junit(output.scratch_report(_BUN_REPORT) or b"")
    if not cases:
        return None
    reading = replace(junit_reading(cases, "bun", output.places), is_reported=True)
    # Older versions report no messages: those printed are shown.
    return reading if any(case.message or case.body for case in cases) else replace(reading, findings=())


def _node_request(name: str) -> Request:
    return Request(node_environment, report=lambda output: node_reading(output, name))


_REQUESTS = {
    "pytest": Request(
        lambda scratch: {"PYTEST_ADDOPTS": shlex.join(pytest_options(scratch))}, _pytest_words, pytest_reading
    ),
    "unittest": Request(words=_verbose),
    **{name: _node_request(name) for name in ("jest", "vitest", "mocha")},
    "bun": Request(words=_bun_words, report=_bun_reading),
    # For a `go test` inside make or a script, where no option can be added.
    "go": Request(lambda _: {"GOFLAGS": f"{os.environ.get('GOFLAGS', '')} -v".strip()}, _go_events),
}
_KNOWN = tuple(KnownTool(one, ToolKind(one.kind), _REQUESTS.get(one.name)) for one in FORMATS if one.programs)
_REPORTS = {tool.name: tool.request.report for tool in _KNOWN if tool.request and tool.request.report}
MEMBERS: tuple[Tool, ...] = (*_KNOWN, KnownTool(Format(name="command"), ToolKind.test))
