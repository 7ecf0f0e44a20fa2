"""Source text with blanked comments and literals, for languages that are searched by patterns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.validators.changes.language_table import bare_suffixes
from assay.validators.dangers.syntax import SCRIPTS, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

_SILENT = frozenset("comment string_fragment regex_pattern html_comment".split())
MOST_PARSED = 500_000
"""Maximum bytes of a parsed script; a larger one is not handwritten."""
_DOUBLE = r'"(?:\\.|[^"\\\n])*"?'
_SLASHES = re.compile(rf"//[^\n]*|/\*.*?(?:\*/|\Z)|{_DOUBLE}|'(?:\\.|[^'\\\n])*'?", re.DOTALL)
# Single quotes hold one character, and backticks no escapes.
_ONE_CHARACTER = re.compile(rf"//[^\n]*|/\*.*?(?:\*/|\Z)|{_DOUBLE}|'(?:\\[^\n]{{1,9}}?|[^'\\\n])'|`[^`]*`", re.DOTALL)
_HASHES = re.compile(rf"#[^\n]*|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|{_DOUBLE}|'(?:\\.|[^'\\\n])*'?", re.DOTALL)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANKED = {
    **dict.fromkeys(
        bare_suffixes(*"go rust java kotlin scala c c-header cpp csharp swift zig".split()),
        _ONE_CHARACTER,
    ),
    **dict.fromkeys(
        bare_suffixes(
            *"python cython ruby shell yaml toml perl r elixir julia tcl powershell terraform".split(),
        ),
        _HASHES,
    ),
    **dict.fromkeys(bare_suffixes(*"html vue svelte astro template razor markdown xml".split()), _MARKUP),
}
"""Suffix -> its comments and literals; that of the other languages is `_SLASHES`."""
_GONE = 0
_NOT_A_LINE_END = re.compile(r"[^\n]")
MOST_CHARACTERS = 2_000_000


@lru_cache(maxsize=16)
def plain_code(source: str, suffix: str) -> str:
    """Return the text with comments and the contents of literals blanked; every character keeps its position.

    A script that does not parse keeps its whole text, so that a misread quote hides nothing.
    """
    if suffix in SCRIPTS:
        return _plain_script(source, suffix)
    if len(source) > MOST_CHARACTERS:
        return source
    return _BLANKED.get(suffix, _SLASHES).sub(_blanked, source)


def _plain_script(source: str, suffix: str) -> str:
    data = source.encode("utf-8", "replace")
    if len(data) > MOST_PARSED:
        return source
    root = parser_of(suffix).parse(data).root_node
    if root.has_error or "\0" in source:
        return source
    text = bytearray(data)
    left: list[Node] = [root]
    while left:
        node = left.pop()
        if node.type in _SILENT:
            begin, end = node.start_byte, node.end_byte
            text[begin:end] = _blank_bytes(text[begin:end])
        else:
            left.extend(node.children)
    return text.replace(bytes([_GONE]), b"").decode("utf-8", "replace")


def _blank_bytes(piece: bytearray) -> bytes:
    """Return one blank per character, with marks for its further bytes."""
    return bytes(10 if byte == 10 else _GONE if 0x80 <= byte < 0xC0 else 32 for byte in piece)


def _blanked(match: re.Match[str]) -> str:
    text = match[0]
    is_text = text[0] in "\"'`"
    end = len(text) - 1 if is_text and len(text) > 1 and text[-1] == text[0] else len(text)
    begin = 1 if is_text else 0
    return text[:begin] + _NOT_A_LINE_END.sub(" ", text[begin:end]) + text[end:]
