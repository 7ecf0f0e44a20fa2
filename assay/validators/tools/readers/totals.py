"""Totals that test runners print."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from assay.validators.report.model import Counts
from assay.validators.tools.readers.formats import formats
from assay.validators.tools.readers.output import Output

_KINDS = {
    **dict.fromkeys(("passed", "pass", "passing", "xpassed"), "passed"),
    **dict.fromkeys(("failed", "fail", "failing", "failures", "cancelled", "unexpected successes"), "failed"),
    **dict.fromkeys(("skipped", "skip", "todo", "pending", "ignored", "xfailed", "expected failures"), "skipped"),
    **dict.fromkeys(("error", "errors"), "errors"),
    **dict.fromkeys(("warning", "warnings"), "warnings"),
}
_PAIR = re.compile(r"(?P<num>\d{1,9}) (?P<kind>[a-z]{4,15})|(?P<before>[a-z ]{3,25}|Ran)[= ](?P<number>\d{1,9})")
_RERUN = re.compile(r"=.{0,400}?\b(\d{1,9}) reruns?\b")
_ANNOUNCED = re.compile(r"running (\d{1,9}) tests?$")


def printed_totals(output: Output, tools: Collection[str]) -> dict[str, Counts]:
    """Return the sums of the totals of each runner that printed any."""
    sums: dict[str, dict[str, int]] = {}
    chosen = (one for one in formats(tools) if one.needs in output.text)
    rows = [(one.name, pattern) for one in chosen for pattern in one.totals]
    for line in output.lines if rows else ():
        for tool, pattern in rows:
            if match := pattern.match(line):
                of_tool = sums.setdefault(tool, defaultdict(int))
                for kind, num in _pairs(match[1] or ""):
                    of_tool[kind] += num
    return {tool: _counts(tool, of_tool) for tool, of_tool in sums.items()}


def num_retried(output: Output) -> int:
    """Return how many tests ran again after a failure, as plugins of pytest count them."""
    return sum(int(match[1]) for line in output.lines if "rerun" in line and (match := _RERUN.match(line)))


def cut_short(output: Output, counts: Counts) -> str | None:
    """Return why cargo's results are incomplete: a test program ended before its summary, whatever its exit code."""
    announced = sum(int(match[1]) for line in output.lines if (match := _ANNOUNCED.match(line)))
    reported = sum((counts.passed or 0, counts.failed or 0, counts.skipped or 0))
    return f"a test program ended early: {reported} of {announced} tests are reported" if reported < announced else None


def _pairs(said: str) -> list[tuple[str, int]]:
    found = []
    for match in _PAIR.finditer(said):
        word, num = match["kind"] or match["before"].strip(), match["num"] or match["number"]
        kind = "ran" if word == "Ran" else _KINDS.get(word)
        found += [(kind, int(num))] if kind else []
    return found


def _counts(tool: str, sums: dict[str, int]) -> Counts:
    bad = sums["failed"] + sums["skipped"] + sums["errors"]
    passed = max(0, sums["ran"] - bad) if tool == "unittest" else sums["passed"]
    # bun counts an error outside of tests as a failed test too.
    failed = max(0, sums["failed"] - sums["errors"]) if tool == "bun" else sums["failed"]
    warnings = sums["warnings"] if tool == "pytest" else None
    return Counts(passed, failed, sums["skipped"], sums["errors"], warnings)
