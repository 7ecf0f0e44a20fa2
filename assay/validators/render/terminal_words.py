"""Words as a terminal may be given them: nothing it would obey, nothing its encoding cannot write."""

from __future__ import annotations

from rich.text import Text

from assay.validators.render.escape import visible, visible_lines

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
# The signs of two parts are drawn one cell wide by some terminals and two by others; these are one everywhere.
_NARROW_ICONS = {"✅": "✔", "❌": "✘", "⚠️": "▲", "ℹ️": "·", "✋": "■", "❔": "?", "▫️": "·"}  # noqa: RUF001
_LEVELS = {"🟢": "●", "🟡": "●", "🟠": "●", "🔴": "●"}


class Words:
    """Makes text fit for one terminal."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding or "utf-8"
        self._is_unicode = self._encoding.lower().replace("-", "").startswith("utf")

    def text(self, text: str, most: int = 600) -> str:
        """A stranger's text in one line."""
        return self._writable(visible(text, most))

    def lines(self, lines: tuple[str, ...]) -> list[str]:
        """Lines of output."""
        return [self._writable(line) for line in visible_lines(lines, 300)]

    def icon(self, icon: str) -> str:
        """An icon of ours."""
        if self._is_unicode:
            return _NARROW_ICONS.get(icon) or _LEVELS.get(icon) or icon
        return _PLAIN_ICONS.get(icon, "")

    def ours(self, text: str) -> str:
        """Words of ours, which may hold a sign the terminal cannot write."""
        return self._writable(text)

    def styled(self, text: str, style: str = "", most: int = 600) -> Text:
        """A stranger's text in a style; never read as rich's markup."""
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
