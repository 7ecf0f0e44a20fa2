"""Names that a source file defines, by their last parts."""

from __future__ import annotations

from assay.validators.changes.language_table import is_in
from assay.validators.graph import symbols
from assay.validators.languages.language import Definition
from assay.validators.languages.register import LANGUAGES

_COVERED = frozenset[str]().union(*(language.covers for language in LANGUAGES.values()))
_CODE = frozenset(("function", "method", "class", "constant"))


def is_covered(path: str) -> bool:
    """Return whether definitions are found in a file of this name."""
    return is_in(path, _COVERED)


def definitions(path: str, text: str) -> list[Definition]:
    """Return the functions, methods, types and constants of a file, top to bottom, by their last names."""
    return [
        Definition(one.name.rpartition(".")[2], one.line, one.end_line, one.kind)
        for one in (symbols.definitions(path, text) if is_covered(path) else ())
        if one.kind in _CODE
    ]
