"""The report on a terminal: the same first screen, then the tiers. Readable at 80 columns without colour or icons."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay.escape import visible, visible_lines
from assay.validators.render.first_screen import Item, first_screen
from assay.validators.render.outline import Code, Line, Output, Section, Strong
from assay.validators.render.sections import details, tiers
from assay.validators.render.suggestion import committable
from assay.validators.render.words import MODES, commit_name, footer, icon
from assay.validators.report.model import Commit, Conclusion, RiskLevel, ValidationReport

PLAIN_WIDTH = 100
_COLOURS = {
    Conclusion.success: "bold green",
    Conclusion.failure: "bold red",
    Conclusion.action_required: "bold yellow",
    Conclusion.incomplete: "bold magenta",
}
_PLAIN = {
    "→": "->",
    "·": "-",
    "…": "...",
    "—": "-",
    "“": '"',
    "”": '"',
    "✓": "ok",
    "✅": "ok",
    "❌": "X",
    "⚠️": "!",
    "ℹ️": "i",  # noqa: RUF001 - the sign as it was specified
    "✋": "!",
    "❔": "?",
    "⏱️": "!",
    "🟢": "o",
    "🟡": "*",
    "🟠": "**",
    "🔴": "***",
}
_NARROW = {"✅": "✔", "❌": "✘", "⚠️": "▲", "ℹ️": "·", "✋": "■", "❔": "?", "⏱️": "▲"}  # noqa: RUF001
"""Terminals disagree on the width of emoji with a variation selector; these are one cell wide everywhere."""
_NARROW |= dict.fromkeys(("🟢", "🟡", "🟠", "🔴"), "●")


def show(report: ValidationReport, console: Console, *, whole: bool = True) -> None:
    """Print the report, or its first screen alone, on a console, in its width and colours."""
    writer = _Writer(console.encoding)
    for part in writer.parts(report, whole=whole):
        console.print(part, highlight=False, soft_wrap=False)


def render(report: ValidationReport) -> str:
    """Render the report without colour, for a file."""
    file = io.StringIO()
    console = Console(file=file, width=PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    show(report, console)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


class _Writer:
    """Writer of untrusted text in one line, in the characters that the terminal's encoding has."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding or "utf-8"
        self._is_unicode = self._encoding.lower().replace("-", "").startswith("utf")

    def parts(self, report: ValidationReport, *, whole: bool) -> Iterator[RenderableType]:
        """Yield the first screen, and the `whole` report below it."""
        is_high = report.risk is not None and report.risk.level.at_least(RiskLevel.high)
        colour = "bold yellow" if report.conclusion is Conclusion.success and is_high else _COLOURS[report.conclusion]
        yield Text(f"{self._signs(icon(report))} {self._text(report.title, 300)}", style=colour)
        agent = report.agent
        by = "agent unknown" if agent.name == "unknown" else f"by {agent.name} ({agent.confidence:.0%} sure)"
        commits = f"{self._commit(report.head)} against {self._commit(report.base)}"
        yield Text(self._text(f"{commits}, {by}, {MODES.get(report.mode, '')}", 300), style="dim")
        yield from self._screen(report)
        if whole:
            for section in (*tiers(report), *details(report, for_reading=True)):
                yield from self._section(section)
            yield Text(f"\n{self._text(footer(report), 300)}", style="dim")

    def _screen(self, report: ValidationReport) -> Iterator[RenderableType]:
        screen = first_screen(report)
        if screen.items:
            yield Text(f"\n{screen.heading}", style="bold")
            for number, one in enumerate(screen.items, 1):
                yield from self._item(number, one)
            if screen.num_more:
                yield Text(f"  and {screen.num_more} more (--verbose)", style="dim")
        if screen.asked:
            yield Text(f"\n{screen.asked}", style="bold")
            yield from (Padding(Text(f"- {self._text(one)}"), (0, 0, 0, 2)) for one in screen.reasons)
        said = [one for one in (screen.verified, screen.likelihood) if one]
        if said or screen.not_checked:
            yield Text()
        yield from (Text(self._text(one)) for one in said)
        if screen.not_checked:
            unchecked = Text("Not checked: ", style="bold")
            yield unchecked.append(self._text(screen.not_checked), style="not bold")

    def _item(self, number: int, one: Item) -> Iterator[RenderableType]:
        text = Text(f"{number}. ", style="bold")
        text.append(f"{self._text(one.label, 60)}: " if one.label else "")
        text.append(self._text(one.text), style="not bold")
        yield Padding(text, (0, 0, 0, 1))
        where = " ".join(filter(None, (one.place, f"({one.rule})" if one.rule else "")))
        below = [(where, "cyan")] if where else []
        below += [(f"- {' '.join(filter(None, detail))}", "dim") for detail in one.details]
        below += [(f"→ {one.advice}", "dim")] if one.advice else []
        yield from (Padding(Text(self._text(said), style=style), (0, 0, 0, 4)) for said, style in below)
        if one.finding is not None and (fix := committable(one.finding)) is not None:
            lines = (Text(f"+ {self._signs(each)}", style="green") for each in visible_lines(fix.split("\n"), 300))
            yield from (Padding(each, (0, 0, 0, 4)) for each in lines)

    def _section(self, section: Section) -> Iterator[RenderableType]:
        yield Text(f"\n{self._signs(section.title)}", style="bold")
        for one in section.content:
            if isinstance(one, Output):
                lines = "\n".join(self._signs(each) for each in visible_lines(one.lines, 300))
                yield Padding(Text(lines, style="dim"), (0, 0, 0, 4))
            else:
                yield self._line(one)

    def _line(self, one: Line) -> RenderableType:
        text = Text("- " if one.depth else "")
        for part in one.parts:
            style = "cyan" if isinstance(part, Code) else "bold" if isinstance(part, Strong) else ""
            lead, tail = (" " if part[:1] == " " else ""), (" " if part[-1:] == " " and part.strip() else "")
            text.append(f"{lead}{self._text(part)}{tail}" if part.strip() else part, style=style)
        return Padding(text, (0, 0, 0, max(2, 2 * one.depth)))

    def _commit(self, commit: Commit) -> str:
        if commit.is_worktree:
            return "uncommitted work"
        name = f" ({commit_name(commit)})" if commit_name(commit) else ""
        return f"{commit.sha[:7]}{name}"

    def _text(self, text: str, most: int = 600) -> str:
        return self._signs(visible(text, most))

    def _signs(self, text: str) -> str:
        """Return text with characters that the terminal can print, in a known width."""
        for sign, plain in (_NARROW if self._is_unicode else _PLAIN).items():
            text = text.replace(sign, plain)
        if self._is_unicode:
            return text
        try:
            return text.encode(self._encoding, "backslashreplace").decode(self._encoding)
        except LookupError:
            return text.encode("ascii", "backslashreplace").decode("ascii")
