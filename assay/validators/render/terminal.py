"""Terminal report: what to fix first, then the tiers. Readable at 80 columns without colour or icons."""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay.validators.render.phrases import CONCLUSION_ICONS, commit_name
from assay.validators.render.terminal_parts.details import footer, impact, not_checked, review, waived, why
from assay.validators.render.terminal_parts.summary import fix_these, not_checked_in_one_line, tier_table
from assay.validators.render.terminal_parts.tiers import quality_tier, risk_tier, tools_tier
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import Commit, Conclusion, ValidationReport

PLAIN_WIDTH = 100
_COLOURS = {
    Conclusion.success: "bold green",
    Conclusion.failure: "bold red",
    Conclusion.action_required: "bold yellow",
    Conclusion.incomplete: "bold magenta",
}


def show(report: ValidationReport, console: Console, *, whole: bool = True) -> None:
    """Print the report, or its first screen alone, on a console, in its width and colours."""
    words = Words(console.encoding)
    for part in _parts(report, words) if whole else _first_screen(report, words):
        console.print(part, highlight=False, soft_wrap=False)


def render(report: ValidationReport) -> str:
    """Render the report without colour, for a file."""
    file = io.StringIO()
    console = Console(file=file, width=PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    show(report, console)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _parts(report: ValidationReport, words: Words) -> list[RenderableType]:
    parts: list[RenderableType] = [_headline(report, words), tier_table(report, words)]
    for part in (fix_these, tools_tier, quality_tier, risk_tier, why, impact, review, waived, not_checked, footer):
        section = part(report, words)
        if section is not None:
            parts += [Text(), section]
    return parts


def _first_screen(report: ValidationReport, words: Words) -> list[RenderableType]:
    parts: list[RenderableType] = [_headline(report, words), tier_table(report, words)]
    for part in (fix_these, not_checked_in_one_line):
        section = part(report, words)
        if section is not None:
            parts += [Text(), section]
    return parts


def _headline(report: ValidationReport, words: Words) -> RenderableType:
    title = Text(f"{words.icon(CONCLUSION_ICONS[report.conclusion])} ", style=_COLOURS[report.conclusion])
    title.append(words.text(report.title, 300))
    validated = Text("", style="dim")
    validated.append(f"{_commit(report.head, words)} against {_commit(report.base, words)}")
    if report.agent.name == "unknown":
        validated.append(", agent unknown")
    else:
        validated.append(f", by {words.text(report.agent.name, 40)} ({report.agent.confidence:.0%} sure)")
    validated.append(f", {words.text(report.mode, 40)} mode")
    return Group(title, validated, Padding("", (0, 0)))


def _commit(commit: Commit, words: Words) -> str:
    if commit.is_worktree:
        return "uncommitted work"
    name = f" ({words.text(commit_name(commit), 120)})" if commit_name(commit) else ""
    return f"{words.text(commit.sha[:7])}{name}"
