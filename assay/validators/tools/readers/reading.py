"""Reading of a run: the report a runner was asked for, its printed totals and tests, and printed findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.diagnostics import diagnostics
from assay.validators.tools.readers.failed_tests import failed_tests
from assay.validators.tools.readers.formats import LINES
from assay.validators.tools.readers.go_tests import go_reading
from assay.validators.tools.readers.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.readers.json_diagnostics import is_sarif, json_diagnostics, sarif_reading
from assay.validators.tools.readers.json_text import json_of, json_values
from assay.validators.tools.readers.junit_xml import Case, junit_reading, parse_junit
from assay.validators.tools.readers.named_tests import (
    cargo_names,
    names_of,
    spec_points,
    tap_failures,
    tap_points,
    tap_totals,
    unittest_names,
)
from assay.validators.tools.readers.not_checked import why_not_checked
from assay.validators.tools.readers.output import Output, could_not_look, lint_reading, together
from assay.validators.tools.readers.totals import cut_short, num_retried, printed_totals
from assay.validators.tools.tool import Ended, Reading, TestId

Report = Callable[[Output], Reading | None]
NO_TESTS = "no tests ran"


def read(output: Output, tools: Collection[str], reports: Mapping[str, Report]) -> Reading | None:
    """Return what the given tools printed or wrote; None where they printed nothing that is known."""
    tests = _tests(output, tools, reports)
    findings = [*diagnostics(output, tools), *json_diagnostics(output, tools)]
    why = why_not_checked(output, tools, findings)
    # Programs tested by go log in the form of its compiler, which so cannot be counted.
    logged = tuple(one for one in findings if one.tool == "go" and "go" in tests)
    counted = [one for one in findings if one.tool != "go" or "go" not in tests]
    every = [*tests.values(), *([Reading(findings=logged)] if logged else [])]
    every += [lint_reading(counted)] if counted else []
    may_have_more = len(tools) > 1 or not every
    if may_have_more and not any(one.counts.passed or one.counts.failed for one in tests.values()):
        every += filter(None, [_any_format(output)])
    if not every:
        return could_not_look(why) if why else None
    reading = every[0] if len(every) == 1 else together(every)
    return replace(reading, looked=False, reason=why) if why else reading


def read_lines(output: Output) -> Reading | None:
    """Return the lines with a place that no tool's format has, or None."""
    findings = list(diagnostics(output, (LINES,)))
    return lint_reading(findings) if findings else None


def _tests(output: Output, tools: Collection[str], reports: Mapping[str, Report]) -> dict[str, Reading]:
    """Return the results of each test runner: of its report, and of its output."""
    printed = _printed(output, tools)
    found = {tool: agreed(reports[tool](output), printed.get(tool)) for tool in reports if tool in tools}
    return {**printed, **{tool: reading for tool, reading in found.items() if reading}}


def agreed(reported: Reading | None, printed: Reading | None) -> Reading | None:
    """Return the report's reading, the output's where it has more failures: a report is trusted no more than it."""
    if reported is None:
        return None if printed is None else replace(printed, is_reported=printed.is_reported or False)
    if printed is None or printed.num_bad < reported.num_bad:
        return reported
    if printed.num_bad == reported.num_bad:
        counts = printed.counts if _num(printed.counts) >= _num(reported.counts) else reported.counts
        findings = reported.findings or printed.findings
        num_retried = max(reported.num_retried, printed.num_retried)
        return replace(reported, counts=counts, findings=findings, num_retried=num_retried)
    return replace(
        reported,
        counts=printed.counts,
        findings=printed.findings or reported.findings,
        looked=printed.looked,
        reason=printed.reason or "its report has fewer failures than its output",
    )


def _num(counts: Counts) -> int:
    return sum((counts.passed or 0, counts.failed or 0, counts.skipped or 0, counts.errors or 0))


def _printed(output: Output, tools: Collection[str]) -> dict[str, Reading]:
    totals, failures = printed_totals(output, tools), failed_tests(output, tools)
    if "pytest" in failures and "pytest" not in totals:
        rules = [one.rule for one in failures["pytest"]]
        totals["pytest"] = Counts(None, rules.count("test_failed"), None, rules.count("test_error"))
    found = {tool: _printed_reading(output, tool, counts, failures) for tool, counts in totals.items()}
    if "go" in tools and (reading := go_reading(output)):
        found["go"] = reading
    is_tap_of_node = "node:test" in tools and "node:test" not in found and "# duration_ms " in output.text
    if is_tap_of_node and (reading := _tap(output, "node:test")):
        found["node:test"] = reading
    return found


def _printed_reading(output: Output, tool: str, counts: Counts, failures: Mapping[str, tuple[Finding, ...]]) -> Reading:
    findings = failures.get(tool, ())
    tests: Mapping[TestId, Ended] = {}
    if tool == "node:test":
        tests = names_of(spec_points(output), counts)
    elif tool == "unittest":
        tests = unittest_names(output, counts)
    elif tool == "cargo":
        tests = cargo_names(output)
    reading = Reading(counts, findings, tests=tests, num_retried=num_retried(output) if tool == "pytest" else 0)
    unloaded = next((one for one in findings if _is_whole_file(one)), None)
    why = f"could not load {unloaded.file or 'a test file'}" if unloaded else None
    why = why or (None if _num(counts) else NO_TESTS)
    why = why or (cut_short(output, counts) if tool == "cargo" else None)
    return replace(reading, looked=why is None, reason=why)


def _is_whole_file(found: Finding) -> bool:
    """Return whether a failing test is a whole file, by its name: the file ended before its first test."""
    is_named = found.tool != "pytest" and bool(found.file) and found.context.endswith(found.file.rpartition("/")[2])
    return is_named or (found.tool in ("jest", "vitest") and found.rule == "test_error")


def _tap(output: Output, tool: str = "tap") -> Reading | None:
    points = tap_points(output)
    if not points:
        return None
    counts = tap_totals(output, points)
    findings = tuple(tap_failures(output, points, tool))
    reading = Reading(counts, findings, tests=names_of(points, counts))
    unloaded = next((one for one in findings if _is_whole_file(one)), None)
    why = f"could not load {unloaded.file}" if unloaded else None if _num(counts) else NO_TESTS
    return replace(reading, looked=why is None, reason=why)


def _any_format(output: Output) -> Reading | None:
    """Return the results in the run's report files, or in its output; None where there are none."""
    cases: list[Case] = []
    values = list(json_values(output.text)) if '"runs"' in output.text or '"numTotalTests"' in output.text else []
    for name, content in output.reports:
        if name.lower().endswith(".xml"):
            cases += parse_junit(content) or ()
        elif b'"runs"' in content:
            values.append(json_of(content))
    found = [sarif_reading(value, output.places) for value in values if is_sarif(value)]
    found += [jest_json_reading(value, "vitest", output.places) for value in values if is_jest_json(value)]
    cases = cases or _printed_junit(output.text)
    if cases:
        found.append(junit_reading(cases, "junit", output.places))
    elif tap := _tap(output):
        found.append(tap)
    if not found:
        findings = [*diagnostics(output, ("annotations",)), *json_diagnostics(output, ("golangci-lint",))]
        found += [lint_reading(findings)] if findings else []
    return together(found) if found else None


def _printed_junit(text: str) -> list[Case]:
    start = text.find("<testsuite")
    if start < 0:
        return []
    end = max(text.rfind("</testsuite>") + len("</testsuite>"), text.rfind("</testsuites>") + len("</testsuites>"))
    return parse_junit(text[start:end].encode()) or []
