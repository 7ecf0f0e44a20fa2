"""Names that a source file defines: by the engine, in languages without a query file by one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.language_table import is_in, languages
from assay.validators.graph import symbols
from assay.validators.languages.language import Definition
from assay.validators.languages.register import LANGUAGES

_QUERIED = frozenset().union(*(language.covers for language in LANGUAGES.values()))
COVERED = _QUERIED | languages("kotlin", "csharp", "rust", "ruby", "php")
_CODE = frozenset(("function", "method", "class", "constant"))
_PATTERN = re.compile(
    r"^[ \t]*(?:[\w@()]+[ \t]+){0,8}?(?:(?P<class>class|interface|enum|record|struct|trait|union|module|object)"
    r"|def|fn|fun|function)[ \t]+(?:<[^<>\n]{1,100}>[ \t]*|self\.|&)?(?P<name>\w+)"
    r"|^[ \t]+(?:(?:public|protected|private|static|internal|virtual|override|async)[ \t]+)+[\w<>\[\],.?]+[ \t]+"
    r"(?P<method>\w+)[ \t]*\([^;\n]*$",
    re.MULTILINE,
)


def is_covered(path: str) -> bool:
    """Return whether definitions are found in a file of this name."""
    return is_in(path, COVERED)


def definitions(path: str, text: str) -> list[Definition]:
    """Return the functions, methods, types and constants of a file, top to bottom, by their last names."""
    if is_in(path, _QUERIED):
        return [
            Definition(one.name.rpartition(".")[2], one.line, one.end_line, one.kind)
            for one in symbols.definitions(path, text)
            if one.kind in _CODE
        ]
    return list(_found(text)) if is_covered(path) else []


def _found(text: str) -> Iterator[Definition]:
    """Yield what the pattern finds; a definition ends where the next one with no deeper indentation begins."""
    lines = text.split("\n")
    begun: list[tuple[Definition, int]] = []
    for number, line in enumerate(lines, 1):
        if match := _PATTERN.match(line):
            kind = "class" if match["class"] else "function"
            one = Definition(match["name"] or match["method"], number, len(lines), kind)
            begun.append((one, len(line) - len(line.lstrip())))
    for at, (one, indent) in enumerate(begun):
        end = next((other.line - 1 for other, deep in begun[at + 1 :] if deep <= indent), len(lines))
        yield Definition(one.name, one.line, end, one.kind)
