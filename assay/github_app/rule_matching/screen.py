"""Screen for untrusted advice: rules, comments that teach them, and agents' feedback.

It finds only what a reader would not see, or what is mechanical: hidden characters and comments, active markup,
credentials, commands to Assay. Whether advice is good, a person decides: who may write and who confirms is what
protects, because no list of words can.
"""

from __future__ import annotations

import re

from assay.escape import visible
from assay.secret_forms import CERTAIN

MOST_CHARACTERS = 20_000
"""Maximum characters searched; a longer text counts as unfit."""
_COMMAND = re.compile(r"(?:^|[\s`>*-])/assay\b|\bassay[- ](?:managed|rules:)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`{1,3}[^`]{1,2000}`{1,3}")
_MARKUP = re.compile(
    r"<(?:script|iframe|object|embed|form|style|link|meta|svg|img|base|video|audio)(?:\s[^>\n]{0,300}[=>]|>)"
    r"|\bon(?:error|load|click|mouseover|focus)\s{0,3}=\s{0,3}[\"']",
    re.IGNORECASE,
)


def unfit(*texts: str) -> str | None:
    """Return the first sign that one of these texts must not be learned or delivered; None for fit ones."""
    return next((why for text in texts if (why := _unfit(text)) is not None), None)


def _unfit(text: str) -> str | None:
    if len(text) > MOST_CHARACTERS:
        return "more text than a reviewer reads"
    if CERTAIN.search(text):
        return "a secret"
    if _has_unseen(text):
        return "hidden characters"
    if "<!--" in text:
        return "a hidden comment"
    if _COMMAND.search(text):
        return "a command to Assay"
    return "active HTML" if _MARKUP.search(_CODE_SPAN.sub("", text)) else None


def _has_unseen(text: str) -> bool:
    """Return whether a text has invisible or reordering characters, which people and machines read differently."""
    # Emoji use a zero-width character for colour, and prose contains other spaces: both are safe.
    lines = (line.replace("\ufe0f", "").replace("\xa0", " ").replace("\t", " ").strip() for line in text.splitlines())
    return any(line != visible(line) for line in lines)
