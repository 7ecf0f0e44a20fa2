"""Top of the terminal report: a row for each tier, and what to fix."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.validators.render.phrases import (
    KINDS,
    LEVEL_ICONS,
    NOT_RUN_ICON,
    OUTCOMES,
    blocking_findings,
    blocking_runs,
    commands_in_words,
    findings_of,
    left_out,
    place,
    quality_icon,
    quality_in_words,
    thresholds,
    tools_icon,
)
from assay.validators.render.terminal_parts.blocks import LEVEL_STYLES, finding_lines, grid, heading, indented
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import Conclusion, Finding, ToolRun, ValidationReport

MOST_TO_FIX = 20
MOST_EXCERPT = 25
_ICON_STYLES = {"❌": "red", "⚠️": "yellow", "✅": "green", NOT_RUN_ICON: ""}


def tier_table(report: ValidationReport, words: Words) -> RenderableType:
    """Return a row for each tier: its result, and when it blocks."""
    table = grid("", "bold")
    table.add_column(style="dim", overflow="fold")
    tools, quality, risk = thresholds(report)
    icons = [Text(words.icon(icon), _ICON_STYLES[icon]) for icon in (tools_icon(report), quality_icon(report))]
    table.add_row(icons[0], "Tools", commands_in_words(report), tools)
    table.add_row(icons[1], "Quality", words.styled(quality_in_words(report), most=200), quality)
    if report.risk is None:
        table.add_row(words.icon(NOT_RUN_ICON), "Risk", "not run", risk)
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
        parts += map(Text, left_out(len(items), MOST_TO_FIX, "  "))
    elif report.conclusion is not Conclusion.success and report.reasons:
        asked = "Fix the configuration" if report.configuration_at_fault else "Why"
        parts += [heading(asked), indented(words.styled(f"- {reason}") for reason in report.reasons[:MOST_TO_FIX])]
    return Group(*parts) if parts else None


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
