"""Top of the terminal report: a row for each tier, what to do, and what was not checked."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.validators.render.first_screen import MOST_TO_DO, to_consider, to_fix, unchecked, verified
from assay.validators.render.phrases import (
    KINDS,
    LEVEL_ICONS,
    NOT_RUN_ICON,
    OUTCOMES,
    commands_in_words,
    findings_of,
    left_out,
    place,
    quality_icon,
    quality_in_words,
    thresholds,
    tools_icon,
)
from assay.validators.render.risk_words import reason
from assay.validators.render.terminal_parts.blocks import LEVEL_STYLES, finding_lines, grid, heading, indented
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import Conclusion, Finding, ToolRun, ValidationReport

MOST_REASONS = 20
MOST_EXCERPT = 25
MOST_EXCERPT_WITH_FINDINGS = 8
"""Lines of output where findings state the failures."""
_ICON_STYLES = {"❌": "red", "⚠️": "yellow", "✅": "green", NOT_RUN_ICON: ""}


def tier_table(report: ValidationReport, words: Words) -> RenderableType:
    """Return a row for each tier: its result, and when it blocks."""
    table = grid("", "bold")
    table.pad_edge = False
    table.add_column(style="dim", overflow="fold")
    tools, quality, risk = thresholds(report)
    icons = [Text(words.icon(icon), _ICON_STYLES[icon]) for icon in (tools_icon(report), quality_icon(report))]
    table.add_row(icons[0], "Tools", words.styled(commands_in_words(report), most=300), tools)
    table.add_row(icons[1], "Quality", words.styled(quality_in_words(report), most=200), quality)
    if report.risk is None:
        table.add_row(words.icon(NOT_RUN_ICON), "Risk", "not run", risk)
    else:
        style = LEVEL_STYLES[report.risk.level]
        icon = Text(words.icon(LEVEL_ICONS[report.risk.level]), style=style)
        level = Text(str(report.risk.level), style=style)
        if report.risk.set_by:
            level.append(f" (set by {' and '.join(report.risk.set_by)})", style="default")
        table.add_row(icon, "Risk", level, risk)
    why = reason(report.risk) if report.risk is not None else ""
    if report.risk is None or not why:
        return table
    return Group(table, words.styled(f"Risk: {why}", most=300))


def fix_these(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return what blocks or what to consider, numbered, the reasons of the verdict, or what was verified."""
    parts: list[RenderableType] = []
    items = to_fix(report)
    considered = to_consider(report)
    if items:
        parts += _numbered("Fix these", report, items, words)
    elif report.conclusion is not Conclusion.success and report.reasons:
        asked = "Fix the configuration" if report.configuration_at_fault else "Why"
        parts += [heading(asked), indented(words.styled(f"- {reason}") for reason in report.reasons[:MOST_REASONS])]
    if considered:
        parts += _numbered("Consider", report, considered, words)
    elif (passed := verified(report)) and not parts:
        parts.append(words.styled(passed, most=600))
    return Group(*parts) if parts else None


def not_checked_in_one_line(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return the names of what was not checked; None if everything was."""
    names = unchecked(report)
    if not names:
        return None
    line = Text("Not checked: ", style="bold")
    line.append(words.text(names, 600), style="not bold")
    return line


def _numbered(
    title: str, report: ValidationReport, items: Sequence[ToolRun | Finding], words: Words
) -> list[RenderableType]:
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(justify="right", no_wrap=True, overflow="crop", style="bold")
    table.add_column(ratio=1, overflow="fold")
    for index, item in enumerate(items[:MOST_TO_DO], 1):
        what = _run_to_fix(report, item, words) if isinstance(item, ToolRun) else finding_lines(item, words)
        table.add_row(f"{index}.", what)
    return [heading(title), table, *map(Text, left_out(len(items), MOST_TO_DO, "  "))]


def _run_to_fix(report: ValidationReport, run: ToolRun, words: Words) -> RenderableType:
    first = Text(f"{KINDS[run.kind]}: {OUTCOMES[run.outcome]} ", style="red")
    first.append(words.text(run.command, 200), style="bold default")
    parts: list[RenderableType] = [first]
    if run.reason:
        parts.append(words.styled(run.reason))
    found = findings_of(report, run)[:5]
    for one in found:
        line = words.styled(place(one.file, one.line), "bold")
        line.append(f"  {words.text(one.message, 300)}", style="not bold")
        parts.append(line)
    most = MOST_EXCERPT_WITH_FINDINGS if found else MOST_EXCERPT
    excerpt = words.lines(run.excerpt[:most])
    if excerpt:
        parts.append(Padding(Text("\n".join(excerpt), style="dim"), (0, 0, 0, 2)))
    if len(run.excerpt) > most:
        parts.append(Text(f"  … {len(run.excerpt) - most} lines more", style="dim"))
    return Group(*parts)
