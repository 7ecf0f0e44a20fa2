"""Codes of messages, which tests compare instead of sentences."""

from __future__ import annotations


def code_of(message: str) -> str:
    """Return the code at the start of a message, after the name of the program if it is there."""
    return message.removeprefix("assay: ").partition(": ")[0]
