"""Review comments, and their prose without quotations, code blocks, URLs and labels."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_CHARACTERS = 6_000
"""Maximum characters read of a comment; typical review comments have some hundred."""

_FENCE = re.compile(r"(?ms)^[ \t]{0,3}(`{3,}|~{3,})[^\n]{0,200}\n(.*?)(?:^[ \t]{0,3}\1[^\n]*$|\Z)")
_HTML_COMMENT = re.compile(r"<!--.{0,2000}?(?:-->|\Z)", re.DOTALL)
_TAGS = "details|summary|br|p|div|sub|sup|b|i|em|strong|kbd|img|a|table|tr|td|th|ul|li"
_TAG = re.compile(rf"</?(?:{_TAGS})\b[^<>\n]{{0,300}}>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)")
_URL = re.compile(r"\bhttps?://\S{1,500}")
_QUOTED = re.compile(r"(?m)^[ \t]{0,3}>[^\n]*$")
_MENTION = re.compile(r"(?<![\w`/@.])@[A-Za-z0-9][A-Za-z0-9-]{0,38}\b(?![/(])")
_EMOJI = re.compile(r":[a-z][a-z0-9_+-]{1,30}:")
_LABELS = (
    "nit(?:pick)?s?|minor|optional|style|suggestion|issue|todo|chore|question|thought|praise|note|important|"
    "blocking|non-blocking|blocker|major|critical|warning|fyi|imo|imho|p[0-3]"
)
_LABEL = re.compile(
    rf"(?im)^[\s*_\[(#-]{{0,6}}(?:super[ -]?)?(?:{_LABELS})\b[\s*_\])]{{0,6}}(?:\([^()\n]{{0,30}}\)[\s*_]{{0,4}})?"
    r"(?::|-(?=\s)|\u2013|\u2014)\s*"
)
_MARKS = re.compile(r"(?m)^\s{0,3}(?:#{1,6}\s+|[-*+]\s+|\d{1,2}[.)]\s+)|\*\*")


@dataclass(frozen=True, slots=True)
class CommentText:
    """Review comment: Markdown, file path, and the diff hunk it is attached to."""

    body: str
    path: str | None = None
    hunk: str | None = None


def prose(body: str) -> str:
    """Return the prose of a comment: without code blocks, suggestions, quotations, URLs and labels."""
    text = body[:MOST_CHARACTERS].replace("\r", "\n").replace("\x00", " ")
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("\N{LEFT SINGLE QUOTATION MARK}", "'")
    text = _FENCE.sub("\n", text)
    for pattern, by in ((_HTML_COMMENT, " "), (_QUOTED, ""), (_LINK, r"\1"), (_URL, " "), (_TAG, " ")):
        text = pattern.sub(by, text)
    for pattern, by in ((_MENTION, " "), (_EMOJI, " "), (_LABEL, ""), (_MARKS, "")):
        text = pattern.sub(by, text)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
