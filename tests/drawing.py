"""The output of a command as an SVG, in colours, without fonts or anything else from elsewhere."""

from __future__ import annotations

import io
import re

from rich.console import Console
from rich.text import Text

COLUMNS = 92
_OF_OTHERS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def drawn(title: str, output: str) -> str:
    """Return the SVG of what a terminal shows."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO())
    # The last line is cut at its foot, so it is an empty one.
    console.print(Text.from_ansi(output.rstrip("\n")), "", sep="\n")
    svg = console.export_svg(title=title, unique_id="assay")
    return _OF_OTHERS.sub("", svg).replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
