"""Functions of a file in one of the languages lizard reads.

All metrics are lizard's, without what it takes for branches: Rust's `?`, C++'s references `&&`, and the arms of a flat
`match` of Rust: one whose arms do not branch counts once. An `else if` is as deep as its `if`. Ruby has no nesting:
lizard counts `do` and a trailing `if` as levels that never end, so that unchanged functions grow.
"""

from __future__ import annotations

import re

import lizard

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.functions.function import ANONYMOUS, Function

_BODILESS = re.compile(r"\bfn\s+\w+(?:[^{};\[]|\[[^\]]{0,200}\])*;")
"""Trait method without a body; lizard assigns it the next body."""

_NUMBERED = re.compile(r"anonymous__\d+|\(anonymous\)")
_REFERENCE = re.compile(
    r"(?:(?<=\bauto)|(?<=\bconst))\s*&&|(?<=[\w>])&&(?=\s)|(?<=[\w>] )&&(?=\w+\s*[,)])|&&(?=\s*(?:[,)>;{=]|\.\.\.))"
)
"""`&&` of a C++ reference, by what stands next to it."""
_MATCH = re.compile(r"\bmatch\b[^{};]*+\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}")
_BRANCH = re.compile(r"\b(?:if|match|for|while|loop)\b|&&|\|\||\?")
_ELSE = re.compile(r"\belse(?=\s+if\b)")
_TRY = re.compile(r"(?<=[\w)\]}>])\?(?=[;,.)\]}\s?]|$)")


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function lizard finds."""
    if language == "rust":
        text = _MATCH.sub(_counted_once, _BODILESS.sub(_blank, text))
    elif language in ("cpp", "c-header"):
        text = _REFERENCE.sub(_blank, text)
    lines = text.split("\n")
    name = f"source{suffixes(language)[0]}"
    measured = lizard.FileAnalyzer(lizard.get_extensions(["cognitive", "ns"])).analyze_source_code(name, text)
    flat = measured
    if _ELSE.search(text):
        flat = lizard.FileAnalyzer(lizard.get_extensions(["ns"])).analyze_source_code(name, _ELSE.sub(_blank, text))
    depths = {(each.start_line, each.name): getattr(each, "max_nested_structures", None) for each in flat.function_list}
    names = [each.name.replace("::", ".") for each in measured.function_list]
    spans = [(each.start_line, each.end_line) for each in measured.function_list]
    return [
        Function(
            name=f"{_around(number, names, spans)}{ANONYMOUS}" if _NUMBERED.fullmatch(names[number]) else names[number],
            start=each.start_line,
            end=each.end_line,
            cyclomatic=each.cyclomatic_complexity
            - (_num_tries(lines[each.start_line - 1 : each.end_line]) if language == "rust" else 0),
            cognitive=getattr(each, "cognitive_complexity", None),
            nesting=None if language == "ruby" else depths.get((each.start_line, each.name)),
        )
        for number, each in enumerate(measured.function_list)
    ]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _counted_once(match: re.Match[str]) -> str:
    """Return a flat `match` with two of its arrows, of which lizard counts the second."""
    if _BRANCH.search(match[1]):
        return match.group()
    first, *rest = match.group().split("=>")
    return "=>".join([first, *rest[:2]]) + "".join(f"  {each}" for each in rest[2:])


def _around(number: int, names: list[str], spans: list[tuple[int, int]]) -> str:
    """Return the name of the smallest named function around a function, with a dot, or ""."""
    start, end = spans[number]
    outer = [
        (last - first, name)
        for name, (first, last) in zip(names, spans, strict=True)
        if first <= start and end <= last and not _NUMBERED.fullmatch(name)
    ]
    return f"{min(outer)[1]}." if outer else ""


def _num_tries(lines: list[str]) -> int:
    """Return the number of Rust's `?`, which lizard counts as branches; they only propagate errors."""
    return sum(len(_TRY.findall(line.partition("//")[0])) for line in lines)
