"""Text made short enough for a field, without breaking a letter in two."""

from __future__ import annotations

ELLIPSIS = "…"


def cut(text: str, most_bytes: int) -> str:
    """The text, at most `most_bytes` of UTF-8; what was cut ends in an ellipsis. Halves of surrogate pairs go."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most_bytes:
        return data.decode("utf-8")
    room = most_bytes - len(ELLIPSIS.encode())
    return data[:room].decode("utf-8", "ignore").rstrip() + ELLIPSIS


def cut_chars(text: str, most: int) -> str:
    """The text, at most `most` characters, for the fields GitHub counts so."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= most else text[: most - 1].rstrip() + ELLIPSIS
