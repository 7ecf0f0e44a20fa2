"""pytest 3 and newer: counts from its closing line, failing tests from JUnit XML or its short summary."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.junit_xml import Case, context_of, junit_reading, parse_junit
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding, first_line
from assay.validators.tools.readers.places import MOST_LINES, Places
from assay.validators.tools.tool import Reading

_REPORT = "pytest.xml"
_COUNT = re.compile(r"(\d{1,9}) ([a-z][a-z ]{2,30})")
_KINDS = {
    "passed": "passed",
    "failed": "failed",
    "skipped": "skipped",
    "xfailed": "skipped",
    "xpassed": "passed",
    "error": "errors",
    "errors": "errors",
    "warning": "warnings",
    "warnings": "warnings",
    "deselected": "deselected",
    "rerun": "rerun",
    "reruns": "rerun",
}
_RERUN = re.compile(r"(\d{1,9}) (?:rerun|reruns)\b")
_SUMMARY = "short test summary info"
_CANNOT = ("INTERNALERROR>", "ImportError while loading conftest", "ConftestImportFailure")


def look(output: Output) -> Reading | None:
    """Return printed or reported counts, whichever has more failures, with the findings from the same source."""
    printed = _printed_counts(output.lines)
    asked_for = output.scratch_report(_REPORT)
    reported = asked_for or output.named_report("--junitxml") or output.named_report("--junit-xml")
    cases = parse_junit(reported) if reported else None
    # pytest's report counts lines from 0.
    cases = cases and [replace(case, line=None if case.line is None else case.line + 1) for case in cases]
    broken = _cannot(output)
    if printed is None and cases is None and not any(_SUMMARY in line for line in output.lines):
        return could_not_look(broken) if broken else None
    report = junit_reading(cases, "pytest", output.places) if cases else None
    counts = printed or (report.counts if report else _listed_counts(output.lines))
    if report is not None and _num_bad(report.counts) > _num_bad(counts):
        counts = report.counts
    if report is not None and _num_bad(report.counts) == _num_bad(counts):
        findings = report.findings
    else:
        findings = tuple(_summarised(output))[:MOST_FINDINGS]
    why = broken or _collection(output.lines) or _nothing_ran(counts)
    return Reading(
        counts,
        findings,
        looked=why is None,
        reason=why,
        tests=report.tests if report else {},
        is_reported=bool(asked_for) and cases is not None,
        num_retried=_num_retried(output.lines),
        raised_in=dict(_raised_in(cases or (), output.places)),
    )


def _raised_in(cases: Sequence[Case], places: Places) -> Iterator[tuple[str, str]]:
    """Yield the context of each failing test with the file of its last frame: pytest shows the innermost last."""
    for case in [case for case in cases if case.outcome == "failure"][:MOST_FINDINGS]:
        trace = "\n".join(case.body.split("\n")[-MOST_LINES:])
        files = [file for file, _ in places.frames(trace)]
        if files:
            yield context_of(case), files[-1]


def _asking(words: Sequence[str], scratch: Path) -> Sequence[str]:
    """Return the words with the report's options last, where they override the project's settings."""
    return words if "--" in words else (*words, *_options(scratch))


def _environment(scratch: Path) -> Mapping[str, str]:
    """Return the same options for a pytest started indirectly; its command line overrides them."""
    return {"PYTEST_ADDOPTS": shlex.join(_options(scratch))}


def _options(scratch: Path) -> list[str]:
    """Return the options that make pytest write JUnit XML with files and lines."""
    return [f"--junitxml={scratch / _REPORT}", "-o", "junit_family=xunit1"]


def _num_retried(lines: Sequence[str]) -> int:
    """Return how many tests ran again after a failure, as pytest-rerunfailures and flaky count them."""
    return sum(int(match[1]) for line in lines if line.startswith("=") and (match := _RERUN.search(line)))


def _printed_counts(lines: Sequence[str]) -> Counts | None:
    """Return the sum of all closing lines (`== 1 failed, 2 passed in 0.12s ==`), None where there is none."""
    sums: dict[str, int] = defaultdict(int)
    found = False
    for line in lines:
        counted, marked, _time = line.strip("= ").rpartition(" in ")
        if not marked or not (line.startswith(("=", "no tests ran")) or line[:1].isdigit()):
            continue
        if counted == "no tests ran":
            found = True
            continue
        matches = [_COUNT.fullmatch(part) for part in counted.split(", ")]
        known = [(int(match[1]), _KINDS.get(match[2])) for match in matches if match]
        if len(known) == len(matches) and any(kind for _, kind in known):
            found = True
            for num, kind in known:
                sums[kind or ""] += num
    if not found:
        return None
    return Counts(sums["passed"], sums["failed"], sums["skipped"], sums["errors"], sums["warnings"])


def _listed_counts(lines: Sequence[str]) -> Counts:
    """Count the lines of the short summary, used where there is no closing line (`-qq`)."""
    start = next((index for index, line in enumerate(lines) if _SUMMARY in line), len(lines))
    failed, errors = (sum(line.startswith(word) for line in lines[start:]) for word in ("FAILED ", "ERROR "))
    return Counts(failed=failed, errors=errors)


def _num_bad(counts: Counts) -> int:
    return (counts.failed or 0) + (counts.errors or 0)


def _cannot(output: Output) -> str | None:
    """Return why pytest itself stopped, if it did."""
    for index, line in enumerate(output.lines):
        if line.startswith(_CANNOT):
            said = next((later for later in output.lines[index + 1 : index + 40] if later.startswith("E  ")), "")
            return f"{line.strip()} {said[1:].strip()}".strip()
        if line.startswith(("ERROR: usage:", "pytest: error:", "__main__.py: error:")):
            error = next((later for later in output.lines[index:] if ": error:" in later), line)
            return error.strip()
        if line.startswith(("ERROR: file or directory not found", "ERROR: not found:", "ERROR: while parsing")):
            return line
    return None


def _collection(lines: Sequence[str]) -> str | None:
    """Return why not all tests were collected, where a test file could not be loaded."""
    broken = [title for line in lines if (title := _title(line)).startswith("ERROR collecting ")]
    if not broken:
        return None
    num = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
    return f"could not load {broken[0].removeprefix('ERROR collecting ')}{num}"


def _nothing_ran(counts: Counts) -> str | None:
    return None if counts.passed or counts.skipped or _num_bad(counts) else "no tests ran"


def _summarised(output: Output) -> Iterator[Finding]:
    """Yield the lines of the short summary, each with its place from the trace of the same title."""
    traces = _traces(output.lines)
    within = False
    for line in output.lines:
        if _SUMMARY in line:
            within = True
        elif within and line.startswith(("FAILED ", "ERROR ")):
            outcome, _, rest = line.partition(" ")
            test, _, said = rest.partition(" - ")
            file, _, inner = test.partition("::")
            titles = [
                inner.replace("::", "."),
                f"ERROR at setup of {inner.replace('::', '.')}",
                f"ERROR at teardown of {inner.replace('::', '.')}",
                f"ERROR collecting {test}",
            ]
            trace = next((traces[title] for title in titles if title in traces), "")
            rule = "test_failed" if outcome == "FAILED" else "test_error"
            message = first_line(_raised(trace) or said or "failed")
            yield finding("pytest", rule, f"{inner or file}: {message}", _place(file, trace, output), context=test)


def _traces(lines: Sequence[str]) -> dict[str, str]:
    """Map the title of each failure to its trace."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        title = _title(line)
        if title:
            current = found.setdefault(title, [])
        elif line.startswith("===="):
            current = None
        elif current is not None and len(current) < 400:
            current.append(line)
    return {title: "\n".join(trace) for title, trace in found.items()}


def _title(line: str) -> str:
    """Return the title in a line like `_____ test_total _____`, "" for any other."""
    return line.strip("_").strip() if line.startswith("___") and line.endswith("___") else ""


def _raised(trace: str) -> str:
    return next((line[1:].strip() for line in trace.split("\n") if line.startswith("E  ")), "")


def _place(reported: str, trace: str, output: Output) -> tuple[str, int | None]:
    file = output.places.file(reported)
    frames = list(output.places.frames(trace))
    own = next((frame for frame in frames if frame[0] == file), None)
    if own is not None:
        return own
    if file is not None:
        return file, None
    return frames[-1] if frames else ("", None)


pytest = TextTool("pytest", ToolKind.test, frozenset(("pytest", "py.test")), look, reports=_environment, asking=_asking)
