"""Source text split into code, comments and strings.

One pass with one pattern per dialect: linear time, any input, no grammar. It separates comments from strings; it
does not parse. Known blind spots: heredocs, JSX text, nested block comments, and quotes nested inside the braces of a
Python 3.12 f-string.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.language_table import language_of

_DOUBLE = r'"(?:\\.|[^"\\\n])*"?'
_SINGLE = r"'(?:\\.|[^'\\\n])*'?"
_CHAR = r"'(?:\\[^\n]{1,10}?|[^'\\\n])'"
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_SLASHES = r"//[^\n]*"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\Z)"
_TEXT_BLOCK = r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
# Bounded, so that a line of slashes and brackets takes linear time.
_REGEX = r"/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n]){0,100}\]|[^/\\\n\[]){1,200}/[a-z]*"
# Where plain text may surround strings, a quote inside a word (don't) opens nothing.
_LOOSE = r'(?<!\w)"(?:\\.|[^"\\\n])*"|(?<!\w)' + r"'[^'\n]*'"


def _dialect(comment: str, string: str) -> re.Pattern[str]:
    return re.compile(f"(?P<comment>{comment})|(?P<string>{string})", re.DOTALL)


_PYTHON = _dialect(
    r"\#[^\n]*", rf"(?<![\w])[rRbBuUfFtT]{{0,2}}(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})|{_TRIPLE}|{_DOUBLE}|{_SINGLE}"
)
_JAVASCRIPT = re.compile(
    rf"(?P<comment>{_SLASHES}|{_BLOCK}|<!--.*?(?:-->|\Z))|(?P<string>{_DOUBLE}|{_SINGLE})"
    rf"|(?P<template>`)|(?P<regex>{_REGEX})",
    re.DOTALL,
)
_C = _dialect(
    f"{_SLASHES}|{_BLOCK}", rf'R"([^(\n]{{0,16}})\(.*?(?:\)\3"|\Z)|{_TEXT_BLOCK}|@"(?:""|[^"])*"?|{_DOUBLE}|{_CHAR}'
)
_GO = _dialect(f"{_SLASHES}|{_BLOCK}", rf"`[^`]*`?|{_DOUBLE}|{_CHAR}")
_RUST = _dialect(f"{_SLASHES}|{_BLOCK}", rf'b?r(\#*)".*?(?:"\3|\Z)|"(?:\\.|[^"\\])*"?|{_CHAR}')
_PHP = _dialect(rf"{_SLASHES}|{_BLOCK}|\#(?!\[)[^\n]*", r'"(?:\\.|[^"\\])*"?|' + r"'(?:\\.|[^'\\])*'?")
_SHELL = _dialect(r"(?<![^\s;&|(])\#[^\n]*", r'"(?:\\.|[^"\\])*"?|' + r"'[^']*'?|\\.")
_RUBY = _dialect(r"(?<![^\s;(])\#[^\n]*", f"{_DOUBLE}|{_SINGLE}")
_SETTINGS = _dialect(r"(?<![^\s])\#[^\n]*", _LOOSE)
_SQL = _dialect(rf"--[^\n]*|{_BLOCK}", r"'(?:''|[^'])*'?|" + r'"[^"\n]*"?')
_MARKUP = _dialect(r"<!--.*?(?:-->|\Z)", r"(?!)")

_DIALECTS = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "c": _C,
    "go": _GO,
    "rust": _RUST,
    "php": _PHP,
    "shell": _SHELL,
    "ruby": _RUBY,
    "settings": _SETTINGS,
    "sql": _SQL,
    "markup": _MARKUP,
}
"""Patterns by their name in the language table."""
_BEFORE_REGEX = re.compile(
    r"(?:^|[(,=:\[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|yield|await|throw))\s*\Z"
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One line of a comment: its number (1-based), its column (0-based) and its text with the opening mark."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class SourceText:
    """File text, and `code`: the same text with every comment and string replaced by spaces.

    Line ends stay, so both have the same lines. The quotes of a string on one line stay too, so that `f('x')` is
    still a call with an argument; a string over several lines is removed whole, so that it does not look like badly
    indented code.
    """

    text: str
    code: str
    comments: tuple[Comment, ...]

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def code_lines(self) -> list[str]:
        return self.code.split("\n")

    @cached_property
    def bare_lines(self) -> list[str]:
        """The lines without their comments, with their strings."""
        bare = self.lines.copy()
        for comment in reversed(self.comments):
            line, end = bare[comment.line - 1], comment.column + len(comment.text)
            bare[comment.line - 1] = f"{line[: comment.column]} {line[end:]}".rstrip()
        return bare

    @cached_property
    def comment_lines(self) -> frozenset[int]:
        """The lines that hold nothing but a comment."""
        return frozenset(one.line for one in self.comments if not self.code_lines[one.line - 1].strip())

    def line_at(self, offset: int) -> int:
        """Return the number of the line that contains an offset."""
        return bisect_right(self._starts, offset)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


def has_dialect(path: str) -> bool:
    """Return whether comments can be separated from strings in a file of this name."""
    return _dialect_of(path) is not None


def split_source(text: str, path: str) -> SourceText:
    """Return the text of the file at `path`, split; in an unknown language, everything is code."""
    dialect = _dialect_of(path)
    text = text.replace("\r\n", "\n")
    if dialect is None:
        return SourceText(text, text, ())
    pieces: list[str] = []
    comments: list[Comment] = []
    at, line = 0, 1
    for start, end, is_comment in _spans(text, dialect):
        pieces.append(text[at:start])
        line += text.count("\n", at, start)
        span = text[start:end]
        if is_comment:
            column = start - (text.rfind("\n", 0, start) + 1)
            comments.extend(Comment(line + i, 0 if i else column, part) for i, part in enumerate(span.split("\n")))
        pieces.append(_blank(span, keep_quotes=not is_comment))
        line += span.count("\n")
        at = end
    pieces.append(text[at:])
    return SourceText(text, "".join(pieces), tuple(comments))


def _dialect_of(path: str) -> re.Pattern[str] | None:
    language = language_of(path)
    return None if language is None or language.comments is None else _DIALECTS[language.comments]


def _spans(text: str, dialect: re.Pattern[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is it a comment) of every comment and string, in order."""
    at = 0
    while match := dialect.search(text, at):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind is None:  # the last match was a numbered group inside an alternative
            kind = "comment" if match.group("comment") is not None else "string"
        if kind == "template":
            end = _template_end(text, start)
        elif kind == "regex" and not _BEFORE_REGEX.search(text, max(0, start - 40), start):
            at = start + 1
            continue
        yield start, end, kind == "comment"
        at = max(end, start + 1)


def _template_end(text: str, start: int) -> int:
    """Return where the template literal at `start` closes, templates and strings inside its `${}` included."""
    at, braces = start + 1, [0]
    while match := (_IN_TEXT if len(braces) % 2 else _IN_BRACES).search(text, at):
        mark, at = match.group(), match.end()
        inside_text = len(braces) % 2 == 1
        if mark == "`":
            if inside_text:
                braces.pop()
                if not braces:
                    return at
            else:
                braces.append(0)
        elif mark == "${":
            braces.append(1)
        elif mark == "{":
            braces[-1] += 1
        elif mark == "}":
            braces[-1] -= 1
            if braces[-1] == 0:
                braces.pop()
    return len(text)


_IN_TEXT = re.compile(r"\\.|`|\$\{", re.DOTALL)
_IN_BRACES = re.compile(rf"[`{{}}]|{_DOUBLE}|{_SINGLE}", re.DOTALL)


def _blank(span: str, keep_quotes: bool) -> str:
    if "\n" in span:
        return "\n".join(" " * len(part) for part in span.split("\n"))
    if keep_quotes and len(span) >= 2:
        # A prefix (rf"…") goes with the text it belongs to.
        quote = span[-1] if span[-1] in "\"'`" else '"'
        return quote + " " * (len(span) - 2) + quote
    return " " * len(span)


def has_word(text: str, word: str) -> bool:
    """Return whether a text has a word or words that no letter, digit or `_` continues."""
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
