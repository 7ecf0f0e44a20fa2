"""Inputs and states that a kept function no longer refuses, or refuses now: the errors that it raises or returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from assay.validators.changes.change import ChangedFile, FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.symbols import definitions
from assay.validators.languages.language import Definition
from assay.validators.languages.source_text import has_word, split_source
from assay.validators.report.model import Statement
from assay.validators.risk.changed_code import innermost
from assay.validators.risk.signal import RiskContext

_REFUSES = re.compile(
    r"(?:^|[\s;{(])(?:raise\s++|throw\s++(?:new\s++)?|return\s++Err\(|bail!\("
    r"|return\s++(?:[\w.]++,\s*+)*(?:errors\.New|fmt\.Errorf|BadRequest|Unauthorized|Forbid)\()(?P<what>.*+)"
)
_TEXT = re.compile(r"\"([^\"]{6,200}+)\"|'([^']{6,200}+)'|`([^`]{6,200}+)`")
_NAME = re.compile(r"\b[A-Z]\w{3,80}+|^\w{6,80}+(?=\()")
_GENERIC = frozenset(
    "Error Exception ValueError TypeError RuntimeError RuntimeException StandardError ArgumentError ArgumentException "
    "ArgumentNullException NullPointerException IllegalStateException IllegalArgumentException".split()
)
_UNFINISHED = re.compile(r"(?i)not.{0,12}(?:implement|support)|unsupported|unreachable|todo")
MOST_LINES, MOST_CHANGED, LONGEST = 3, 400, 300
"""Lines that one refusal is written on, changed lines read of a side of a file, and characters of a line."""
MOST_ADDED = 8
"""Lines that a function gains with a new refusal; with more of them it gains what it refuses, too."""


class _Side:
    """One side of a changed file: its lines, the changed ones among them, and its functions."""

    def __init__(self, path: str, text: str, changed: Iterable[int]) -> None:
        self.changed = frozenset(changed)
        self.lines = split_source(text, path).bare_lines
        self.defined = definitions(path, text)
        self.by_name = {one.name: one for one in self.defined}

    def around(self, number: int) -> Definition | None:
        """Return the innermost function around a line."""
        return innermost((one for one in self.defined if one.kind != "class"), number)

    def num_changed(self, function: Definition) -> int:
        return sum(function.line <= number <= function.end_line for number in self.changed)

    def refuses_anew(self, function: Definition) -> bool:
        """Return whether a changed line of the function refuses something."""
        inside = (number for number in self.changed if function.line <= number <= function.end_line)
        return any(_REFUSES.search(self.lines[at - 1][:LONGEST]) for at in inside if at <= len(self.lines))

    def says(self, function: Definition, what: str) -> bool:
        return has_word("\n".join(self.lines[function.line - 1 : function.end_line]), what)


def other_refusals(context: RiskContext) -> Iterator[Statement]:
    """Yield the errors that a function names on one side only, if no changed line of the other side names them.

    One that gets another error instead, or of which most lines changed, is a rewritten function.
    """
    files = [file for file in context.change.files if _is_source(file)]
    added, removed = ("\n".join(line for file in files for line in side(file)) for side in (_added, _removed))
    for file in files:
        if not file.exists or file.base_path is None or not any(map(_REFUSES.search, (*_added(file), *_removed(file)))):
            continue
        base = _Side(file.base_path, text_at(context.change.base, file.base_path), file.removed)
        head = _Side(file.path, text_at(context.change.head, file.path), file.added)
        for name, what, number in _only_in(base, head, added):
            text = f"`{name}` no longer refuses with `{what}`"
            yield Statement("refusal_removed", text, file.path, file.replaced_at(number, number))
        for name, what, number in _only_in(head, base, removed):
            around = head.around(number)
            if around is None or head.num_changed(around) > MOST_ADDED:
                continue
            yield Statement("refusal_added", f"`{name}` refuses with `{what}`", file.path, number)


def _added(file: ChangedFile) -> list[str]:
    return [line[:LONGEST] for line in file.added.values()]


def _removed(file: ChangedFile) -> list[str]:
    return [line[:LONGEST] for line in file.removed.values()]


def _is_source(file: ChangedFile) -> bool:
    return file.kind is FileKind.text and file.nature is Nature.source and not file.is_example


def _only_in(side: _Side, other: _Side, changed_there: str) -> Iterator[tuple[str, str, int]]:
    """Yield function, error and line of each refusal on one side that the other side's function has not."""
    for number in islice(sorted(side.changed), MOST_CHANGED):
        what = _refused(side.lines, number)
        around = side.around(number) if what and not has_word(changed_there, what) else None
        there = other.by_name.get(around.name) if around is not None else None
        if around is None or there is None or other.refuses_anew(there) or other.says(there, what):
            continue
        if 2 * side.num_changed(around) <= around.end_line - around.line + 1:
            yield around.name, what, number


def _refused(lines: list[str], number: int) -> str:
    """Return the text or the name of the error that a line raises or returns; "" if it does not name one."""
    match = _REFUSES.search(lines[number - 1][:LONGEST]) if number <= len(lines) else None
    if match is None:
        return ""
    said = " ".join((match["what"], *(line[:LONGEST] for line in lines[number : number + MOST_LINES - 1])))
    said = said if match["what"].rstrip().endswith(("(", ",")) else match["what"]
    text = _TEXT.search(said)
    names = [name for name in _NAME.findall(match["what"]) if name not in _GENERIC]
    found = next(filter(None, text.groups())) if text is not None else next(reversed(names), "")
    return "" if _UNFINISHED.search(said) else found
