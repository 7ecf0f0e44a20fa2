"""What the first screen of a report says, in every format: what to do, else what was verified, and what was not."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.changes.classify import Nature
from assay.validators.policy.verdict import MOST_OF_A_COMMAND, short_command
from assay.validators.render.dependents import first_tests, first_tests_in_words
from assay.validators.render.phrases import (
    OUTCOMES,
    advisory,
    blocking_findings,
    blocking_runs,
    not_checked,
    with_unknown,
)
from assay.validators.report.model import (
    Conclusion,
    Finding,
    Outcome,
    RiskAssessment,
    Severity,
    ToolKind,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.unknown import Question
from assay.validators.wording import plural, shortened

MOST_TO_DO = 3
MOST_UNCHECKED = 5


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What a page shows before the tiers."""

    is_blocking: bool
    to_do: tuple[ToolRun | Finding, ...]
    num_more: int
    verified: str
    not_checked: str


def first_screen(report: ValidationReport) -> FirstScreen:
    """Return at most `MOST_TO_DO` things to do, else what was verified, and what was not checked."""
    items = to_fix(report)
    found: list[ToolRun | Finding] = items or [*to_consider(report)]
    said = "" if found else verified(report)
    more = max(0, len(found) - MOST_TO_DO)
    return FirstScreen(bool(items), tuple(found[:MOST_TO_DO]), more, said, unchecked(report))


def to_fix(report: ValidationReport) -> list[ToolRun | Finding]:
    """Return what blocks the change, commands first."""
    return [*blocking_runs(report), *blocking_findings(report)]


def to_consider(report: ValidationReport) -> list[Finding]:
    """Return the advisory findings worth a look, if nothing blocks: warnings and errors, the most severe first."""
    if to_fix(report):
        return []
    found = [one for one in advisory(report) if one.severity.at_least(Severity.warning)]
    return sorted(found, key=lambda one: -one.severity.rank)


def verified(report: ValidationReport) -> str:
    """Return what a successful change passed, beyond the rows of the tiers.

    `312 tests passed; 3 files import what changed, 2 test files reach it: all of them passed`. "" for a change that
    did not succeed, or of which nothing was validated.
    """
    if report.conclusion is not Conclusion.success:
        return ""
    parts = []
    runs = report.tools.runs if report.tools is not None else ()
    tests = [run.counts for run in runs if run.kind is ToolKind.test]
    passed = sum(counts.passed or 0 for counts in tests)
    failed = sum((counts.failed or 0) + (counts.errors or 0) for counts in tests)
    if passed:
        failing = f", {failed} failed without blocking" if failed else ""
        num = sum(bool(counts.passed) for counts in tests)
        # Several commands can run the same tests.
        where = f" in {num} commands" if num > 1 else ""
        parts.append(f"{plural(passed, 'test')} passed{where}{failing}")
    if report.risk is not None and report.risk.dependents:
        parts.append(_users(report, report.risk))
    if not parts and report.quality is not None and not any(one.introduced for one in report.findings):
        parts.append(f"no finding in {plural(len(report.files), 'changed file')}")
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]


def lost_commands(report: ValidationReport) -> list[ToolRun]:
    """Return the commands that gave no result and do not block: unavailable, or they could not run."""
    runs = report.tools.runs if report.tools is not None else ()
    return [run for run in runs if run.outcome in (Outcome.inert, Outcome.infra_failed) and not run.gating]


def all_not_checked(report: ValidationReport) -> list[tuple[str, str]]:
    """Return what was not checked, each with why: first the commands without a result."""
    commands = [(short_command(run), run.reason or OUTCOMES[run.outcome].lower()) for run in lost_commands(report)]
    return [*commands, *not_checked(report)]


def _without_result(run: ToolRun) -> str:
    """Return a command that has no result, and the first part of why."""
    why = shortened((run.reason or "").partition("; ")[0], MOST_OF_A_COMMAND)
    return f"{short_command(run)}{f' ({why})' if why else ''}"


def _users(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return how many files import what changed, and what Tier 1 says of the tests that reach it."""
    files = sum(one.distance == 1 and not one.is_test for one in risk.dependents)
    tests = len(first_tests(risk))
    words = f"{plural(files, 'file') if files else 'no other file'} {'import' if files > 1 else 'imports'} what changed"
    if tests:
        passed = first_tests_in_words(report, risk, by_commands=False)
        reach = "reach" if tests > 1 else "reaches"
        # A test file that the change edits is part of the change, and its own failures may be in the line before.
        other = "other " if any(file.get("nature") == Nature.test for file in report.files) else ""
        words += f", {plural(tests, f'{other}test file')} {reach} it{f': {passed}' if passed else ''}"
    return with_unknown(report, words, Question.dependents, "")


def unchecked(report: ValidationReport) -> str:
    """Return what was not checked, of commands with the reason; "" if everything that was asked for was."""
    commands = map(_without_result, lost_commands(report))
    names = list(dict.fromkeys((*commands, *(what for what, _ in not_checked(report)))))
    more = f"; and {len(names) - MOST_UNCHECKED} more" if len(names) > MOST_UNCHECKED else ""
    return "; ".join(names[:MOST_UNCHECKED]) + more
