"""Text for a terminal: no control sequences, no characters its encoding lacks."""

from __future__ import annotations

from rich.text import Text

from assay.escape import visible, visible_lines

_PLAIN_ICONS = {
    "✅": "ok",
    "❌": "X",
    "⚠️": "!",
    "ℹ️": "i",  # noqa: RUF001 - the sign as it was specified
    "✋": "!",
    "❔": "?",
    "🟢": "o",
    "🟡": "*",
    "🟠": "**",
    "🔴": "***",
    "▫️": "-",
}
# Terminals disagree on the width of emoji with a variation selector; these icons are one cell wide everywhere.
_NARROW_ICONS = {"✅": "✔", "❌": "✘", "⚠️": "▲", "ℹ️": "·", "✋": "■", "❔": "?", "▫️": "·"}  # noqa: RUF001
_LEVELS = {"🟢": "●", "🟡": "●", "🟠": "●", "🔴": "●"}


class Words:
    """Text sanitizer for one terminal's encoding."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding or "utf-8"
        self._is_unicode = self._encoding.lower().replace("-", "").startswith("utf")

    def text(self, text: str, most: int = 600) -> str:
        """Return untrusted text in one line."""
        return self._writable(visible(text, most))

    def lines(self, lines: tuple[str, ...]) -> list[str]:
        """Return sanitized lines of output."""
        return [self._writable(line) for line in visible_lines(lines, 300)]

    def icon(self, icon: str) -> str:
        """Return an icon the terminal can print."""
        if self._is_unicode:
            return _NARROW_ICONS.get(icon) or _LEVELS.get(icon) or icon
        return _PLAIN_ICONS.get(icon, "")

    def ours(self, text: str) -> str:
        """Return Assay's own text with characters the encoding lacks replaced."""
        return self._writable(text)

    def styled(self, text: str, style: str = "", most: int = 600) -> Text:
        """Return untrusted text in a style, never parsed as rich markup."""
        return Text(self.text(text, most), style=style)

    def _writable(self, text: str) -> str:
        if self._is_unicode:
            return text
        for sign, plain in (("→", "->"), ("·", "-"), ("…", "..."), ("—", "-"), ("“", '"'), ("”", '"'), ("✓", "ok")):
            text = text.replace(sign, plain)
        try:
            return text.encode(self._encoding, "backslashreplace").decode(self._encoding)
        except LookupError:
            return text.encode("ascii", "backslashreplace").decode("ascii")
