"""The JUnit XML that pytest is asked to write, with files and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.validators.tools.readers.junit_xml import Case, context_of, junit_reading, parse_junit
from assay.validators.tools.readers.output import MOST_FINDINGS, Output
from assay.validators.tools.readers.places import MOST_LINES, Places
from assay.validators.tools.tool import Reading

_REPORT = "pytest.xml"


def pytest_options(scratch: Path) -> list[str]:
    """Return the options that make pytest write the report."""
    return [f"--junitxml={scratch / _REPORT}", "-o", "junit_family=xunit1"]


def pytest_reading(output: Output) -> Reading | None:
    """Return the results in the report, or in the one that the command itself names; None without one."""
    asked_for = output.scratch_report(_REPORT)
    reported = asked_for or output.named_report("--junitxml") or output.named_report("--junit-xml")
    cases = parse_junit(reported) if reported else None
    if cases is None:
        return None
    # pytest's report counts lines from 0.
    cases = [replace(case, line=None if case.line is None else case.line + 1) for case in cases]
    raised_in = dict(_raised_in(cases, output.places))
    return replace(junit_reading(cases, "pytest", output.places), is_reported=bool(asked_for), raised_in=raised_in)


def _raised_in(cases: Sequence[Case], places: Places) -> Iterator[tuple[str, str]]:
    """Yield the context of each failing test with the file of its last frame: pytest shows the innermost last."""
    for case in [case for case in cases if case.outcome == "failure"][:MOST_FINDINGS]:
        trace = "\n".join(case.body.split("\n")[-MOST_LINES:])
        files = [file for file, _ in places.frames(trace)]
        if files:
            yield context_of(case), files[-1]
