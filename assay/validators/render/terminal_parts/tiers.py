"""Tiers of the terminal report."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.validators.policy.verdict import scanner_warnings
from assay.validators.render.dependents import dependents_in_words
from assay.validators.render.phrases import (
    KINDS,
    ORDER,
    OUTCOMES,
    SEVERITY_ICONS,
    advisory,
    blocks,
    changed_lines,
    commands_in_words,
    counted,
    coverage_in_words,
    left_out,
    moved_in_words,
    place,
    quality_in_words,
    said_once,
    seen_before,
    versions,
    with_unknown,
)
from assay.validators.render.risk_words import asks_for_review, lowering, observed, rollback_in_words, set_by
from assay.validators.render.terminal_parts.blocks import (
    LEVEL_STYLES,
    SEVERITY_STYLES,
    finding_lines,
    grid,
    heading,
    indented,
)
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import Outcome, RiskAssessment, ToolRun, ValidationReport
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.unknown import Question

MOST_RUNS = 40
MOST_FINDINGS = 25
MOST_DEPENDENTS = 5
_OUTCOME_STYLES = {
    Outcome.passed: "green",
    Outcome.failed: "red",
    Outcome.timed_out: "red",
    Outcome.infra_failed: "magenta",
    Outcome.inert: "yellow",
    Outcome.skipped: "dim",
}


def tools_tier(report: ValidationReport, words: Words) -> RenderableType:
    """Return a line for each command."""
    parts: list[RenderableType] = [heading(words.ours("Tier 1 — Tool Validation"))]
    if report.tools is None:
        return Group(*parts, Text("  not run"))
    runs = sorted(report.tools.runs, key=lambda run: ORDER.index(run.kind))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for ratio in (None, None, 1, None):
        table.add_column(ratio=ratio, no_wrap=ratio is None, overflow="fold")
    for run in runs[:MOST_RUNS]:
        outcome = Text(OUTCOMES[run.outcome], style=_OUTCOME_STYLES[run.outcome])
        duration = Text(f"{run.duration_s:.1f} s", style="dim")
        table.add_row(outcome, KINDS[run.kind], _about(report, run, words), duration)
    parts.append(indented([table]) if runs else Text(f"  {commands_in_words(report)}"))
    parts += map(Text, left_out(len(runs), MOST_RUNS, "  ", "command"))
    warnings = scanner_warnings(report.tools)
    parts += [indented([finding_lines(finding, words)]) for finding in warnings[:MOST_FINDINGS]]
    parts += map(Text, left_out(len(warnings), MOST_FINDINGS, "  ", "warning"))
    if report.tools.num_fix_cycles:
        parts.append(Text(f"  fix cycles used: {report.tools.num_fix_cycles}"))
    return Group(*parts, *_out_of_time(report.tools.timed_out))


def quality_tier(report: ValidationReport, words: Words) -> RenderableType:
    """Return the counts, then each finding."""
    parts: list[RenderableType] = [heading(words.ours("Tier 2 — Code Quality"))]
    quality = report.quality
    if quality is None:
        return Group(*parts, Text("  not run"))
    advice = advisory(report)
    existing = f"; {seen_before(report)} seen before" if seen_before(report) else ""
    parts.append(Padding(words.styled(quality_in_words(report) + existing), (0, 0, 0, 2)))
    table = grid("", gap=1)
    said = said_once(advice)
    for finding, places in said[:MOST_FINDINGS]:
        icon = Text(words.icon(SEVERITY_ICONS[finding.severity]), style=SEVERITY_STYLES[finding.severity])
        table.add_row(icon, finding_lines(finding, words, places))
    if advice:
        parts.append(indented([table]))
    parts += map(Text, left_out(len(said), MOST_FINDINGS, "  "))
    return Group(*parts, *_out_of_time(quality.timed_out))


def risk_tier(report: ValidationReport, words: Words) -> RenderableType:
    """Return the level and the measurements behind it."""
    parts: list[RenderableType] = [heading(words.ours("Tier 3 — Risk Assessment"))]
    files, added, removed = changed_lines(report)
    rows: list[tuple[str, RenderableType]] = [("Files changed", Text(f"{files} | +{added} / -{removed} lines"))]
    if report.risk is None:
        return Group(*parts, Text("  not run"), _facts(rows))
    risk = report.risk
    first: list[tuple[str, RenderableType]] = [
        ("Risk level", Text(risk.level.capitalize(), style=LEVEL_STYLES[risk.level])),
        ("Set by", words.styled(set_by(risk))),
    ]
    if lowering(risk):
        first.append(("What would lower it", words.styled("; ".join(lowering(risk)))))
    if asks_for_review(risk):
        first.append(("Review", Text("a thorough review is recommended")))
    rows = [*first, *rows]
    rows += [
        ("Downstream dependents", _dependents(report, risk, words)),
        ("Public API changes", _api(report, risk, words)),
        ("New dependencies", _dependencies(report, risk, words)),
        ("Coverage of affected area", words.styled(coverage_in_words(report, risk.coverage))),
    ]
    if rollback_in_words(risk):
        rows.append(("Rollback", words.styled(rollback_in_words(risk))))
    if observed(risk):
        parts.append(indented([words.styled(f"{observed(risk)}.")]))
    return Group(*parts, _facts(rows), *_out_of_time(risk.timed_out))


def _facts(rows: list[tuple[str, RenderableType]]) -> RenderableType:
    table = grid("dim")
    for name, value in rows:
        table.add_row(name, value)
    return indented([table])


def _about(report: ValidationReport, run: ToolRun, words: Words) -> Text:
    text = words.styled(run.command, most=160)
    counts = counted(run.counts)
    if counts:
        text.append(f"  {counts}", style="dim")
    if run.reason and run.outcome is not Outcome.passed:
        text.append(f"\n{words.text(run.reason, 300)}", style=_OUTCOME_STYLES[run.outcome])
    if run.outcome in (Outcome.failed, Outcome.timed_out) and not blocks(report.blocking, run):
        text.append(" (does not block)", style="dim")
    return text


def _dependents(report: ValidationReport, risk: RiskAssessment, words: Words) -> Text:
    text = words.styled(dependents_in_words(report, risk))
    users = sorted((one for one in risk.dependents if not one.is_test), key=lambda one: not one.uses)
    for one in users[:MOST_DEPENDENTS]:
        uses = f" uses {', '.join(one.uses[:4])}" if one.uses else ""
        via = f" through {place(one.via)}" if one.via and one.distance > 1 else ""
        text.append(f"\n{words.text(place(one.path) + uses + via, 200)}", style="dim")
    text.append("".join(left_out(len(users), MOST_DEPENDENTS, "\n")), style="dim")
    return text


def _api(report: ValidationReport, risk: RiskAssessment, words: Words) -> Text:
    breaking = [one for one in risk.api_changes if one.kind is ApiChangeKind.breaking]
    num_others = sum(one.kind is ApiChangeKind.non_breaking for one in risk.api_changes)
    known = f"{len(breaking)} breaking, {num_others} non-breaking" if breaking or num_others else ""
    text = words.styled(with_unknown(report, known, Question.interface))
    for one in (breaking or risk.api_changes)[:5]:
        text.append(f"\n{words.text(one.symbol, 120)} {words.text(one.what, 200)}", style="dim")
    return text


def _dependencies(report: ValidationReport, risk: RiskAssessment, words: Words) -> Text:
    new = [one for one in risk.new_dependencies if one.before is None]
    names = [words.text(f"{one.name} {versions(one)}".strip() + f" ({one.ecosystem})", 120) for one in new[:8]]
    names += left_out(len(new), 8)
    moved = len(risk.new_dependencies) - len(new)
    if moved:
        names.append(moved_in_words(moved, len(new)))
    return Text(with_unknown(report, ", ".join(names), Question.dependencies))


def _out_of_time(timed_out: bool) -> list[RenderableType]:
    return [Text("  this tier ran out of time", style="yellow")] if timed_out else []
