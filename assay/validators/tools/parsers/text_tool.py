"""The most common kind of parser: the tool runs unchanged and its plain output is read.

Requesting another output format can break a run: older versions lack the option, wrappers do not pass it on, and the
log would show JSON. So the tool runs unchanged unless its plain output is not enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.validators.report.model import ToolKind
from assay.validators.tools.readers.agreement import asked
from assay.validators.tools.readers.any_format import look_any_format
from assay.validators.tools.readers.output import Output, could_not_look
from assay.validators.tools.readers.program import program_words
from assay.validators.tools.tool import Ran, Reading

_ABSENT = re.compile(
    r"No module named|command not found|could not determine executable to run|Cannot find module .*[/\\]bin[/\\]"
    r"|Failed to spawn|is not installed|executable file not found|canceled due to missing packages|Command .* not found"
)

Look = Callable[[Output], Reading | None]


@dataclass(frozen=True, slots=True)
class TextTool:
    """A tool known by its program names; `look` reads its output, and returns None if nothing of the tool is in it.

    Where a program does other things too, `only_with` names the words that make it check something (`ruff check`,
    not `ruff server`; `node --test`). `variables` are set for the run. `gave_up` matches the line in which the tool
    refuses, in an output without results (its group, if any, is the reason); its words are too common to search for in
    the output of other tools. `reports` returns the variables that make it write a report into the scratch folder,
    `asking` the words that make it do so or name every test.
    """

    name: str
    kind: ToolKind
    programs: frozenset[str]
    look: Look
    only_with: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    gave_up: re.Pattern[str] | None = None
    reports: Callable[[Path], Mapping[str, str]] | None = None
    asking: Callable[[Sequence[str], Path], Sequence[str]] | None = None

    def recognises(self, words: Sequence[str]) -> bool:
        """Return whether the words start one of the programs."""
        found = program_words(words, self.programs)
        if found is None:
            return False
        needed = self.only_with.get(found[0])
        return needed is None or bool(needed.intersection(_deciding(found[1:])))

    def arguments(self, words: Sequence[str], scratch: Path) -> Sequence[str]:
        """Return the words unchanged, except for options that make the tool name every test or write a report."""
        return tuple(self.asking(words, scratch) if self.asking else words)

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """Return the tool's variables, and those that request its report."""
        return {**self.variables, **(self.reports(scratch) if self.reports else {})}

    def read(self, ran: Ran) -> Reading:
        """Parse the run's results."""
        reading = read_with(self.name, self.look, ran, self.gave_up)
        return asked(reading) if self.reports else reading


def _deciding(words: Sequence[str]) -> Sequence[str]:
    """Yield the options, and the first word that is not one: the subcommand."""
    options = [word for word in words if word.startswith("-")]
    return [*options, *[word for word in words if not word.startswith(("-", "+"))][:1]]


def read_with(name: str, look: Look, ran: Ran, gave_up: re.Pattern[str] | None = None) -> Reading:
    """Return the reading by the tool's own reader, else by a common format, else the reason why there is none."""
    output = Output.of(ran)
    reading = look(output)
    if gave_up is not None and output.exit_code != 0 and (reading is None or not reading.findings):
        refusal = next((match for line in output.lines if (match := gave_up.match(line))), None)
        reading = could_not_look(refusal[1] if gave_up.groups else refusal.string) if refusal else reading
    return output.relative(reading or look_any_format(output) or _unread(name, output))


def _unread(name: str, output: Output) -> Reading:
    """Return the reading of an output without the tool's text: a success passes, a failure checked nothing."""
    if output.exit_code == 0:
        return Reading()
    for line in output.lines[-2000:]:
        if _ABSENT.search(line):
            return could_not_look(f"{name} did not start: {line.strip()}")
    said = next((f": {line.strip()}" for line in output.lines if "rror: " in line), "")
    return could_not_look(f"no result of {name} in the output{said}")
