"""Plain text of what a terminal shows, for a file."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console


def printed(show: Callable[[Console], None], width: int) -> str:
    """Return what `show` prints, without colour and trailing blanks."""
    file = io.StringIO()
    show(Console(file=file, width=width, color_system=None, force_terminal=False, legacy_windows=False))
    return without_trailing_blanks(file.getvalue())


def without_trailing_blanks(text: str) -> str:
    """Return the text with every line stripped at its end."""
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
