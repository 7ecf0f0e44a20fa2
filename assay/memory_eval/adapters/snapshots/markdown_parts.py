"""Parts of a Markdown text: list items, paragraphs, table rows and code, each with its headings, in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from assay.memory_eval.adapters.snapshots import reading
from assay.memory_eval.adapters.snapshots.reading import lines_of

MOST_FRONT_LINES = 200
MOST_FRONT = 500
MOST_CONTEXT = 120
MOST_NESTED = 6
MOST_PATH = 400
MOST_IMPORTS = 1_000
"""Imports of one file; each is looked up on disk, and a file may consist of nothing else."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_RULE = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_TABLE_RULE = re.compile(r"[\s|:-]+$")
_KEY = re.compile(r"([A-Za-z][\w-]{0,60}):[ \t]*(.*)$")
_BOX = re.compile(r"\[[ xX]\][ \t]+")
_IMPORT = re.compile(r"(?:^|\s)@([\w.~/\\-][^\s`]*)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_COMMENT = "<!--", "-->"


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its kind, the line it begins on, the headings above it from the outermost in, and its text."""

    kind: str
    line: int
    headings: tuple[str, ...]
    text: str


@dataclass(slots=True)
class Note:
    """A file's parts, its front matter's flat lines (lower-case keys), and the files it imports, with their lines."""

    front: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    imports: list[tuple[int, str]] = field(default_factory=list)


def note_of(text: str) -> Note:
    """Parse a Markdown text; any text is valid Markdown."""
    note = Note()
    start = _front([*islice(lines_of(text), MOST_FRONT_LINES + 1)], note)
    walk = _Walk(note)
    for number, line in islice(enumerate(lines_of(text), start=1), start, None):
        walk.take(number, line)
        if len(note.parts) > reading.MOST_ENTRIES:
            break  # the caller rejects so many
    walk.finish()
    return note


def _front(lines: list[str], note: Note) -> int:
    """Read the front matter's `key: value` lines and return its number of lines, 0 without one."""
    if not lines or lines[0].strip() != "---":
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() in ("---", "..."):
            return number
        if found := _KEY.match(line):
            note.front.setdefault(found[1].lower(), found[2].strip().strip("\"'")[:MOST_FRONT])
    note.front.clear()
    return 0


class _Walk:
    """State of the parser: the headings above, the current part, whether inside code or a comment."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._headings: list[tuple[int, str]] = []
        self._above: list[tuple[int, str]] = []
        self._kind, self._begin, self._lines = "", 0, list[str]()
        self._columns: list[str] = []
        self._row_before: list[str] | None = None
        self._fence = ""
        self._is_comment = False

    def take(self, number: int, line: str) -> None:
        if self._fence:
            self._in_code(line)
        elif self._is_comment or line.lstrip().startswith(_COMMENT[0]):
            self._is_comment = _COMMENT[1] not in line
        elif found := _FENCE.match(line):
            self._fence = found[1]
            if not self._kind:
                self._start("code", number, "")
        else:
            self._prose(number, line)

    def finish(self) -> None:
        """End the current part."""
        text = "\n".join(self._lines).strip() if self._kind == "code" else " ".join(" ".join(self._lines).split())
        if text:
            self._note.parts.append(Part(self._kind, self._begin, self._context(), text))
        self._kind, self._lines = "", []

    def _context(self) -> tuple[str, ...]:
        """Return the headings above, and for a nested list item also its short parent items."""
        items = self._above[:-1] if self._kind == "list item" else []
        names = [name for _, name in self._headings] + [name.rstrip(": ") for _, name in items]
        return tuple(name for name in names if name and len(name) <= MOST_CONTEXT)

    def _item(self, number: int, indent: int, text: str) -> None:
        self._start("list item", number, text)
        self._above = [(above, name) for above, name in self._above if above < indent][-MOST_NESTED:]
        self._above.append((indent, text))

    def _start(self, kind: str, number: int, text: str) -> None:
        self.finish()
        self._kind, self._begin, self._lines = kind, number, [text] if text else []

    def _in_code(self, line: str) -> None:
        if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""
            if self._kind == "code":
                self.finish()
        else:
            self._lines.append(line)

    def _prose(self, number: int, line: str) -> None:
        room = MOST_IMPORTS - len(self._note.imports)
        self._note.imports += [(number, name) for name in islice(_imports(line), room)]
        if line.lstrip().startswith("|"):
            self._row(number, line)
            return
        self._columns, self._row_before = [], None
        if found := _HEADING.match(line):
            self._heading(len(found[1]), found[2].rstrip("# \t"))
        elif self._kind == "paragraph" and len(self._lines) == 1 and re.fullmatch(r"=+|-{2,}", line.strip()):
            heading = self._lines.pop()
            self._heading(1 if line.strip()[0] == "=" else 2, heading.strip())
        elif not line.strip() or (len(line) <= MOST_PATH and _RULE.match(line)):
            self.finish()
        elif found := _ITEM.match(line):
            self._item(number, len(found[1].expandtabs(4)), _BOX.sub("", found[2], count=1))
        elif self._kind in ("paragraph", "list item"):
            self._lines.append(line.strip())
        else:
            self._start("paragraph", number, line.strip().removeprefix("> "))

    def _heading(self, level: int, text: str) -> None:
        self.finish()
        self._above = []
        self._headings = [(above, name) for above, name in self._headings if above < level]
        self._headings.append((level, text))

    def _row(self, number: int, line: str) -> None:
        if _TABLE_RULE.match(line):
            # The line above the rule holds the column names.
            if self._row_before is not None and self._note.parts:
                self._columns = self._row_before
                self._note.parts.pop()
            return
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        named = (
            zip(self._columns, cells, strict=False) if len(self._columns) == len(cells) else (("", it) for it in cells)
        )
        self._start("row", number, "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell))
        self._row_before = None if self._columns or not any(cells) else cells
        self.finish()


def _imports(line: str) -> Iterator[str]:
    """Yield the paths of `@path` imports; `@ada` alone is a person."""
    if "@" in line:
        names = (found[1].rstrip(".,;:!?)]}\"'") for found in _IMPORT.finditer(_CODE_SPAN.sub("", line)))
        yield from (name for name in names if ("." in name or "/" in name) and len(name) <= MOST_PATH)
