"""The report on a terminal: the same first screen, then the tiers. Readable at 80 columns without colour or icons."""

from __future__ import annotations

import io

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from assay.escape import visible, visible_lines
from assay.validators.render.first_screen import first_screen
from assay.validators.render.sections import details, tiers
from assay.validators.render.view import Ours, Row, committable
from assay.validators.render.words import footer, header, icon
from assay.validators.report.model import ValidationReport

PLAIN_WIDTH = 100
_COLOURS = {"✅": "bold green", "❌": "bold red", "❔": "bold magenta"}
_NARROW = str.maketrans("✅❌⚠ℹ✋❔⏱🟢🟡🟠🔴", "✔✘▲·■?▲●●●●", "\ufe0f")  # noqa: RUF001 - the sign as it was specified
"""Terminals disagree on the width of emoji; these signs are one cell wide everywhere."""
_ASCII = str.maketrans(
    dict(zip("→·…—“”✔✘▲■●", ("->", "-", "...", "-", '"', '"', "ok", "X", "!", "!", "*"), strict=True))
)


def show(report: ValidationReport, console: Console, *, whole: bool = True) -> None:
    """Print the report, or its first screen alone, on a console, in its width and colours."""
    writer = _Writer(console)
    writer.line(f"{icon(report)} {report.title}", _COLOURS.get(icon(report), "bold yellow"))
    writer.line(header(report).replace("`", ""), "dim")
    for section in (*first_screen(report), *((*tiers(report), *details(report)) if whole else ())):
        writer.line("")
        if section.title:
            writer.line(section.title, "bold")
        for bullet, row in section.bulleted():
            writer.row(bullet, row)
    if whole:
        writer.line("")
        writer.line(footer(report), "dim")


def render(report: ValidationReport) -> str:
    """Render the report without colour, for a file."""
    file = io.StringIO()
    console = Console(file=file, width=PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    show(report, console)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


class _Writer:
    """Writer of untrusted text in one line, in the characters that the terminal's encoding has."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._encoding = console.encoding or "utf-8"

    def line(self, text: str, style: str = "", indent: int = 0) -> None:
        self._print(Text(self._text(text), style=style), indent)

    def row(self, bullet: str, row: Row) -> None:
        """Print a row, and below it the other places, what to do, and a block."""
        text = row.text.replace("**", "") if isinstance(row.text, Ours) else row.text
        said = ": ".join(self._text(one) for one in (row.label, text) if one)
        where = f" — {row.place}" if row.place else ""
        rule = f" ({row.rule})" if row.rule else ""
        indent = 2 if bullet else 0
        self._print(Text.assemble(bullet, said, (self._text(f"x{where}{rule}")[1:], "cyan")), indent)
        below = [f"- {' '.join(filter(None, (one.place, one.text)))}" for one in row.details]
        for each in (*below, *([f"→ {row.advice}"] if row.advice else [])):
            self.line(each, "dim", indent + 2)
        fix = committable(row.finding)
        for each in visible_lines([*(f"+ {line}" for line in (fix.split("\n") if fix else ())), *row.output], 300):
            self._print(Text(self._signs(each), style="dim"), indent + 2)

    def _print(self, text: Text, indent: int) -> None:
        self._console.print(Padding(text, (0, 0, 0, indent)), highlight=False, soft_wrap=False)

    def _text(self, text: str, most: int = 600) -> str:
        return self._signs(visible(text, most))

    def _signs(self, text: str) -> str:
        """Return text with characters that the terminal can print, in a known width."""
        text = text.translate(_NARROW)
        is_unicode = self._encoding.lower().startswith("utf")
        plain = text if is_unicode else text.translate(_ASCII)
        return plain.encode(self._encoding, "backslashreplace").decode(self._encoding)
