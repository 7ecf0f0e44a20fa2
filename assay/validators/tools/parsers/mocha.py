"""mocha: parsed from the JSON report it is asked to write, else from its spec, dot and list reporters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.node_reports import node_environment, node_reading
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.agreement import agreed
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Reading

_TOTAL = re.compile(r" {2}(\d{1,9}) (passing|pending|failing)(?: \([\d.]{1,12}(?:ms|s|m|h)\))?$")
_NUMBERED = re.compile(r" {2}\d{1,6}\) (\S.*)")


def look(output: Output) -> Reading | None:
    """Return the report's results, else those in the output."""
    return agreed(node_reading(output, "mocha"), _printed(output))


def _printed(output: Output) -> Reading | None:
    """Parse counts from the closing lines, failing tests from the numbered list below them."""
    totals = [(index, match) for index, line in enumerate(output.lines) if (match := _TOTAL.match(line))]
    if not any(match[2] == "passing" for _, match in totals):
        return None
    kinds = ("passing", "failing", "pending")
    sums = {kind: sum(int(match[1]) for _, match in totals if match[2] == kind) for kind in kinds}
    counts = Counts(sums["passing"], sums["failing"], sums["pending"])
    findings = tuple(_failures(output, totals[-1][0] + 1))[:MOST_FINDINGS]
    if not sum(sums.values()):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings)


def _failures(output: Output, start: int) -> Iterator[Finding]:
    lines = output.lines[start:]
    for index, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match is None:
            continue
        title, details = _split(match[1], lines[index + 1 : index + 200])
        said = next((words.strip() for words in details if words.strip()), "failed")
        frames = list(output.places.frames("\n".join(details)))
        # The trace leads out of the code into the test: the last place is the test's.
        place = frames[-1] if frames else ("", None)
        yield finding("mocha", "test_failed", f"{title}: {said}", place, context=title)


def _split(first: str, following: Sequence[str]) -> tuple[str, list[str]]:
    """Return (title, message): a title continues over indented lines until one ends with a colon."""
    title = [first]
    rest = list(following)
    while not title[-1].endswith(":") and rest and rest[0].strip() and len(title) < 20:
        title.append(rest.pop(0).strip())
    details = takewhile(lambda line: not _NUMBERED.match(line), rest)
    return " ".join(title).removesuffix(":"), list(details)


mocha = TextTool("mocha", ToolKind.test, frozenset(("mocha", "_mocha")), look, reports=node_environment)
