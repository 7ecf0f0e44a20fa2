"""Functions of a file in one of the languages lizard reads.

Its figures, without what it takes for branches: Rust's `?` and methods without a body, the arms of a flat `match` of
Rust (one whose arms do not branch counts once), and C++'s references `&&`. An `else if` is as deep as its `if`.
"""

from __future__ import annotations

import re
from typing import Any

import lizard

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.functions.function import ANONYMOUS, Function

_REFERENCE = re.compile(
    r"(?:(?<=\bauto)|(?<=\bconst))\s*&&|(?<=[\w>])&&(?=\s)|(?<=[\w>] )&&(?=\w+\s*[,)])|&&(?=\s*(?:[,)>;{=]|\.\.\.))"
)
_NO_BRANCH = {
    "rust": re.compile(r"(?<=[\w)\]}>])\?(?=[;,.)\]}\s?]|$)|\bfn\s+\w+(?:[^{};\[]|\[[^\]]{0,200}\])*;"),
    "cpp": _REFERENCE,
    "c-header": _REFERENCE,
}
_MATCH = re.compile(r"\bmatch\b[^{};]*+\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}")
_BRANCH = re.compile(r"\b(?:if|match|for|while|loop)\b|&&|\|\||\?")
_ELSE = re.compile(r"\belse(?=\s+if\b)")


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function lizard finds."""
    if language in _NO_BRANCH:
        text = _NO_BRANCH[language].sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    if language == "rust":
        text = _MATCH.sub(_counted_once, text)
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


def _counted_once(match: re.Match[str]) -> str:
    """Return a flat `match` with two of its arrows, of which lizard counts the second."""
    if _BRANCH.search(match[1]):
        return match[0]
    first, *rest = match[0].split("=>")
    return "=>".join([first, *rest[:2]]) + "".join(f"  {each}" for each in rest[2:])


def _measured(text: str, language: str, extension: str) -> list[Any]:
    analyzer = lizard.FileAnalyzer(lizard.get_extensions([extension]))
    return list(analyzer.analyze_source_code(f"source{suffixes(language)[0]}", text).function_list)
