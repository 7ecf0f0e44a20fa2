"""First screen of a report, in every format: the gravest statements, how likely a fix is, and what was not checked."""

from __future__ import annotations

import re

from assay.validators.policy.verdict import MOST_OF_A_COMMAND
from assay.validators.render.view import Row, Section, cut
from assay.validators.render.words import (
    COMMANDS,
    dependents_in_words,
    likelihood_in_words,
    lost_commands,
    not_checked,
    place,
)
from assay.validators.report.gravity import KINDS
from assay.validators.report.model import (
    Conclusion,
    Finding,
    Outcome,
    Severity,
    Statement,
    ToolKind,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.statements import num_more, worth_saying
from assay.validators.wording import listed, plural, shortened

MOST_SAID = 3
MOST_UNCHECKED = 5
MOST_DETAILS = 6
MOST_NAMES = 3
MOST_REASONS = 10
_FAILS = re.compile(r"(?i)\b(?:error|fatal|exception|fail(?:ed|ure)?|panic)\b|Error\b")


def first_screen(report: ValidationReport) -> list[Section]:
    """Return at most `MOST_SAID` statements, what a person is asked, and the facts: what was verified and what not."""
    said = worth_saying(report.statements)
    shown = said[:MOST_SAID]
    heading = "Fix these" if any(one.is_blocking for one in shown) else "Review these"
    more = [f"and {len(said) - MOST_SAID} more, in the whole report"] if len(said) > MOST_SAID else []
    asked = _asked(report)
    facts = (
        Row(_verified(report) if report.conclusion is Conclusion.success else ""),
        Row(likelihood_in_words(report.risk) if report.risk is not None else ""),
        Row(_unchecked(report), "Not checked"),
    )
    found = (
        Section(heading, tuple(item(report, one) for one in shown), is_numbered=True),
        Section("", tuple(map(Row, more))),
        Section(asked, tuple(map(Row, report.reasons[:MOST_REASONS])) if asked else ()),
        Section("", tuple(row for row in facts if row.text)),
    )
    return [one for one in found if one.rows]


def item(report: ValidationReport, one: Statement) -> Row:
    """Return a statement as a row: with its other places, or with what a failed command found."""
    run = run_of(report, one)
    if run is not None:
        found = [Row(each.message, place=place(each.file, each.line)) for each in findings_of(report, run)]
        details = cut(found or _telling(run), MOST_DETAILS)
        return Row(one.text, COMMANDS[run.kind], rule=run.command, details=details)
    others = [Row(each.text, place=place(each.file, each.line)) for each in one.evidence[:MOST_DETAILS]]
    return Row(
        one.text,
        "" if one.kind == "finding" else KINDS[one.kind].label,
        place(one.file, one.line),
        one.signal if one.finding else "",
        one.advice or "",
        cut(others, MOST_DETAILS, num_more(one) - len(others)),
        finding=next((each for each in report.findings if each.id == one.finding), None) if one.finding else None,
    )


def run_of(report: ValidationReport, one: Statement) -> ToolRun | None:
    """Return the failed command that a statement is about; None for another statement."""
    is_run = one.kind in ("test_fails", "command_fails") and not one.finding
    return next((run for run in report.runs if is_run and run.name == one.signal), None)


def findings_of(report: ValidationReport, run: ToolRun) -> list[Finding]:
    """Return the findings of Tier 1 that a failed command's tool reported.

    A finding names its tool, not the command: `npm test` does not name jest. Errors of a tool that no failed command
    names belong to the only one without findings.
    """
    found = report.tools.findings if report.tools is not None else ()
    failed = (one for one in report.runs if one.outcome is Outcome.failed)
    named = {one.name: {one.name, *one.command.split()} for one in (*failed, run)}
    silent = {name for name, words in named.items() if not any(one.tool in words for one in found)}
    if silent != {run.name}:
        return [one for one in found if one.tool in named[run.name]]
    claimed = set[str | None]().union(*named.values())
    return [one for one in found if one.severity is Severity.error and one.tool not in claimed]


def _telling(run: ToolRun) -> list[Row]:
    """Return the line of the output that names the failure, else its last one."""
    lines = [line for line in run.excerpt if line.strip(" …")]
    telling = [line for line in lines if _FAILS.search(line)] or lines[-1:]
    return [Row(f"`{line.strip()}`") for line in telling[:1]]


def _asked(report: ValidationReport) -> str:
    if report.configuration_at_fault:
        return "Fix the configuration"
    if report.conclusion is Conclusion.incomplete:
        return "Some checks could not run"
    return "Approval required" if report.hold or report.conclusion is Conclusion.action_required else ""


def _verified(report: ValidationReport) -> str:
    """Return what a successful change passed: tests, and the files that depend on it.

    `312 tests passed; 3 modules import from changed files; 2 test files (of 28) to run first: 2 passed`.
    """
    risk = report.risk
    tests = [run.counts for run in report.runs if run.kind is ToolKind.test]
    passed = [counts.passed for counts in tests if counts.passed]
    failed = sum((counts.failed or 0) + (counts.errors or 0) for counts in tests)
    parts = [risk.whole_change] if risk is not None and risk.whole_change else []
    if passed:
        # Several commands can run the same tests.
        where = f" in {len(passed)} commands" if len(passed) > 1 else ""
        failing = f", {failed} failed without blocking" if failed else ""
        parts.append(f"{plural(sum(passed), 'test')} passed{where}{failing}")
    if risk is not None and risk.dependents:
        parts.append(dependents_in_words(report, risk))
    wider = [one.symbol for one in (risk.api_changes if risk else ()) if one.kind is ApiChangeKind.non_breaking]
    if wider:
        parts.append(f"public API changed without a break: {listed(wider, MOST_NAMES)}")
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]


def _unchecked(report: ValidationReport) -> str:
    """Return what was not checked, of commands with the reason; "" if everything that was asked for was."""
    names = [f"{what} ({shortened(why.partition('; ')[0], MOST_OF_A_COMMAND)})" for what, why in lost_commands(report)]
    names += dict.fromkeys(what for what, _ in not_checked(report, has_asides=False))
    return "; ".join(one.text for one in cut(map(Row, names), MOST_UNCHECKED))
