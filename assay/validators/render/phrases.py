"""Report texts shared by all formats: outcomes, counts, places, thresholds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from assay.validators.changes.change import shown
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
    RiskLevel,
    Severity,
    ToolKind,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.risk_facts import NewDependency
from assay.validators.report.unknown import BY_TIER, QUESTIONS, Question, Unknown, about, in_words
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.wording import listed, plural

KINDS = {
    ToolKind.build: "Build",
    ToolKind.test: "Tests",
    ToolKind.lint: "Lint",
    ToolKind.formatting: "Format",
    ToolKind.types: "Type check",
    ToolKind.sast: "Security scan",
}
ORDER = (ToolKind.test, ToolKind.lint, ToolKind.types, ToolKind.build, ToolKind.formatting, ToolKind.sast)
"""Reading order of commands, tests first."""
OUTCOMES = {
    Outcome.passed: "PASS",
    Outcome.failed: "FAIL",
    Outcome.timed_out: "TIMED OUT",
    Outcome.inert: "UNAVAILABLE",
    Outcome.infra_failed: "COULD NOT RUN",
    Outcome.skipped: "SKIPPED",
}
_FARED = {
    Outcome.failed: ("fails", "fail"),
    Outcome.timed_out: ("runs out of time", "run out of time"),
    Outcome.infra_failed: ("could not run", "could not run"),
    Outcome.inert: ("unavailable", "unavailable"),
    Outcome.passed: ("passes", "pass"),
    Outcome.skipped: ("skipped", "skipped"),
}
LEVEL_ICONS = {RiskLevel.low: "🟢", RiskLevel.medium: "🟡", RiskLevel.high: "🟠", RiskLevel.critical: "🔴"}
QUALITY_QUESTIONS = BY_TIER[1]
SEVERITY_ICONS = {Severity.error: "❌", Severity.warning: "⚠️", Severity.info: "ℹ️"}  # noqa: RUF001 - as specified
NOT_RUN_ICON = "▫️"
MOST_PLACES = 4
"""Places shown of equal findings."""
CONCLUSION_ICONS = {
    Conclusion.success: "✅",
    Conclusion.failure: "❌",
    Conclusion.action_required: "✋",
    Conclusion.incomplete: "❔",
}
_GATES = {"strict": "any failure blocks", "regression_only": "new failures block", "informational": "never blocks"}
_BLOCKING = {"error": "errors block", "warning": "warnings and errors block"}
_HOLD = {"critical": "held if critical", "high": "held if high or critical"}


def left_out(count: int, most: int, before: str = "", what: str = "") -> list[str]:
    """Return the line `and 3 more` after the first `most` of a list, if there are more."""
    words = plural(count - most, what) if what else str(count - most)
    return [f"{before}and {words} more"] if count > most else []


def tools_icon(report: ValidationReport) -> str:
    """Return the icon of Tier 1's result."""
    if report.tools is None or not report.tools.runs:
        return NOT_RUN_ICON
    if blocking_runs(report):
        return "❌"
    is_good = all(run.outcome in (Outcome.passed, Outcome.skipped) for run in report.tools.runs)
    return "✅" if is_good else "⚠️"


def quality_icon(report: ValidationReport) -> str:
    """Return the icon of Tier 2's result."""
    if report.quality is None:
        return NOT_RUN_ICON
    if blocking_findings(report):
        return "❌"
    if any(finding.severity is not Severity.info for finding in advisory(report)):
        return "⚠️"
    return NOT_RUN_ICON if quality_unknown(report) else "✅"


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


def severities(findings: Iterable[Finding]) -> str:
    """Return counts by severity: `0 errors, 1 warning, 2 info`."""
    found = [finding.severity for finding in findings]
    errors, warnings, infos = (found.count(severity) for severity in (Severity.error, Severity.warning, Severity.info))
    return f"{plural(errors, 'error')}, {plural(warnings, 'warning')}, {infos} info"


def place(file: str | None, line: int | None = None) -> str:
    """Return `src/a.py:12`, or "" for the change as a whole."""
    if not file:
        return ""
    return shown(file) if line is None else f"{shown(file)}:{line}"


def said_once(findings: Iterable[Finding]) -> list[tuple[Finding, str]]:
    """Group equal findings: return one of each group with the group's places (`a.py:1, b.py:7 and 2 more`)."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.severity, finding.message), []).append(finding)
    return [(group[0], _places(group)) for group in groups.values()]


def _places(findings: Sequence[Finding]) -> str:
    places = dict.fromkeys(place(one.file, one.line) for one in findings if one.file)
    return listed(list(places), MOST_PLACES)


def of_kind(runs: Iterable[ToolRun]) -> list[tuple[str, ToolRun]]:
    """Return the runs in reading order, each with its kind's label, or "" where several runs share the kind."""
    ordered = sorted(runs, key=lambda run: ORDER.index(run.kind))
    kinds = [run.kind for run in ordered]
    return [(KINDS[run.kind] if kinds.count(run.kind) == 1 else "", run) for run in ordered]


def blocks(names: Collection[str], thing: ToolRun | Finding) -> bool:
    """Return whether this run or finding blocks; `names` are the report's `blocking`."""
    if isinstance(thing, Finding):
        return thing.id in names
    return thing.gating and thing.name in names and thing.outcome is not Outcome.passed


def blocking_runs(report: ValidationReport) -> list[ToolRun]:
    """Return the blocking commands in reading order."""
    names = frozenset(report.blocking)
    runs = [run for run in (report.tools.runs if report.tools else ()) if blocks(names, run)]
    return sorted(runs, key=lambda run: ORDER.index(run.kind))


def blocking_findings(report: ValidationReport) -> list[Finding]:
    """Return the blocking findings."""
    names = frozenset(report.blocking)
    return [finding for finding in report.findings if blocks(names, finding)]


def advisory(report: ValidationReport) -> list[Finding]:
    """Return the advisory findings of Tier 2."""
    names = frozenset(report.blocking)
    return [finding for finding in standing(report) if not blocks(names, finding)]


def standing(report: ValidationReport) -> list[Finding]:
    """Return the findings of Tier 2 that the change introduced and that have no waiver."""
    decided = {one.finding_id for one in report.waivers}
    findings = report.quality.findings if report.quality else ()
    return [finding for finding in findings if finding.introduced and finding.id not in decided]


def waived(report: ValidationReport) -> list[tuple[Finding, Waiver]]:
    """Return the waived findings, each with its waiver."""
    decided = {one.finding_id: one for one in report.waivers}
    return [(finding, decided[finding.id]) for finding in report.findings if finding.id in decided]


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


def commands_in_words(report: ValidationReport) -> str:
    """Return `5 commands: 1 fails, 4 pass`, who ran them, and whether the repository's own commands were not run."""
    if report.tools is None:
        return "not run"
    runs = report.tools.runs
    if not runs:
        return f"{OWN_COMMANDS} were not run" if leaves_own_commands(report) else "no command found"
    counts = []
    for outcome, (one, many) in _FARED.items():
        count = sum(run.outcome is outcome for run in runs)
        if count:
            counts.append(f"{count} {one if count == 1 else many}")
    own = f"; {OWN_COMMANDS} were not run" if leaves_own_commands(report) else ""
    theirs = sum(run.found_in != found_in(run) for run in runs)
    which = f"{theirs} of them " if theirs < len(runs) else ""
    by = f" ({which}by {report.tools.reported_by})" if report.tools.reported_by and theirs else ""
    return f"{plural(len(runs), 'command')}: {', '.join(counts)}{by}{own}"


def found_in(run: ToolRun) -> str:
    """Return where a command was found, without the mark of an external result."""
    return run.found_in.removeprefix(REPORTED)


def leaves_own_commands(report: ValidationReport) -> bool:
    """Return whether the repository's own commands were not run and no external result replaces them."""
    return any(note.what == OWN_COMMANDS and note.why in (NOT_RUN_HERE, NOT_REQUESTED) for note in report.not_checked)


def thresholds(report: ValidationReport) -> tuple[str, str, str]:
    """Return when each tier counts against the change; "" for a tier that did not run or has no such setting."""
    settings = report.settings
    rows = (
        (report.tools, "gate", _GATES),
        (report.quality, "blocking_severity", _BLOCKING),
        (report.risk, "hold_at", _HOLD),
    )
    tools, quality, risk = (words.get(str(settings.get(name)), "") if tier else "" for tier, name, words in rows)
    by_policy = "" if settings.get("hold_on") == "level" else " by policy"
    return tools, quality, f"{risk}{by_policy}" if risk else ""


def with_unknown(report: ValidationReport, known: str, question: Question, none: str = "None") -> str:
    """Return the known part of an answer and what is unknown: `None in 2 files; unknown (Go)`.

    `none` stands for files an analyzer read, and for dependencies if no manifest changed; "not applicable" if the
    question applies to no changed file.
    """
    asked = [file for file in report.files if question in file.get("asked", ())]
    num_known = sum(question not in file["unknown"] for file in asked)
    open_ = in_words(about(report.unknown, question)) or ("unknown" if num_known < len(asked) else "")
    if not open_:
        is_none = asked or question is Question.dependencies
        return known or (none if is_none else "not applicable")
    if not known and num_known:
        known = f"{none} in {plural(num_known, 'file')}"
    return f"{known}; {open_}" if known else open_


def quality_in_words(report: ValidationReport) -> str:
    """Return `0 errors, 1 warning, 2 info` and what is unknown; no numbers if no file was checked."""
    if report.quality is None:
        return "not run"
    found = standing(report)
    open_ = quality_unknown(report)
    asked = [(file, question) for file in report.files for question in QUALITY_QUESTIONS if question in file["asked"]]
    nothing_known = asked and all(question in file["unknown"] for file, question in asked)
    return "; ".join(([] if nothing_known and not found else [severities(found)]) + ([open_] if open_ else []))


def quality_unknown(report: ValidationReport) -> str:
    """Return `complexity unknown (HTML); duplication unknown (HTML, SQL)`, or "" if all of Tier 2 is known."""
    found = ((question, about(report.unknown, question)) for question in QUALITY_QUESTIONS)
    return "; ".join(f"{QUESTIONS[question]} {in_words(unknown)}" for question, unknown in found if unknown)


def not_checked(report: ValidationReport, *, has_coverage: bool = True) -> list[tuple[str, str]]:
    """Return what was not checked and why: the notes of the tiers, then the unknown answers.

    `has_coverage`: the format has a line for coverage with the reason why it is unknown.
    """
    coverage = report.risk.coverage.why_unknown if report.risk and has_coverage else None
    return [*((note.what, note.why) for note in report.not_checked if note.why != coverage), *open_questions(report)]


def open_questions(report: ValidationReport) -> list[tuple[str, str]]:
    """Return what is unknown, by kind of file and reason: (`Go (2 files): dependents`, reason)."""
    groups: dict[tuple[str, str], list[Unknown]] = {}
    noted = {note.why for note in report.not_checked}
    for one in report.unknown:
        if one.why in noted:  # an analyzer that did not run has its line already
            continue
        groups.setdefault((one.what, one.why), []).append(one)
    return [
        (
            f"{what} ({_files_of(found)}): {', '.join(dict.fromkeys(QUESTIONS[one.question] for one in found))}",
            f"unknown, {why}",
        )
        for (what, why), found in groups.items()
    ]


def _files_of(unknown: Sequence[Unknown]) -> str:
    paths = sorted({path for one in unknown for path in one.files})
    return shown(paths[0]) if len(paths) == 1 else plural(len(paths), "file")


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


def number(value: float | str | None) -> str:
    """Format a factor's value or threshold."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:g}" if abs(value) < 1e6 else f"{value:.0f}"


def versions(dependency: NewDependency) -> str:
    """Return `1.2.3`, `1.2.3 → 2.0.0` if the version changed, or "" if the manifest has no version."""
    now = dependency.version or ""
    return f"{dependency.before} → {now or 'any'}" if dependency.before else now


def moved_in_words(num_moved: int, num_new: int) -> str:
    """Return `2 packages move to another version`, or `2 others move …` next to new packages."""
    one = "other" if num_new else "package"
    return f"{plural(num_moved, f'{one} moves', f'{one}s move')} to another version"


def commit_name(commit: Commit) -> str:
    """Return the ref a commit was given by, unless that is its hash, and why Assay chose it; or ""."""
    name = "" if commit.sha.startswith(commit.name) else commit.name
    return ": ".join(filter(None, (name, commit.why)))


def changed_lines(report: ValidationReport) -> tuple[int, int, int]:
    """Return files, lines added and lines removed, as measured or else summed over the changed files."""
    surface = report.risk.surface if report.risk else None
    if surface is not None and surface.num_files:
        return surface.num_files, surface.num_added, surface.num_removed
    return (
        len(report.files),
        sum(int(file.get("added", 0)) for file in report.files),
        sum(int(file.get("removed", 0)) for file in report.files),
    )
