"""Functions of a file in one of the languages lizard reads.

An `else if` is as deep as its `if`.
"""

from __future__ import annotations

import re
from typing import Any

import lizard

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.functions.function import ANONYMOUS, Function

_ELSE = re.compile(r"\belse(?=\s+if\b)")


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function lizard finds."""
    deep = _measured(_ELSE.sub("    ", text), language, "ns")
    nesting = {(each.start_line, each.name): each.max_nested_structures for each in deep}
    return [
        Function(
            ANONYMOUS if "anonymous" in each.name else each.name.replace("::", "."),
            each.start_line,
            each.end_line,
            each.cyclomatic_complexity,
            getattr(each, "cognitive_complexity", None),
            nesting.get((each.start_line, each.name)),
        )
        for each in _measured(text, language, "cognitive")
    ]


def _measured(text: str, language: str, extension: str) -> list[Any]:
    analyzer = lizard.FileAnalyzer(lizard.get_extensions([extension]))
    return list(analyzer.analyze_source_code(f"source{suffixes(language)[0]}", text).function_list)
