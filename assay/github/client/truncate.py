"""Truncation of texts without splitting a character."""

from __future__ import annotations

ELLIPSIS = "…"


def cut(text: str, most_bytes: int) -> str:
    """Cut text to `most_bytes` of UTF-8 with an ellipsis, and replace lone surrogates."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most_bytes:
        return data.decode("utf-8")
    room = most_bytes - len(ELLIPSIS.encode())
    return data[:room].decode("utf-8", "ignore").rstrip() + ELLIPSIS


def cut_chars(text: str, most: int) -> str:
    """Cut text to `most` characters with an ellipsis."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= most else text[: most - 1].rstrip() + ELLIPSIS
