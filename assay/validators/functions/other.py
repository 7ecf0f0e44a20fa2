"""The functions of a file in one of the many languages lizard reads.

Cyclomatic, cognitive and nesting, all by lizard.
"""

from __future__ import annotations

import re

import lizard

from assay.validators.functions.function import Function
from assay.validators.language_table import suffixes

_TRY = re.compile(r"(?<=[\w)\]}>])\?(?=[;,.)\]}\s?]|$)")


def functions_of(text: str, language: str) -> list[Function]:
    """Every function lizard finds."""
    lines = text.split("\n")
    analyzer = lizard.FileAnalyzer(lizard.get_extensions(["cognitive", "ns"]))
    measured = analyzer.analyze_source_code(f"source{suffixes(language)[0]}", text)
    return [
        Function(
            name=each.name.replace("::", "."),
            start=each.start_line,
            end=each.end_line,
            cyclomatic=each.cyclomatic_complexity
            - (_num_tries(lines[each.start_line - 1 : each.end_line]) if language == "rust" else 0),
            cognitive=getattr(each, "cognitive_complexity", None),
            nesting=getattr(each, "max_nested_structures", None),
        )
        for each in measured.function_list
    ]


def _num_tries(lines: list[str]) -> int:
    """Rust's `?`, which lizard counts as a branch; handing an error on is no harder to follow than `raise`."""
    return sum(len(_TRY.findall(line.partition("//")[0])) for line in lines)
