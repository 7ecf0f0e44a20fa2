"""jest 20 and newer: parsed from its JSON report, else from its ordinary output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.parsers.node_reports import node_environment, node_reading
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.agreement import agreed
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Reading

_PART = re.compile(r"(\d{1,9}) (failed|skipped|todo|passed|total)$")
_BULLET = re.compile(r" {2}● (.{1,1000})$")
_FILE = ("FAIL ", "PASS ")
_SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_NOT_TESTS = frozenset(("Console",))
_NOT_LOADED = "Test suite failed to run"


def look(output: Output) -> Reading | None:
    """Return the report's results, else those in the output."""
    reading, printed = node_reading(output, "jest"), _printed(output)
    if reading is None:
        value = json_of(output.named_report("--outputFile") or b"")
        reading = jest_json_reading(value, "jest", output.places) if is_jest_json(value) else None
    return agreed(reading, printed)


def _printed(output: Output) -> Reading | None:
    sums: dict[str, int] = {}
    for line in output.lines:
        if line.startswith("Tests:  "):
            for part in line[6:].split(","):
                match = _PART.match(part.strip())
                if match:
                    sums[match[2]] = sums.get(match[2], 0) + int(match[1])
    if not sums:
        nothing = next((line for line in output.lines if line.startswith("No tests found, exiting with code")), None)
        return could_not_look("no tests ran") if nothing else None
    counts = Counts(sums.get("passed", 0), sums.get("failed", 0), sums.get("skipped", 0) + sums.get("todo", 0))
    findings = tuple(dict.fromkeys(_failures(output)))[:MOST_FINDINGS]
    broken = next((found for found in findings if found.rule == "test_error"), None)
    if broken is not None:
        return could_not_look(f"could not load {broken.file or 'a test file'}", findings, counts)
    if not sums.get("total"):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings)


def _failures(output: Output) -> Iterator[Finding]:
    """Yield each `● name` below a `FAIL file`."""
    file: str | None = None
    lines = output.lines
    for index, line in enumerate(lines):
        if line.startswith(_FILE):
            file = (output.places.file(_test_file(line)) or "") if line.startswith("FAIL") else None
            continue
        bullet = _BULLET.match(line) if file is not None else None
        if bullet is None or file is None or bullet[1] in _NOT_TESTS:
            continue
        details = _details(lines, index + 1)
        said = next((text.strip() for text in details if text.strip()), "failed")
        frames = list(output.places.frames("\n".join(details)))
        own = next((number for name, number in frames if name == file), None)
        place = (file, own) if file else frames[0] if frames else ("", None)
        if bullet[1] == _NOT_LOADED:
            yield finding("jest", "test_error", f"could not be loaded: {said}", place, context=file)
        else:
            name = bullet[1].replace(_SEPARATOR, " ")
            yield finding("jest", "test_failed", f"{name}: {said}", place, context=name)


def _test_file(line: str) -> str:
    """Return the file of `FAIL test/cart.test.js` or `FAIL server test/cart.test.js (5.1 s)`."""
    return line.partition(" (")[0].split()[-1]


def _details(lines: Sequence[str], start: int) -> list[str]:
    ends = (*_FILE, "Test Suites:", "Summary of all failing")
    following = lines[start : start + 200]
    return list(takewhile(lambda line: not _BULLET.match(line) and not line.startswith(ends), following))


jest = TextTool("jest", ToolKind.test, frozenset(("jest",)), look, reports=node_environment)
