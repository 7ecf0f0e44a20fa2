"""Shared parts of the terminal report."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.validators.render.phrases import place
from assay.validators.render.suggestion import committable
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import Finding, RiskLevel, Severity

LEVEL_STYLES = {
    RiskLevel.low: "green",
    RiskLevel.medium: "yellow",
    RiskLevel.high: "dark_orange",
    RiskLevel.critical: "bold red",
}
SEVERITY_STYLES = {Severity.error: "red", Severity.warning: "yellow", Severity.info: "cyan"}


def heading(text: str) -> Text:
    """Return a section heading."""
    return Text(text, style="bold")


def grid(*styles: str, gap: int = 2) -> Table:
    """Return a table without lines: a column of labels in each of these styles, and one that takes the other width."""
    table = Table(box=None, show_header=False, padding=(0, gap, 0, 0))
    for style in styles:
        table.add_column(no_wrap=True, overflow="crop", style=style)
    table.add_column(ratio=1, overflow="fold")
    return table


def indented(parts: Iterable[RenderableType]) -> Padding:
    """Indent the parts below a heading."""
    return Padding(Group(*parts), (0, 0, 0, 2))


def finding_lines(finding: Finding, words: Words, places: str | None = None) -> RenderableType:
    """Return a finding's place (or `places`, if it occurs at several), rule, message and suggestion."""
    first = words.styled(place(finding.file, finding.line) if places is None else places, "bold")
    first.append("  " if finding.file else "")
    first.append(words.text(finding.rule, 120), style=f"not bold {SEVERITY_STYLES[finding.severity]}")
    parts: list[RenderableType] = [first, words.styled(finding.message)]
    if finding.suggestion:
        parts.append(Text(words.ours("→ ") + words.text(finding.suggestion), style="dim"))
    if (text := committable(finding)) is not None:
        parts += [Text(f"+ {line}", style="green") for line in words.lines(tuple(text.split("\n")))]
    return Group(*parts)
