"""Verdict on a change: one conclusion, one title, one exit code.

`failure`: the change is at fault. `action_required`: the configuration is at fault, or the change needs approval.
`incomplete`: a check could not run. A failure takes precedence over a check that could not run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.validators.configuration.model import FailOn, HoldOn, Mode, ValidationConfig
from assay.validators.report.gravity import KINDS
from assay.validators.report.model import (
    OWN_CHECKS,
    REPORTED,
    UNTRUSTED_RUN,
    Conclusion,
    Finding,
    Gate,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskLevel,
    Severity,
    Statement,
    ToolKind,
    ToolRun,
    ToolsResult,
)
from assay.validators.report.review import is_by_model
from assay.validators.report.statements import num_more, worth_saying
from assay.validators.report.unknown import Missing, unknown_of_source
from assay.validators.wording import listed, plural, shortened

SCANNERS = ToolKind.sast
APPROVAL = "approval required"
"""Words for a hold in titles and reasons."""
UNREADABLE = "unreadable_source"
"""Risk signal that counts unreadable changed source files."""
_APPROVED = ("package_malicious", "package_absent", "source_moved")
"""Kinds of statements that hold a change in mode `enforce`: what is installed may come from any author."""
MOST_OF_A_COMMAND = 60
MOST_CHECKS = 5
"""Checks that a reason names."""


class Verdict(NamedTuple):
    """Fields of the report: conclusion, reasons (one line each), whether it holds, what blocks (names, finding ids).

    `missing` results are a reason of the hold, which begins with the value.
    """

    conclusion: Conclusion
    reasons: tuple[str, ...] = ()
    hold: bool = False
    blocking: tuple[str, ...] = ()
    configuration_at_fault: bool = False
    missing: Missing | None = None


def decide(
    config: ValidationConfig,
    tools: ToolsResult | None,
    quality: QualityResult | None,
    risk: RiskAssessment | None,
    waived: Collection[str] = (),
    *,
    expects_tests: bool = False,
) -> Verdict:
    """Return the verdict by the table in docs/report.md; findings whose ids are `waived` do not count.

    `expects_tests`: source changed, and the base has tests.
    """
    runs = blocking_runs(tools)
    findings = blocking_findings(config, quality, waived)
    blocking = (*(run.name for run in runs), *(finding.id for finding in findings))
    held = tuple(_held(config, risk)) if risk is not None else ()
    hold = bool(held)
    if blocking:
        failed = [
            f"{run.name} {'ran out of time' if run.outcome is Outcome.timed_out else 'failed'}{_because(run)}"
            for run in runs
        ]
        counted = [f"{plural(len(findings), 'blocking finding')} in code quality"] if findings else []
        return Verdict(Conclusion.failure, (*failed, *counted, *held), hold, blocking)
    inert = _all_unavailable(tools)
    if inert:
        return Verdict(Conclusion.action_required, (*inert, *held), hold, configuration_at_fault=True)
    not_run = (*_could_not_run(tools, config.mode), *_unfinished(tools, quality, config.mode))
    if not_run:
        return Verdict(Conclusion.incomplete, (*not_run, *held), hold)
    missing = Missing.results
    why = _no_result(tools)
    if not why and expects_tests:
        missing, why = Missing.tests, _no_test_result(config, tools)
    if why:
        checks = listed(tools.checks, MOST_CHECKS) if tools is not None else ""
        names = f"; `tier1.testChecks` names the checks that count as tests, and this commit has {checks}"
        held = (*held, f"{missing}: {why}{names if checks else ''}")
    conclusion = Conclusion.action_required if held else Conclusion.success
    return Verdict(conclusion, held, bool(held), missing=missing if why else None)


def _has_test_results(tools: ToolsResult | None) -> bool:
    """Return whether a test command has a result; untrusted results do not count."""
    return any(
        run.kind is ToolKind.test
        and run.outcome in (Outcome.passed, Outcome.failed, Outcome.timed_out)
        and not _is_untrusted(run)
        for run in _own_commands(tools)
    )


def short_command(run: ToolRun) -> str:
    """Return the command, or the run's name where that is long: several long ones begin alike."""
    return run.command if len(run.command) <= MOST_OF_A_COMMAND else run.name


def _is_untrusted(run: ToolRun) -> bool:
    return run.found_in.removeprefix(REPORTED).startswith(UNTRUSTED_RUN)


def _is_cut_off(run: ToolRun) -> bool:
    """Return whether Assay did not run a command for lack of time or of a tree; CI may skip a check on purpose."""
    return run.outcome is Outcome.skipped and not run.found_in.removeprefix(REPORTED).startswith(OWN_CHECKS)


def held_by(level: RiskLevel, parts: Iterable[str] = ("policy",)) -> str:
    """Return how the reason for a hold by the risk level begins; `parts` are what set the level."""
    return f"{level} risk, set by {' and '.join(parts)}:"


def _held(config: ValidationConfig, risk: RiskAssessment) -> Iterator[str]:
    """Yield the reasons for a hold."""
    is_level = config.tier3.hold_on is not HoldOn.policy
    held = risk.computed if is_level else risk.floor
    if held.at_least(RiskLevel(config.tier3.risk_threshold_for_hold)):
        parts = risk.computed_by if is_level else ("policy",)
        yield f"{held_by(held, parts)} {APPROVAL}"
    if config.mode is Mode.enforce:
        for kind in dict.fromkeys(one.kind for one in risk.statements if one.kind in _APPROVED):
            yield f"{KINDS[kind].label.lower()}: {APPROVAL}"
    if config.tier3.hold_on is HoldOn.unknown:
        for question, names in unknown_of_source(risk.not_checked):
            yield f"unknown {question}: {APPROVAL} ({', '.join(names)})"


def exit_code(conclusion: Conclusion, *, hold: bool, configuration_at_fault: bool, fail_on: FailOn) -> int:
    """Return the exit code.

    0: success. 1: the change failed, is held or lacks test results. 2: the configuration is at fault. 3: a check could
    not run. `fail_on` changes code 1 only.
    """
    if conclusion is Conclusion.incomplete:
        return 3
    if configuration_at_fault:
        return 2
    if conclusion is Conclusion.failure:
        return 0 if fail_on is FailOn.never else 1
    return 1 if (hold or conclusion is Conclusion.action_required) and fail_on is FailOn.hold else 0


def title(
    verdict: Verdict,
    config: ValidationConfig,
    tools: ToolsResult | None,
    quality: QualityResult | None,
    risk: RiskAssessment | None,
    statements: Sequence[Statement] = (),
    waived: Collection[str] = (),
) -> str:
    """Return the verdict in one line: `Medium risk (dependents unknown: Go) · tests pass · 1 blocking, 2 to review`.

    `statements` is everything the report says; "no findings" and "nothing to fix" stand only where none of them is
    more than a remark.
    """
    parts = [_level(risk) if risk is not None else "Risk not assessed"]
    parts.append(verdict.missing or _tests(tools))
    said = [one for one in worth_saying(statements) if not one.is_blocking]
    num_waived = sum(one.id in waived for tier in (tools, quality) if tier is not None for one in tier.findings)
    counts = [f"{len(verdict.blocking)} blocking"] if verdict.blocking else []
    counts += [f"{len(said)} to review"] if said else []
    if counts:
        parts.append(", ".join(counts))
    elif quality is not None or (tools is not None and tools.runs):
        parts.append("nothing to fix" if quality is not None and _all_finished(tools) else "no findings")
    if num_waived:
        parts.append(f"{num_waived} waived")
    if verdict.configuration_at_fault:
        parts.append("configuration error")
    if verdict.conclusion is Conclusion.incomplete:
        unfinished = (*_unfinished(tools, quality, config.mode), "some checks could not run")
        parts.append(shortened(unfinished[0], 2 * MOST_OF_A_COMMAND))
    if verdict.hold:
        parts.append(APPROVAL)
    return " · ".join(parts)


def _all_finished(tools: ToolsResult | None) -> bool:
    """Return whether tests ran, every started scanner finished, and no command was lost."""
    scanners = [run for run in tools.runs if run.kind is SCANNERS] if tools else []
    looked = bool(scanners) and all(run.outcome in (Outcome.passed, Outcome.failed) for run in scanners)
    lost = any(run.outcome in (Outcome.inert, Outcome.infra_failed) for run in _own_commands(tools))
    return looked and not lost and _has_test_results(tools)


def _level(risk: RiskAssessment) -> str:
    """Return `Medium risk`; `at least` that if a signal had no time, since it may have found more."""
    if risk.timed_out and risk.level is not RiskLevel.critical:
        return f"At least {risk.level} risk (out of time)"
    return f"{risk.level.capitalize()} risk{_qualified(risk)}"


def _qualified(risk: RiskAssessment) -> str:
    """Return the unknown that matters most for the level, in brackets; changed source only."""
    unread = [one for one in risk.statements if one.signal == UNREADABLE]
    if unread:
        return f" ({plural(sum(1 + num_more(one) for one in unread), 'file')} could not be read)"
    for question, names in unknown_of_source(risk.not_checked):
        return f" ({question} unknown: {listed(names, 2)})"
    return ""


def blocking_runs(tools: ToolsResult | None) -> tuple[ToolRun, ...]:
    """Return the commands that fail the change."""
    runs = tools.runs if tools else ()
    return tuple(run for run in runs if run.gating and run.outcome in (Outcome.failed, Outcome.timed_out))


def blocking_findings(
    config: ValidationConfig, quality: QualityResult | None, waived: Collection[str] = ()
) -> tuple[Finding, ...]:
    """Return the findings of Tier 2 that fail the change.

    A model's findings block as errors alone: a test shows them, or the configuration gives them that severity.
    """
    findings = quality.findings if quality else ()
    least = config.tier2.blocking_severity
    return tuple(
        finding
        for finding in findings
        if finding.introduced
        and finding.id not in waived
        and finding.severity.at_least(Severity.error if is_by_model(finding) else least)
    )


def _because(run: ToolRun) -> str:
    return f": {run.reason}" if run.reason else ""


def _own_commands(tools: ToolsResult | None) -> list[ToolRun]:
    return [run for run in (tools.runs if tools else ()) if run.kind is not SCANNERS]


def _all_unavailable(tools: ToolsResult | None) -> tuple[str, ...]:
    """Return a line for each command if all of the repository's commands are unavailable."""
    tried = [run for run in _own_commands(tools) if run.outcome is not Outcome.skipped]
    if not tried or any(run.outcome is not Outcome.inert for run in tried):
        return ()
    return tuple(f"{run.name} is unavailable: {run.reason or 'no such command'} ({run.found_in})" for run in tried)


def _no_result(tools: ToolsResult | None) -> str:
    """Return why, if commands did not run or are unavailable and no other gave a result, else ""."""
    tried = [run for run in _own_commands(tools) if run.outcome is not Outcome.skipped or _is_cut_off(run)]
    tried = [run for run in tried if run.gate is not Gate.informational]
    if not tried or any(run.outcome not in (Outcome.inert, Outcome.infra_failed, Outcome.skipped) for run in tried):
        return ""
    return f"no command of the repository gave a result ({tried[0].name}: {tried[0].reason or 'machine failure'})"


def _no_test_result(config: ValidationConfig, tools: ToolsResult | None) -> str:
    """Return why, if tests that are required gave no result, else ""."""
    required = config.tier1.require_tests
    lost = [
        f"`{short_command(run)}` {'was not run' if run.outcome is Outcome.skipped else 'gave no result'}{_because(run)}"
        for run in _own_commands(tools)
        if run.kind is ToolKind.test and (run.outcome in (Outcome.inert, Outcome.infra_failed) or _is_cut_off(run))
    ]
    is_required = (config.mode is Mode.enforce or bool(lost)) if required is None else required
    if not is_required or _has_test_results(tools):
        return ""
    why = "; ".join(lost) if lost and required is None else "source changed, and the base has tests"
    return f"{why} (tier1.requireTests)"


def _could_not_run(tools: ToolsResult | None, mode: Mode) -> tuple[str, ...]:
    """Return a line for each command that could not run, except those that never block.

    A command that could not run on the base either is not the change's fault, and a retry would not help: it prevents
    success in mode `enforce` only.
    """
    return tuple(
        f"`{short_command(run)}` could not run: {run.reason or 'machine failure'}"
        for run in _own_commands(tools)
        if run.outcome is Outcome.infra_failed
        and run.gate is not Gate.informational
        and (run.base_outcome is None or mode is Mode.enforce)
    )


def _unfinished(tools: ToolsResult | None, quality: QualityResult | None, mode: Mode) -> tuple[str, ...]:
    """Return a line for each check that was cut off and could have blocked; scanners count in mode `enforce` only."""
    tiers = (quality, tools if mode is Mode.enforce else None)
    notes = [note for tier in tiers if tier is not None for note in tier.not_checked if note.could_block]
    return tuple(f"`{note.what}`, which could block, is incomplete: {note.why}" for note in notes)


def _tests(tools: ToolsResult | None) -> str:
    """Return how the tests ended; an untrusted run is used, and named as such, only if there is no other."""
    tests = [run for run in _own_commands(tools) if run.kind is ToolKind.test and run.outcome is not Outcome.skipped]
    known = [run for run in tests if run.gating or not _is_untrusted(run)]
    if not tests:
        return "tests not run"
    return _ended(known) if any(not _is_untrusted(run) for run in tests) else f"{_ended(tests)} (untrusted run)"


def _ended(tests: Sequence[ToolRun]) -> str:
    outcomes = {run.outcome for run in tests}
    if any(run.gating and run.outcome is Outcome.failed for run in tests):
        return "tests fail"
    if Outcome.timed_out in outcomes:
        return "tests timed out"
    if Outcome.failed in outcomes:
        return "tests were failing before"
    if Outcome.passed in outcomes:
        return "tests pass" if outcomes == {Outcome.passed} else "tests pass where they ran"
    return "tests could not run"
