"""Top of the terminal report: a row for each tier, and what to fix."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.validators.render.phrases import (
    KINDS,
    LEVEL_ICONS,
    OUTCOMES,
    advisory,
    blocking_findings,
    blocking_runs,
    commands_in_words,
    findings_of,
    place,
    quality_in_words,
    quality_unknown,
    thresholds,
)
from assay.validators.render.terminal_parts import LEVEL_STYLES, finding_lines, heading, indented
from assay.validators.render.terminal_words import Words
from assay.validators.report.model import Conclusion, Finding, Outcome, Severity, ToolRun, ValidationReport

MOST_TO_FIX = 20
MOST_EXCERPT = 25


def tier_table(report: ValidationReport, words: Words) -> RenderableType:
    """Return a row for each tier: its result, and when it blocks."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="crop")
    table.add_column(no_wrap=True, overflow="crop", style="bold")
    table.add_column(ratio=1, overflow="fold")
    table.add_column(style="dim", overflow="fold")
    tools, quality, risk = thresholds(report)
    table.add_row(_tools_icon(report, words), "Tools", commands_in_words(report), tools)
    table.add_row(_quality_icon(report, words), "Quality", words.styled(quality_in_words(report), most=200), quality)
    if report.risk is None:
        table.add_row(words.icon("▫️"), "Risk", "not run", risk)
    else:
        style = LEVEL_STYLES[report.risk.level]
        icon = Text(words.icon(LEVEL_ICONS[report.risk.level]), style=style)
        table.add_row(icon, "Risk", Text(str(report.risk.level), style=style), risk)
    return table


def fix_these(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return what blocks, numbered; otherwise the reasons of the verdict."""
    runs, findings = blocking_runs(report), blocking_findings(report)
    parts: list[RenderableType] = []
    items: list[ToolRun | Finding] = [*runs, *findings]
    if items:
        table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
        table.add_column(justify="right", no_wrap=True, overflow="crop", style="bold")
        table.add_column(ratio=1, overflow="fold")
        for index, item in enumerate(items[:MOST_TO_FIX], 1):
            what = _run_to_fix(report, item, words) if isinstance(item, ToolRun) else finding_lines(item, words)
            table.add_row(f"{index}.", what)
        parts += [heading("Fix these"), table]
        if len(items) > MOST_TO_FIX:
            parts.append(Text(f"  and {len(items) - MOST_TO_FIX} more"))
    elif report.conclusion is not Conclusion.success and report.reasons:
        asked = "Fix the configuration" if report.configuration_at_fault else "Why"
        parts += [heading(asked), indented(words.styled(f"- {reason}") for reason in report.reasons[:MOST_TO_FIX])]
    return Group(*parts) if parts else None


def _tools_icon(report: ValidationReport, words: Words) -> Text:
    if report.tools is None or not report.tools.runs:
        return Text(words.icon("▫️"))
    if blocking_runs(report):
        return Text(words.icon("❌"), style="red")
    good = all(run.outcome in (Outcome.passed, Outcome.skipped) for run in report.tools.runs)
    return Text(words.icon("✅" if good else "⚠️"), style="green" if good else "yellow")


def _quality_icon(report: ValidationReport, words: Words) -> Text:
    if report.quality is None:
        return Text(words.icon("▫️"))
    if blocking_findings(report):
        return Text(words.icon("❌"), style="red")
    if not all(finding.severity is Severity.info for finding in advisory(report)):
        return Text(words.icon("⚠️"), style="yellow")
    return Text(words.icon("▫️")) if quality_unknown(report) else Text(words.icon("✅"), style="green")


def _run_to_fix(report: ValidationReport, run: ToolRun, words: Words) -> RenderableType:
    first = Text(f"{KINDS[run.kind]}: {OUTCOMES[run.outcome]} ", style="red")
    first.append(words.text(run.command, 200), style="bold default")
    parts: list[RenderableType] = [first]
    if run.reason:
        parts.append(words.styled(run.reason))
    for one in findings_of(report, run)[:5]:
        line = words.styled(place(one.file, one.line), "bold")
        line.append(f"  {words.text(one.message, 300)}", style="not bold")
        parts.append(line)
    excerpt = words.lines(run.excerpt[:MOST_EXCERPT])
    if excerpt:
        parts.append(Padding(Text("\n".join(excerpt), style="dim"), (0, 0, 0, 2)))
    if len(run.excerpt) > MOST_EXCERPT:
        parts.append(Text(f"  … {len(run.excerpt) - MOST_EXCERPT} lines more", style="dim"))
    return Group(*parts)
