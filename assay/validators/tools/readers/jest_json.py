"""The JSON report of jest, also written by vitest and mocha."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.validators.io.json_parts import dicts, text
from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.output import MOST_FINDINGS, could_not_look, finding, first_line
from assay.validators.tools.readers.places import Places
from assay.validators.tools.tool import Ended, Reading, TestId

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_BOTH = re.compile(r"Expected: (.{1,2000}?)\n\s*Received: (.{1,2000}?)(?=\n\s*\n|\n\s+at |\Z)", re.DOTALL)
_STATES = {"passed": Ended.passed, "failed": Ended.failed}


def is_jest_json(value: Any) -> bool:
    """Return whether a JSON value is such a report."""
    return isinstance(value, dict) and "numTotalTests" in value and isinstance(value.get("testResults"), list)


def jest_json_reading(value: Any, tool: str, places: Places) -> Reading:
    """Return counts and failing tests of such a report."""
    suites = list(dicts(value["testResults"]))
    # Counted from the tests: vitest 1 counts a file that could not be loaded as passed.
    states = [text(test.get("status")) for suite in suites for test in dicts(suite.get("assertionResults"))]
    passed, failed = states.count("passed"), states.count("failed")
    counts = Counts(passed, failed, len(states) - passed - failed)
    findings = tuple(found for suite in suites for found in _failures(suite, tool, places))[:MOST_FINDINGS]
    tests: dict[TestId, Ended] = {}
    for test, ended in _tests(suites, places):
        tests[test] = Ended.failed if Ended.failed in (ended, tests.get(test)) else ended
    retried = sum(_num_retries(test) for suite in suites for test in dicts(suite.get("assertionResults")))
    broken = [suite for suite in suites if _is_broken(suite)]
    if broken:
        name = text(broken[0].get("name")) or "a test file"
        unread = could_not_look(f"could not load {places.file(name) or name}", findings, counts)
        return replace(unread, tests=tests, num_retried=retried)
    if not states:
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings, tests=tests, num_retried=retried)


def _tests(suites: Sequence[dict[str, Any]], places: Places) -> Iterator[tuple[TestId, Ended]]:
    for suite in suites:
        name = text(suite.get("name"))
        file = places.file(name) or ""
        for test in dicts(suite.get("assertionResults")):
            groups = test.get("ancestorTitles")
            titles = [*(groups if isinstance(groups, list) else ()), test.get("title")]
            state = _STATES.get(text(test.get("status")), Ended.skipped)
            yield (file, " > ".join(text(title) for title in titles if text(title))), state


def _num_retries(test: dict[str, Any]) -> int:
    """Return how often a test was run again: jest counts its runs."""
    runs = test.get("invocations")
    return max(0, runs - 1) if isinstance(runs, int) else 0


def _is_broken(suite: dict[str, Any]) -> bool:
    return suite.get("status") == "failed" and not suite.get("assertionResults")


def _failures(suite: dict[str, Any], tool: str, places: Places) -> Iterator[Finding]:
    file = places.file(text(suite.get("name"))) or ""
    if _is_broken(suite):
        said = text(suite.get("message"))
        lines = [line for line in said.splitlines() if line.strip() and "Test suite failed to run" not in line]
        yield finding(
            tool, "test_error", f"could not be loaded: {first_line(chr(10).join(lines))}", (file, None), context=file
        )
    for test in dicts(suite.get("assertionResults")):
        if test.get("status") != "failed":
            continue
        said = "\n".join(text(message) for message in test.get("failureMessages") or () if isinstance(message, str))
        frames = list(places.frames(said))
        line = next((frame[1] for frame in frames if frame[0] == file), None)
        place = (file, line) if file else frames[0] if frames else ("", None)
        name = text(test.get("fullName")) or text(test.get("title"))
        message = f"{name}: {first_line(said) or 'failed'}{_values(said)}"
        yield finding(tool, "test_failed", message, place, context=name)


def _values(said: str) -> str:
    """Return both values, where jest prints them below its message."""
    plain = _ESCAPES.sub("", said[:20_000])
    found = _BOTH.search(plain)
    if found is None:
        return ""
    expected, received = (" ".join(value.split())[:200] for value in found.groups())
    return f" (expected {expected}, received {received})"
