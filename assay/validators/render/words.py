"""Words of a report that all formats share: outcomes, counts, places, what is unknown."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from assay.validators.changes.change import shown
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.model import (
    FAILED_TESTS,
    NOT_REQUESTED,
    NOT_RUN_HERE,
    OWN_COMMANDS,
    REPORTED,
    Commit,
    Conclusion,
    Counts,
    Coverage,
    Finding,
    Outcome,
    RiskAssessment,
    RiskLevel,
    Severity,
    ToolKind,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.risk_facts import NewDependency
from assay.validators.report.unknown import BY_TIER, QUESTIONS, SCANNED, NotChecked, Question, about, in_words
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.wording import listed, plural

KINDS = {
    ToolKind.test: "Tests",
    ToolKind.lint: "Lint",
    ToolKind.types: "Type check",
    ToolKind.build: "Build",
    ToolKind.formatting: "Format",
    ToolKind.sast: "Security scan",
}
"""Labels of commands, in reading order."""
OUTCOMES = {
    Outcome.passed: "PASS",
    Outcome.failed: "FAIL",
    Outcome.timed_out: "TIMED OUT",
    Outcome.inert: "UNAVAILABLE",
    Outcome.infra_failed: "COULD NOT RUN",
    Outcome.skipped: "SKIPPED",
}
LEVEL_ICONS = {RiskLevel.low: "🟢", RiskLevel.medium: "🟡", RiskLevel.high: "🟠", RiskLevel.critical: "🔴"}
SEVERITY_ICONS = {Severity.error: "❌", Severity.warning: "⚠️", Severity.info: "ℹ️"}  # noqa: RUF001 - as specified
QUALITY_QUESTIONS = BY_TIER[1]
MODES = {"advisory": "advisory mode: findings do not block", "enforce": "enforce mode: a failure blocks the merge"}
FEW_TESTS = 10
"""A repository with fewer test files lists those to run first by name, all of them too."""
MOST_PLACES = 4
"""Places shown of equal findings."""
_CONCLUSION_ICONS = {Conclusion.failure: "❌", Conclusion.action_required: "✋", Conclusion.incomplete: "❔"}


def icon(report: ValidationReport) -> str:
    """Return the icon of the verdict; a success with a high risk has that of its level."""
    if report.conclusion is not Conclusion.success:
        return _CONCLUSION_ICONS[report.conclusion]
    is_high = report.risk is not None and report.risk.level.at_least(RiskLevel.high)
    return LEVEL_ICONS[report.risk.level] if is_high and report.risk is not None else "✅"


def left_out(count: int, most: int, what: str = "") -> str:
    """Return `and 3 more` after the first `most` of a list, "" if there are no more."""
    words = plural(count - most, what) if what else str(count - most)
    return f"and {words} more" if count > most else ""


def counted(counts: Counts) -> str:
    """Return a tool's counts: `42 passed, 0 failed` or `0 errors, 2 warnings`; "" if it reported none."""
    parts = [
        f"{number} {word}"
        for number, word in ((counts.passed, "passed"), (counts.failed, "failed"))
        if number is not None
    ]
    if counts.skipped:
        parts.append(f"{counts.skipped} skipped")
    if counts.errors is not None and (counts.errors or counts.passed is None):
        parts.append(plural(counts.errors, "error"))
    if counts.warnings is not None and (counts.warnings or counts.passed is None):
        parts.append(plural(counts.warnings, "warning"))
    return ", ".join(parts)


def place(file: str | None, number: int | None = None) -> str:
    """Return `src/a.py:12`, or "" for the change as a whole."""
    if not file:
        return ""
    return shown(file) if number is None else f"{shown(file)}:{number}"


def said_once(findings: Iterable[Finding]) -> list[tuple[Finding, str]]:
    """Group equal findings: return one of each group with the group's places (`a.py:1, b.py:7 and 2 more`)."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.severity, finding.message), []).append(finding)
    return [
        (group[0], listed(list(dict.fromkeys(place(one.file, one.line) for one in group if one.file)), MOST_PLACES))
        for group in groups.values()
    ]


def in_reading_order(runs: Iterable[ToolRun]) -> list[ToolRun]:
    """Return the runs, tests first."""
    return sorted(runs, key=lambda run: list(KINDS).index(run.kind))


def blocks(names: Collection[str], thing: ToolRun | Finding) -> bool:
    """Return whether this run or finding blocks; `names` are the report's `blocking`."""
    if isinstance(thing, Finding):
        return thing.id in names
    return thing.gating and thing.name in names and thing.outcome is not Outcome.passed


def blocking_runs(report: ValidationReport) -> list[ToolRun]:
    """Return the blocking commands in reading order."""
    names = frozenset(report.blocking)
    return in_reading_order(run for run in (report.tools.runs if report.tools else ()) if blocks(names, run))


def blocking_findings(report: ValidationReport) -> list[Finding]:
    """Return the blocking findings."""
    names = frozenset(report.blocking)
    return [finding for finding in report.findings if blocks(names, finding)]


def standing(report: ValidationReport) -> list[Finding]:
    """Return the findings of Tier 2 that the change introduced and that have no waiver."""
    decided = {one.finding_id for one in report.waivers}
    findings = report.quality.findings if report.quality else ()
    return [finding for finding in findings if finding.introduced and finding.id not in decided]


def waiver_in_words(waiver: Waiver) -> str:
    """Return a waiver as text: `marked false positive by ada: the input is checked before`."""
    how = "marked false positive" if waiver.kind is WaiverKind.fp else "accepted"
    return f"{how} by {waiver.by}" + (f": {waiver.reason}" if waiver.reason else "")


def seen_before(report: ValidationReport) -> int:
    """Return the number of findings that the base has already."""
    return (report.tools.num_existing if report.tools else 0) + (report.quality.num_existing if report.quality else 0)


def footer(report: ValidationReport) -> str:
    """Return the seconds each tier took, the sandbox, and the inherited configuration."""
    parts = [f"{name} {seconds:.1f} s" for name, seconds in report.durations_s.items()]
    if report.tools and report.tools.sandbox:
        parts.append(f"sandbox: {report.tools.sandbox}")
    sources = report.settings.get("sources")
    files = [one for one in (sources if isinstance(sources, list) else ()) if isinstance(one, dict)]
    if not all(one.get("is_own") for one in files):
        parts.append(f"configuration: {' over '.join(str(one.get('file')) for one in files)}")
    return " · ".join(parts)


def findings_of(report: ValidationReport, run: ToolRun) -> list[Finding]:
    """Return the findings of Tier 1 that this command's tool reported.

    A finding names its tool, not the command: `npm test` does not name jest. Errors of a tool that no other command
    without success names belong to the one failed command without findings; if there are two such commands, to neither.
    """
    if report.tools is None:
        return []
    passed, words = run.outcome is Outcome.passed, _words_of(run)
    own = [one for one in report.tools.findings if one.tool in words and not (passed and one.rule in FAILED_TESTS)]
    if own or passed:
        return own
    named = {word for one in report.tools.runs if one.outcome is not Outcome.passed for word in _words_of(one)}
    tools = {finding.tool for finding in report.tools.findings}
    silent = [one for one in report.tools.runs if one.outcome is Outcome.failed and not tools & _words_of(one)]
    if [one.name for one in silent] != [run.name]:
        return []
    errors = (finding for finding in report.tools.findings if finding.severity is Severity.error)
    return [finding for finding in errors if finding.tool not in named]


def _words_of(run: ToolRun) -> set[str | None]:
    return {run.name, *run.command.split()}


def found_in(run: ToolRun) -> str:
    """Return where a command was found, without the mark of an external result."""
    return run.found_in.removeprefix(REPORTED)


def leaves_own_commands(report: ValidationReport) -> bool:
    """Return whether the repository's own commands were not run and no external result replaces them."""
    return any(note.what == OWN_COMMANDS and note.why in (NOT_RUN_HERE, NOT_REQUESTED) for note in report.not_checked)


def with_unknown(
    report: ValidationReport, known: str, question: Question, none: str = "None", *, subject: str = ""
) -> str:
    """Return the known part of an answer and what is unknown: `None in 2 files; unknown (Go)`.

    `subject` stands before what is unknown. `none` stands for files an analyzer read, and for dependencies if no
    manifest changed; "not applicable" if the question applies to no changed file.
    """
    asked = [file for file in report.files if question in file.get("asked", ())]
    num_known = sum(question not in file["unknown"] for file in asked)
    open_ = in_words(about(report.unknown, question)) or ("unknown" if num_known < len(asked) else "")
    if not open_:
        is_none = asked or question is Question.dependencies
        return known or (none if is_none else "not applicable")
    if not known and num_known:
        known = f"{none} in {plural(num_known, 'file')}"
    return f"{known}; {subject}{open_}" if known else f"{subject}{open_}"


def quality_in_words(report: ValidationReport) -> str:
    """Return `0 errors, 1 warning, 2 info` and what is unknown; no numbers if no file was checked."""
    found = [one.severity for one in standing(report)]
    numbers = ", ".join(
        (
            plural(found.count(Severity.error), "error"),
            plural(found.count(Severity.warning), "warning"),
            f"{found.count(Severity.info)} info",
        )
    )
    asked = [(file, question) for file in report.files for question in QUALITY_QUESTIONS if question in file["asked"]]
    nothing_known = asked and all(question in file["unknown"] for file, question in asked)
    open_ = ((question, about(report.unknown, question)) for question in QUALITY_QUESTIONS)
    parts = [] if nothing_known and not found else [numbers]
    parts += [f"{QUESTIONS[question]} {in_words(unknown)}" for question, unknown in open_ if unknown]
    return "; ".join(parts)


def not_checked(
    report: ValidationReport, *, has_coverage: bool = True, has_asides: bool = True
) -> list[tuple[str, str]]:
    """Return what was not checked and why.

    `has_coverage`: the format has a line for coverage with the reason why it is unknown.
    """
    coverage = report.risk.coverage.why_unknown if report.risk and has_coverage else None
    notes = (note for note in report.not_checked if note.question is not None or note.why != coverage)
    return not_checked_lines(note for note in notes if has_asides or not note.is_aside)


def not_checked_lines(notes: Iterable[NotChecked]) -> list[tuple[str, str]]:
    """Return checks that were not made, then questions by kind of file: (`Go (2 files): dependents`, reason)."""
    found: dict[tuple[str, str], list[NotChecked]] = {}
    notes = list(notes)
    noted = {note.why for note in notes if note.question is None}
    for one in notes:
        # A signal or rule that did not run has its line already, which names the question.
        if one.question is not None and (one.question in SCANNED or one.why not in noted):
            found.setdefault((one.what, one.why), []).append(one)
    lines = [(note.what, note.why) for note in notes if note.question is None]
    for (what, why), some in found.items():
        paths = sorted({path for one in some for path in one.files})
        files = shown(paths[0]) if len(paths) == 1 else plural(len(paths), "file")
        questions = ", ".join(dict.fromkeys(QUESTIONS[one.question] for one in some if one.question))
        lines.append((f"{what} ({files}): {questions}", f"unknown, {why}"))
    return lines


def coverage_in_words(report: ValidationReport, coverage: Coverage) -> str:
    """Return `78%`, `unknown (why)`, or "not applicable" if no changed file has lines to cover."""
    if coverage.percent is None:
        if not any(Question.coverage in file.get("asked", ()) for file in report.files):
            return "not applicable"
        return f"unknown ({coverage.why_unknown or 'not measured'})"
    return f"{percent(coverage.percent)}%"


def percent(value: float) -> str:
    """Format with at most one decimal, never rounded up: 99.96 is not 100."""
    return f"{math.floor(value * 10 + 1e-9) / 10:.1f}".removesuffix(".0")


def versions(dependency: NewDependency) -> str:
    """Return `1.2.3`, `1.2.3 → 2.0.0` if the version changed, or "" if the manifest has no version."""
    now = dependency.version or ""
    return f"{dependency.before} → {now or 'any'}" if dependency.before else now


def moved_in_words(moved: Sequence[NewDependency], num_new: int) -> str:
    """Return `requests 2.0 → 3.0 moves to another version`, or `2 others move …` next to new packages."""
    one = "other" if num_new else "package"
    number = plural(len(moved), f"{one} moves", f"{one}s move")
    names = listed([f"{each.name} {versions(each)}" for each in moved], 2)
    return f"{number} to another version: {names}"


def commit_name(commit: Commit) -> str:
    """Return the ref a commit was given by, unless that is its hash, and why Assay chose it; or ""."""
    name = "" if commit.sha.startswith(commit.name) else commit.name
    return ": ".join(filter(None, (name, commit.why)))


def changed_lines(report: ValidationReport) -> tuple[int, int, int]:
    """Return files, lines added and lines removed, as measured or else summed over the changed files."""
    surface = report.risk.surface if report.risk else None
    if surface is not None and surface.num_files:
        return surface.num_files, surface.num_added, surface.num_removed
    return len(report.files), sum(file["added"] for file in report.files), sum(file["removed"] for file in report.files)


def dependents_in_words(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return `3 modules import from changed files`, the indirect dependents, and where they are unknown."""
    near = sum(one.distance == 1 and not one.is_test for one in risk.dependents)
    total = max(risk.num_dependents_total, len(risk.dependents))
    words = f"{plural(near, 'module')} {'imports' if near == 1 else 'import'} from changed files"
    if len(risk.dependents) < total:
        words = f"at least {words} ({total} dependents in all)"
    else:
        tests = sum(one.is_test for one in risk.dependents)
        further = total - near - tests
        more = [f"{further} indirect"] if further else []
        more += [f"{plural(tests, 'test file')}"] if tests else []
        words += f" ({', '.join(more)})" if more else ""
    words += f"; {num_tests_in_words(risk)} to run first" if first_tests(risk) else ""
    # Code that is loaded by name has users that no import shows.
    return with_unknown(report, words if total else "", Question.dependents, "None found")


def first_tests(risk: RiskAssessment) -> list[Dependent]:
    """Return the tests among the dependents that use the change, the likeliest to notice it first."""
    return [one for one in risk.dependents if one.is_test and one.affected is Affected.run_first]


def are_most_tests(risk: RiskAssessment) -> bool:
    """Return whether the tests to run first are more than half of all: then they select nothing."""
    return 2 * len(first_tests(risk)) > risk.num_tests_total >= FEW_TESTS


def num_tests_in_words(risk: RiskAssessment) -> str:
    """Return `3 test files`, or `most tests (204 of 226 files)`."""
    first = len(first_tests(risk))
    most = f"most tests ({first} of {risk.num_tests_total} files)"
    return most if are_most_tests(risk) else plural(first, "test file")


def first_tests_in_words(report: ValidationReport, risk: RiskAssessment, *, by_commands: bool = True) -> str:
    """Return what Tier 1 says of the tests to run first: `11 passed, 2 not named` by any result.

    "" if it says nothing of them. Not every runner names the tests that passed; the outcome of whole commands, which
    may have run other tests, is given with `by_commands` alone.
    """
    first = {one.path for one in first_tests(risk)}
    if report.tools is None or not first:
        return ""
    failed = first & {finding.file for finding in report.tools.findings if finding.rule in FAILED_TESTS}
    passed = first & set(report.tools.passed_files) - failed
    if passed or failed:
        ended = ((len(passed), "passed"), (len(failed), "failed"), (len(first) - len(passed | failed), "not named"))
        return ", ".join(f"{num} {how}" for num, how in ended if num)
    outcomes = {run.outcome for run in report.tools.runs if run.kind is ToolKind.test}
    return "the test commands passed" if by_commands and outcomes == {Outcome.passed} else ""
