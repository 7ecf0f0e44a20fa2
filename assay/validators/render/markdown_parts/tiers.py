"""Tiers of the Markdown report; headings and lines follow the specification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.escape import code, fitting, prose
from assay.validators.render.dependents import dependents_in_words
from assay.validators.render.phrases import (
    LEVEL_ICONS,
    MOST_PLACES,
    OUTCOMES,
    SEVERITY_ICONS,
    changed_lines,
    counted,
    coverage_in_words,
    leaves_own_commands,
    left_out,
    moved_in_words,
    of_kind,
    place,
    quality_in_words,
    said_once,
    standing,
    versions,
    with_unknown,
)
from assay.validators.render.risk_words import asks_for_review, lowering, observed, rollback_in_words, set_by
from assay.validators.report.model import (
    OWN_COMMANDS,
    Finding,
    Gate,
    Outcome,
    QualityResult,
    RiskAssessment,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind, NewDependency
from assay.validators.report.unknown import Question
from assay.validators.wording import plural

MOST_RUNS = 30
MOST_FINDINGS = 12
MOST_DEPENDENCIES = 8
MOST_BYTES_OF_A_TIER = 9_000
NOT_RUN = "- Not run; see “Not checked”"


def tools_tier(report: ValidationReport) -> str:
    """Return a line for each command: `- Tests: PASS (42 passed, 0 failed)`."""
    return "\n".join(["### Tier 1 — Tool Validation", "", *_tools(report)])


def quality_tier(report: ValidationReport) -> str:
    """Return `- 0 errors, 1 warning, 2 info`, then a line for each finding."""
    return "\n".join(["### Tier 2 — Code Quality", "", *_quality(report)])


def risk_tier(report: ValidationReport) -> str:
    """Return the level and the measurements behind it."""
    return "\n".join(["### Tier 3 — Risk Assessment", "", *_risk(report)])


def _tools(report: ValidationReport) -> Iterator[str]:
    if report.tools is None:
        yield NOT_RUN
        return
    runs = of_kind(report.tools.runs)
    if not runs:
        unasked = leaves_own_commands(report)
        yield f"- {OWN_COMMANDS.capitalize()} were not run" if unasked else "- No command of this repository was found"
    lines = (f"- {kind or code(run.name, 80)}: {OUTCOMES[run.outcome]}{_details(run)}" for kind, run in runs)
    kept, left = fitting(lines, len(runs), MOST_RUNS, MOST_BYTES_OF_A_TIER)
    yield from kept
    if left:
        yield f"- and {plural(left, 'command')} more"
    yield from _ended(report.tools)


def _details(run: ToolRun) -> str:
    counts = counted(run.counts)
    said = f" ({counts})" if counts else ""
    if run.outcome is Outcome.passed:
        return said
    reason = f" — {prose(run.reason, 300)}" if run.reason else ""
    return said + reason + _does_not_count(run)


def _does_not_count(run: ToolRun) -> str:
    """Return why a failing command does not block."""
    if run.gating or run.outcome not in (Outcome.failed, Outcome.timed_out):
        return ""
    if run.gate is Gate.informational:
        return " _(advisory)_"
    return " _(does not block)_"


def _quality(report: ValidationReport) -> Iterator[str]:
    if report.quality is None:
        yield NOT_RUN
        return
    findings = standing(report)
    yield f"- {prose(quality_in_words(report), 300)}"
    kept, left = _listed(findings)
    yield from kept
    if left:
        yield f"- and {left} more, listed further down"
    yield from _ended(report.quality)


def findings_left(report: ValidationReport) -> list[Finding]:
    """Return the findings that no line of Tier 2 names with its place."""
    findings = standing(report)
    said = [_key(one) for one, _ in said_once(findings)]
    shown: dict[tuple[str, str, str], list[str]] = {key: [] for key in said[: len(_listed(findings)[0])]}
    left = []
    for one in findings:
        places = shown.get(_key(one))
        where = place(one.file, one.line)
        if places is not None and len(places) < MOST_PLACES and where not in places:
            places.append(where)
        if places is None or where not in places:
            left.append(one)
    return left


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.severity, finding.message


def _listed(findings: Sequence[Finding]) -> tuple[list[str], int]:
    said = said_once(findings)
    lines = (_finding(one, places) for one, places in said)
    return fitting(lines, len(said), MOST_FINDINGS, MOST_BYTES_OF_A_TIER)


def _finding(one: Finding, places: str) -> str:
    fix = f"\\\n  → {prose(one.suggestion, 300)}" if one.suggestion else ""
    by = f", {prose(one.tool, 40)}" if one.tool else ""
    rule = f" ({code(one.rule, 80)}{by})"
    return f"- {SEVERITY_ICONS[one.severity]} {prose(one.message, 400)}{_at(places)}{rule}{fix}"


def _at(places: str) -> str:
    return f" — {code(places, 400)}" if places else ""


def _risk(report: ValidationReport) -> Iterator[str]:
    files, added, removed = changed_lines(report)
    risk = report.risk
    if risk is None:
        yield NOT_RUN
        yield f"- Files changed: {files} | Lines: +{added} / -{removed}"
        return
    if observed(risk):
        yield f"{prose(observed(risk), 200)}.\n"
    yield f"- **Risk level: {risk.level.capitalize()}** {LEVEL_ICONS[risk.level]}"
    yield f"- Files changed: {files} | Lines: +{added} / -{removed}"
    yield f"- Downstream dependents: {prose(dependents_in_words(report, risk), 300)}"
    yield f"- Public API changes: {with_unknown(report, _api(risk.api_changes), Question.interface)}"
    yield f"- New dependencies: {with_unknown(report, _dependencies(risk.new_dependencies), Question.dependencies)}"
    yield f"- Test coverage of affected area: {prose(coverage_in_words(report, risk.coverage), 300)}"
    yield f"- Level set by: {prose(set_by(risk), 300)}"
    if lowering(risk):
        yield f"- What would lower it: {prose('; '.join(lowering(risk)), 400)}"
    if asks_for_review(risk):
        yield "- A thorough review is recommended"
    if rollback_in_words(risk):
        yield f"- Rollback: {prose(rollback_in_words(risk), 400)}"
    yield from _ended(risk)


def _ended(tier: ToolsResult | QualityResult | RiskAssessment) -> Iterator[str]:
    """Yield how a tier ended, if it did not run once and in full."""
    if tier.timed_out:
        yield "- ⏱️ This tier ran out of time; see “Not checked”"
    if not isinstance(tier, RiskAssessment) and tier.num_fix_cycles:
        yield f"- Fix cycles used: {tier.num_fix_cycles}"


def _api(changes: Sequence[ApiChange]) -> str:
    breaking = sum(change.kind is ApiChangeKind.breaking for change in changes)
    parts = [f"**{breaking} breaking**"] if breaking else []
    others = sum(change.kind is ApiChangeKind.non_breaking for change in changes)
    parts += [f"{others} non-breaking"] if others else []
    return ", ".join(parts)


def _dependencies(dependencies: Sequence[NewDependency]) -> str:
    """Return new packages by name, and the number of those that only change version."""
    new = [one for one in dependencies if one.before is None]
    moved = len(dependencies) - len(new)
    names = [
        f"{code(f'{one.name} {versions(one)}', 80)} ({prose(one.ecosystem, 20)})" for one in new[:MOST_DEPENDENCIES]
    ]
    names += left_out(len(new), MOST_DEPENDENCIES)
    if moved:
        names.append(moved_in_words(moved, len(new)))
    return ", ".join(names)
