"""Facts of single changed lines, by the rows of `line_facts.toml`: protections lost, settings and defaults changed.

What a line says is read as text, on both sides: a line that only moves states nothing, nor does a new or deleted file.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from assay.validators.changes.change import ChangedFile, FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES, is_in, languages
from assay.validators.graph.symbols import definitions
from assay.validators.languages.language import Definition
from assay.validators.report.model import Statement
from assay.validators.risk.changed_code import innermost
from assay.validators.risk.refusals import other_refusals
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.risk.unread_settings import no_longer_read

LONGEST, MOST_LINES, MOST_SEARCHED, MOST_ABOVE = 300, 2000, 20_000, 12
"""Maximum characters of a line, changed lines of a file on each side, lines of a file in which a key is searched, and
lines from a mark to what it marks."""
_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})
_COMMENT = re.compile(r"\s*(?://+|#+|--|/\*|<!--)\s?(?P<code>[^\s].*?)\s*(?:\*/|-->)?$")
LEAST_CODE = 12
"""Characters of a line, without blanks and quotes, that says enough to be found again in a comment."""
_NUMBER = re.compile(r"\d{1,6}")


def _compiled(text: object) -> object:
    return re.compile(text) if isinstance(text, str) else text


def _keys(text: object) -> object:
    return languages(*text.split()) if isinstance(text, str) else text


_Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]


class _Row(BaseModel):
    """Row of the table; see there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    mode: Literal["lost", "gained", "changed", "raised", "required"]
    pattern: _Pattern
    says: str
    languages: Annotated[frozenset[str], BeforeValidator(_keys)] = frozenset()
    paths: _Pattern | None = None
    line: _Pattern | None = None
    apart: _Pattern | None = None
    apart_values: _Pattern | None = None
    optional: _Pattern | None = None
    owner: Literal["above", "within", ""] = ""
    within: str = ""

    def reads(self, file: ChangedFile) -> bool:
        """Return whether the row is about lines of this file."""
        is_source = file.nature is Nature.source and is_in(file.typed_path, self.languages)
        return is_source or (self.paths is not None and self.paths.search(file.path) is not None)


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ROWS = tuple(map(_Row.model_validate, _TABLE["row"]))


class LineFactsSignal:
    """Signal `line_facts`: what kept code safe is gone; settings, defaults and requirements are others now."""

    name = "line_facts"
    answers = None
    covers = frozenset[str]().union(*(row.languages for row in ROWS))

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield what the changed lines of each file state."""
        yield from other_refusals(context)
        yield from no_longer_read(context.change)
        yield from (said for file in context.change.files if _is_read(file) for said in _commented_out(context, file))
        found = [one for file in context.change.files if _is_read(file) for one in _of_file(context, file)]
        gained = Counter(one.key for one in found if one.is_new)
        lost = Counter(one.key for one in found if not one.is_new)
        for one in found:
            others = lost if one.is_new else gained
            if others[one.key] > 0:
                others[one.key] -= 1
            elif one.said:
                yield one.said


def _is_read(file: ChangedFile) -> bool:
    is_own = file.nature not in _APART and not file.is_example
    return file.kind is FileKind.text and is_own and file.exists and file.base_path is not None


def _commented_out(context: RiskContext, file: ChangedFile) -> Iterator[Statement]:
    """Yield the lines of code that stand in comments now."""
    code = context.changed_code(file).removed if is_in(file.typed_path, ALL_LANGUAGES) else {}
    for hunk in file.hunks if code else ():
        lost = {_bare(code[n]) for n in _numbers(hunk.base_start, hunk.base_lines) if n in code}
        lost = {line for line in lost if len(line) >= LEAST_CODE}
        lines = zip(_numbers(hunk.head_start, hunk.head_lines), hunk.head_lines, strict=True)
        for number, line in lines if lost else ():
            inner = _COMMENT.match(line[:LONGEST])
            if inner is not None and _bare(inner["code"]) in lost:
                yield Statement("code_disabled", f"`{_shown(inner['code'])}`", file.path, number)


@dataclass(frozen=True, slots=True)
class _Line:
    """Line that a row matches: its key, its value, and the definition that it is part of or marks."""

    number: int
    key: str
    value: str
    owner: str
    text: str


@dataclass(frozen=True, slots=True)
class _Fact:
    """Statement of a line that one side lacks; None if it only takes part in the comparison."""

    key: tuple[str, str]
    is_new: bool
    said: Statement | None


class _Side:
    """One side of a file: its lines, and the definitions among them, read on first use."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.lines = text.split("\n")

    @cached_property
    def defined(self) -> list[Definition]:
        """The definitions of the file."""
        return definitions(self.path, self.text)

    def matches(self, row: _Row, lines: dict[int, str]) -> Iterator[_Line]:
        """Yield what the row finds in these lines."""
        for number, text in lines.items():
            line = text[:LONGEST]
            if row.line is not None and row.line.search(line) is None:
                continue
            for match in row.pattern.finditer(line):
                said = match.groupdict()
                key = next(value for name, value in said.items() if name.startswith("key") and value)
                value = " ".join((said.get("value") or "").split()).strip(" ,;")
                if value.count(">") > value.count("<"):  # those of the types around it
                    value = value.removesuffix(">")
                is_apart = row.apart is not None and row.apart.fullmatch(key)
                is_apart = is_apart or (row.apart_values is not None and row.apart_values.fullmatch(value))
                if not is_apart:
                    yield _Line(number, key, value, self._owner(row, number), line)

    def _owner(self, row: _Row, number: int) -> str:
        if not row.owner and not row.within:
            return ""
        found = innermost(self.defined, number)
        if row.owner == "above" and (found is None or not self.lines[found.line - 1].lstrip().startswith(("@", "["))):
            below = (one for one in self.defined if number < one.line <= number + MOST_ABOVE)
            found = min(below, key=lambda one: one.line, default=None)
        if found is None or row.within not in "\n".join(self.lines[max(0, found.line - 8) : found.line + 1]):
            return ""
        return found.name

    def keys(self, row: _Row) -> set[str]:
        """Return the keys that the row finds in the whole file."""
        return {one.key for one in self.matches(row, dict(enumerate(self.lines[:MOST_SEARCHED], 1)))}

    def line_of(self, owner: str) -> int | None:
        """Return the line of a definition; None if this side has no such one."""
        return next((one.line for one in self.defined if one.name == owner), None)


def _of_file(context: RiskContext, file: ChangedFile) -> Iterator[_Fact]:
    rows = [row for row in ROWS if row.reads(file)]
    if not rows or file.base_path is None:
        return
    code = context.changed_code(file)
    removed, added = (dict(islice(lines.items(), MOST_LINES)) for lines in (code.removed, code.added))
    base = _Side(file.base_path, text_at(context.change.base, file.base_path))
    head = _Side(file.path, text_at(context.change.head, file.path))
    hunks = [
        (
            {n: removed[n] for n in _numbers(hunk.base_start, hunk.base_lines) if n in removed},
            {n: added[n] for n in _numbers(hunk.head_start, hunk.head_lines) if n in added},
        )
        for hunk in file.hunks
    ]
    for row in rows:
        if row.mode in ("lost", "gained"):
            yield from _one_sided(row, file, base, head, (removed, added))
            continue
        for before, after in hunks:
            if before and after:
                yield from _paired(row, file, [*base.matches(row, before)], [*head.matches(row, after)])


def _numbers(start: int, lines: Sequence[str]) -> range:
    return range(start, start + len(lines))


def _one_sided(
    row: _Row, file: ChangedFile, base: _Side, head: _Side, lines: tuple[dict[int, str], dict[int, str]]
) -> Iterator[_Fact]:
    """Yield the lines that a side has and the other has not; what they belong to is on both sides."""
    for is_new, side, other in ((False, base, head), (True, head, base)):
        found = [*side.matches(row, lines[is_new])]
        is_wanted = is_new == (row.mode == "gained")
        there = other.keys(row) if found and is_wanted and not row.owner else set[str]()
        for one in found:
            is_kept = other.line_of(one.owner) is not None if row.owner else one.key not in there
            place = one.number if is_new else head.line_of(one.owner) or file.replaced_at(one.number, one.number)
            text = row.says.format(key=_shown(one.key), value=one.value, owner=one.owner, before="")
            said = Statement(row.kind, text, file.path, place) if is_wanted and is_kept else None
            yield _Fact((row.pattern.pattern, "".join(one.key.split())), is_new, said)


def _paired(row: _Row, file: ChangedFile, removed: Sequence[_Line], added: Sequence[_Line]) -> Iterator[_Fact]:
    """Yield the keys that stand on both sides of one place, as often, with another value."""
    for key in dict.fromkeys((one.key, one.owner) for one in added):
        old, new = ([one for one in side if (one.key, one.owner) == key] for side in (removed, added))
        for was, now in zip(old, new, strict=True) if len(old) == len(new) else ():
            if _is_said(row, was, now):
                values = {"value": _shown(now.value), "before": _shown(was.value), "owner": now.owner}
                text = row.says.format(key=_shown(now.key), **values)
                yield _Fact((text, f"{file.path}:{now.number}"), True, Statement(row.kind, text, file.path, now.number))


def _is_said(row: _Row, was: _Line, now: _Line) -> bool:
    if (row.owner or row.within) and not now.owner:
        return False
    if row.optional is not None:
        return row.optional.search(was.text) is not None and row.optional.search(now.text) is None
    if row.mode == "raised":
        before, after = (tuple(map(int, _NUMBER.findall(one.value))) for one in (was, now))
        return after[:3] > before[:3]
    return _bare(was.value) != _bare(now.value)


def _bare(value: str) -> str:
    return re.sub(r"[\s\"'`]", "", value)


def _shown(text: str) -> str:
    text = " ".join(text.split()).strip("\"'`")
    return text if len(text) <= 60 else f"{text[:59]}…"
