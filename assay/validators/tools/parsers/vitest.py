"""vitest: parsed from the JSON report it is asked to write, else from its ordinary output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.parsers.node_reports import node_environment, node_reading
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.agreement import agreed
from assay.validators.tools.readers.json_text import json_values
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Reading

_PART = re.compile(r"(\d{1,9}) (failed|skipped|todo|passed)\b")
_FRAME = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
_RULE = "⎯⎯⎯⎯"


def look(output: Output) -> Reading | None:
    """Return the report's results, else those in the output."""
    return agreed(node_reading(output, "vitest"), _printed(output))


def _printed(output: Output) -> Reading | None:
    """Parse the output of the default reporters, or JSON where the project requests it."""
    totals = [line for line in output.lines if line.startswith("      Tests  ")]
    if not totals:
        return _without_totals(output)
    sums: dict[str, int] = {}
    for line in totals:
        for num, kind in _PART.findall(line):
            sums[kind] = sums.get(kind, 0) + int(num)
    unhandled = sum(int(line.split()[1]) for line in output.lines if re.match(r" {5}Errors {2}\d{1,9} error", line))
    counts = Counts(
        sums.get("passed", 0), sums.get("failed", 0), sums.get("skipped", 0) + sums.get("todo", 0), unhandled
    )
    findings = tuple(dict.fromkeys(_failures(output)))[:MOST_FINDINGS]
    broken = next((found for found in findings if found.rule == "test_error"), None)
    if broken is not None:
        return could_not_look(f"could not load {broken.file or 'a test file'}", findings, counts)
    if not sums:
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings)


def _without_totals(output: Output) -> Reading | None:
    if any(line.startswith("No test files found, exiting with code") for line in output.lines):
        return could_not_look("no tests ran")
    if '"numTotalTests"' in output.text:
        for value in json_values(output.text):
            if is_jest_json(value):
                return jest_json_reading(value, "vitest", output.places)
    return None


def _failures(output: Output) -> Iterator[Finding]:
    lines = output.lines
    for index, line in enumerate(lines):
        if not line.startswith(" FAIL "):
            continue
        reported, name = _failed(line)
        details = _details(lines, index + 1)
        said = next((text.strip() for text in details if text.strip()), "failed")
        file = output.places.file(reported) or ""
        frames = list(output.places.frames("\n".join(text for text in details if _FRAME in text)))
        own = next((number for name, number in frames if name == file), None)
        if not name:
            yield finding("vitest", "test_error", f"could not be loaded: {said}", (file, own), context=file)
        else:
            yield finding("vitest", "test_failed", f"{name}: {said}", (file, own), context=name)


def _failed(line: str) -> tuple[str, str]:
    """Return (file, test name) of ` FAIL  |project| file > suite > test`; no name for ` FAIL  file [ file ]`."""
    rest = line.removeprefix(" FAIL ").strip()
    if rest.startswith("|"):
        rest = rest[1:].partition("|")[2].strip()
    file, _, name = rest.partition(" > ")
    return file.partition(" [ ")[0].strip(), name.replace(" > ", " ").strip()


def _details(lines: Sequence[str], start: int) -> list[str]:
    """Return the lines up to the next rule; consecutive `FAIL` lines of equal failures share them."""
    details = takewhile(lambda line: not line.startswith(_RULE), lines[start : start + 300])
    return [line for line in details if not line.startswith(" FAIL ")]


vitest = TextTool("vitest", ToolKind.test, frozenset(("vitest",)), look, reports=node_environment)
