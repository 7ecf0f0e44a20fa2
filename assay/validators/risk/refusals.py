"""Inputs and states that a kept function no longer refuses: an error that it raised or returned is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from assay.validators.changes.change import ChangedFile, FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.symbols import definitions
from assay.validators.languages.language import Definition
from assay.validators.languages.source_text import has_word, split_source
from assay.validators.report.model import Statement
from assay.validators.risk.signal import RiskContext

_REFUSES = re.compile(
    r"(?:^|[\s;{(])(?:raise\s++|throw\s++(?:new\s++)?|return\s++Err\(|bail!\("
    r"|return\s++(?:[\w.]++,\s*+)*(?:errors\.New|fmt\.Errorf|BadRequest|Unauthorized|Forbid)\()(?P<what>.*+)"
)
_TEXT = re.compile(r"\"([^\"]{6,200}+)\"|'([^']{6,200}+)'|`([^`]{6,200}+)`")
_NAME = re.compile(r"\b[A-Z]\w{3,80}+")
_GENERIC = frozenset(
    "Error Exception ValueError TypeError RuntimeError RuntimeException StandardError ArgumentError ArgumentException "
    "ArgumentNullException NullPointerException IllegalStateException IllegalArgumentException".split()
)
_UNFINISHED = re.compile(r"(?i)not.{0,12}(?:implement|support)|unsupported|unreachable|todo")
MOST_LINES, MOST_REMOVED, LONGEST = 3, 400, 300
"""Lines that one refusal is written on, removed lines read of a file, and characters of a line."""


def no_longer_refused(context: RiskContext) -> Iterator[Statement]:
    """Yield the errors that a function of the base names, and that neither it nor an added line names any more.

    One that gets another error instead, or that loses most of its lines, is a rewritten function.
    """
    files = [file for file in context.change.files if _is_source(file)]
    added = "\n".join(line for file in files for line in file.added.values())
    for file in files:
        if not file.removed or not file.exists or file.base_path is None:
            continue
        base, head = text_at(context.change.base, file.base_path), text_at(context.change.head, file.path)
        lines = split_source(base, file.base_path).bare_lines
        kept = {one.name: one for one in definitions(file.path, head)}
        inside = definitions(file.base_path, base)
        for number in islice(file.removed, MOST_REMOVED):
            what = _refused(lines, number)
            around = _around(inside, number) if what and not has_word(added, what) else None
            now = kept.get(around.name) if around is not None else None
            if around is not None and now is not None and _is_kept(file, around, now, head, what):
                text = f"`{around.name}` no longer refuses with `{what}`"
                yield Statement("refusal_removed", text, file.path, file.replaced_at(number, number))


def _is_source(file: ChangedFile) -> bool:
    return file.kind is FileKind.text and file.nature is Nature.source and not file.is_example


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


def _around(defined: list[Definition], number: int) -> Definition | None:
    """Return the innermost function around a line."""
    found = [one for one in defined if one.kind != "class" and one.line <= number <= one.end_line]
    return max(found, key=lambda one: one.line, default=None)


def _is_kept(file: ChangedFile, was: Definition, now: Definition, head: str, what: str) -> bool:
    """Return whether most lines of a function stay, and none of them names the error, nor a new one another."""
    num_lost = sum(was.line <= number <= was.end_line for number in file.removed)
    lines = split_source(head, file.path).bare_lines
    new = (number for number in file.added if now.line <= number <= now.end_line)
    is_replaced = any(_REFUSES.search(lines[number - 1][:LONGEST]) for number in new if number <= len(lines))
    is_named = has_word("\n".join(lines[now.line - 1 : now.end_line]), what)
    return not is_replaced and not is_named and 2 * num_lost <= was.end_line - was.line + 1
