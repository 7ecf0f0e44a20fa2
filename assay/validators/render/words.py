"""Labels and counts that the formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.validators.changes.change import shown
from assay.validators.policy.verdict import short_command
from assay.validators.report.gravity import KINDS
from assay.validators.report.model import (
    FAILED_TESTS,
    MODEL,
    Commit,
    Conclusion,
    Counts,
    Outcome,
    RiskAssessment,
    RiskLevel,
    Severity,
    Statement,
    ToolKind,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.risk_facts import Affected
from assay.validators.report.unknown import QUESTIONS, SCANNED, NotChecked
from assay.validators.wording import listed, plural

COMMANDS = {
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
_MODES = {"advisory": "advisory mode: findings do not block", "enforce": "enforce mode: a failure blocks the merge"}
_ICONS = {Conclusion.failure: "❌", Conclusion.action_required: "✋", Conclusion.incomplete: "❔"}

MOST_USED = 2
"""Names of the change that are given, the most used ones."""
LEAST_OBSERVED = 50
"""Past changes from which a rate is given; with fewer, it says little."""


def icon(report: ValidationReport) -> str:
    """Return the icon of the verdict; a success with a high risk has that of its level."""
    if report.conclusion is Conclusion.success and report.risk and report.risk.level.at_least(RiskLevel.high):
        return LEVEL_ICONS[report.risk.level]
    return _ICONS.get(report.conclusion, "✅")


def header(report: ValidationReport) -> str:
    """Return the validated commit, what it is compared with, its author and the mode."""
    agent = report.agent
    by = "agent unknown" if agent.name == "unknown" else f"by `{agent.name}` ({agent.confidence:.0%} sure)"
    return f"{_commit(report.head)} against {_commit(report.base)} · {by} · {_MODES.get(report.mode, report.mode)}"


def _commit(commit: Commit) -> str:
    if commit.is_worktree:
        return "uncommitted work"
    name = "" if commit.sha.startswith(commit.name) else f"`{commit.name}`"
    said = ": ".join(filter(None, (name, commit.why)))
    return f"`{commit.sha[:7]}`{f' ({said})' if said else ''}"


def footer(report: ValidationReport) -> str:
    """Return the seconds each tier took, and the sandbox."""
    parts = [f"{name} {seconds:.1f} s" for name, seconds in report.durations_s.items()]
    if report.tools and report.tools.sandbox:
        parts.append(f"sandbox: {report.tools.sandbox}")
    return " · ".join(parts)


def counted(counts: Counts) -> str:
    """Return a tool's counts: `42 passed, 0 failed` or `0 errors, 2 warnings`; "" if it reported none."""
    tests = (("passed", counts.passed), ("failed", counts.failed), ("skipped", counts.skipped or None))
    parts = [f"{number} {word}" for word, number in tests if number is not None]
    others = (("error", counts.errors), ("warning", counts.warnings))
    parts += [plural(num, word) for word, num in others if num or (num == 0 and counts.passed is None)]
    return ", ".join(parts)


def place(file: str | None, number: int | None = None) -> str:
    """Return `src/a.py:12`, or "" for the change as a whole."""
    if not file:
        return ""
    return shown(file) if number is None else f"{shown(file)}:{number}"


def lost_commands(report: ValidationReport) -> list[tuple[str, str]]:
    """Return the commands without a result, unavailable or not able to run, each with why."""
    lost = (run for run in report.runs if run.outcome in (Outcome.inert, Outcome.infra_failed))
    return [(short_command(run), run.reason or OUTCOMES[run.outcome].lower()) for run in lost]


def not_checked(report: ValidationReport, *, has_asides: bool = True) -> list[tuple[str, str]]:
    """Return what was not checked and why, besides commands, and coverage, which has its own line."""
    coverage = report.risk.coverage.why_unknown if report.risk else None
    notes = (note for note in report.not_checked if note.question is not None or note.why != coverage)
    return not_checked_lines(note for note in notes if has_asides or not note.is_aside)


def not_checked_lines(notes: Iterable[NotChecked]) -> list[tuple[str, str]]:
    """Return checks that were not made, then questions by kind of file: (`Go (2 files): dependents`, reason)."""
    notes = list(notes)
    lines = [(note.what, note.why) for note in notes if note.question is None]
    noted = {why for _, why in lines}
    found: dict[tuple[str, str], list[NotChecked]] = {}
    for one in notes:
        # A signal or rule that did not run has its line already, which names the question.
        if one.question is not None and (one.question in SCANNED or one.why not in noted):
            found.setdefault((one.what, one.why), []).append(one)
    for (what, why), some in found.items():
        paths = sorted({path for one in some for path in one.files})
        files = shown(paths[0]) if len(paths) == 1 else plural(len(paths), "file")
        questions = ", ".join(dict.fromkeys(QUESTIONS[one.question] for one in some if one.question))
        lines.append((f"{what} ({files}): {questions}", f"unknown, {why}"))
    return lines


def leading(risk: RiskAssessment) -> list[Statement]:
    """Return the statements that set the level."""
    return [
        one
        for one in risk.statements
        if one.level is risk.level and (MODEL if one.signal == MODEL else "policy") in risk.set_by
    ]


def likelihood_in_words(risk: RiskAssessment) -> str:
    """Return how often changes like this one needed a fix, or how it compares with others; "" if with none."""
    likelihood = risk.likelihood
    if likelihood is None or not (likelihood.basis == "size" or likelihood.num_compared):
        return ""
    rate = likelihood.rate
    if rate is not None and rate.num >= LEAST_OBSERVED:
        where = "here" if rate.source == "this repository" else f"in {rate.source}"
        times = round(rate.times_average, 1)
        often = "about as often as most" if times == 1 else f"{times} times as often as average"
        rarely = ", so less often than most" if times < 1 else ""
        return f"Changes like this one needed a fix within a year {often} {where} (n = {rate.num}){rarely}"
    what = "size" if likelihood.basis == "size" else "score"
    num = likelihood.num_compared
    others = f"the last {num} source changes" if num else "source changes of public repositories"
    return f"Likelihood of a fix: its {what} is above that of {min(99, int(likelihood.percentile))} % of {others}"


def set_by(risk: RiskAssessment) -> str:
    """Return what set the level: `impact (Access check removed)`, `likelihood`, or both."""
    labels = dict.fromkeys(KINDS[one.kind].label for one in leading(risk) if one.signal != MODEL)
    parts = ["likelihood"] if "likelihood" in risk.set_by else []
    parts += [f"impact ({', '.join(labels)})"] if labels else []
    parts += ["the model's assessment"] if MODEL in risk.set_by else []
    return " and ".join(parts) or (f"nothing, since {risk.whole_change}" if risk.whole_change else "")


def lowering(risk: RiskAssessment) -> list[str]:
    """Return what would lower the level: all of it is needed where likelihood and impact set it."""
    found = [*dict.fromkeys(one.advice for one in leading(risk) if one.advice)]
    is_large = "likelihood" in risk.set_by and risk.likelihood is not None and risk.likelihood.basis == "size"
    return [*found, "smaller changes, each reviewed by itself"] if is_large else found


def dependents_in_words(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return `3 modules import from changed files`, those that use the change, and the tests to run first."""
    others = [one for one in risk.dependents if not one.is_test]
    near, tests = sum(one.distance == 1 for one in others), len(risk.dependents) - len(others)
    unseen = risk.num_dependents_total - len(risk.dependents)
    # Not every way to use something names it: a component, a key of a document, a member of an object.
    named = Counter(name for one in others for name in one.uses).most_common()
    users = f"using {listed([f'`{name}`' for name, _ in named], MOST_USED)}"
    counts = (
        (sum(bool(one.uses) for one in others), users),
        (sum(bool(one.may_use and not one.uses) for one in others), "perhaps using it"),
        (len(others) - near, "indirect"),
        (tests, "test file" if tests == 1 else "test files"),
        (unseen, "not listed"),
    )
    more = ", ".join(f"{num} {what}" for num, what in counts if num > 0)
    words = f"{plural(near, 'module imports', 'modules import')} from changed files{f' ({more})' if more else ''}"
    if not near and others:
        words = f"{plural(len(others), 'module depends', 'modules depend')} on changed files ({more})"
    if not others and not unseen:
        words = f"only {plural(tests, 'test file depends', 'test files depend')} on changed files"
    return "; ".join(filter(None, (words, _first_tests(report, risk)))) if risk.dependents else ""


def _first_tests(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return `2 test files (of 28) to run first: 1 passed`, as far as a result names them; "" if there are none."""
    first = {one.path for one in risk.dependents if one.is_test and one.affected is Affected.run_first}
    if not first:
        return ""
    tools = report.tools or ToolsResult()
    failed = first & {one.file for one in tools.findings if one.rule in FAILED_TESTS}
    passed = first.intersection(tools.passed_files) - failed
    ended = ", ".join(f"{len(some)} {how}" for some, how in ((passed, "passed"), (failed, "failed")) if some)
    total = f" (of {risk.num_tests_total})" if risk.num_tests_total else ""
    return f"{plural(len(first), 'test file')}{total} to run first{f': {ended}' if ended else ''}"
