"""Memories as Markdown: CLAUDE.md, AGENTS.md, a folder of notes. Each list item, paragraph, row or code is an entry.

An entry includes the headings above it ("Team > Ada: allergic to peanuts"), so that it is understood alone. `@path`
imports of a single file are read if they stay inside its folder; a folder is read as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from assay.memory_eval.adapters.snapshots.reading import (
    Reader,
    Reading,
    candidates,
    has_suffix,
    head_of,
    lines_of,
    shown,
)
from assay.memory_eval.adapters.snapshots.snapshot import Entry, day_of, pieces

MOST_IMPORTS = 5
"""Depth of imports; Claude Code's own limit ("maximum depth of five hops")."""
MOST_IMPORTED = 100
MOST_IN_A_FILE = 1_000
"""Imports of one file; each is looked up on disk, and a file may consist of nothing else."""
MOST_LOADED = 200
"""Lines of a MEMORY.md that Claude Code loads when a session starts."""
MOST_FRONT_LINES, MOST_FRONT, MOST_CONTEXT, MOST_PATH = 200, 500, 120, 400

_SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mdc"})
_UNSPOKEN = frozenset("claude claude.local agents gemini memory memories index readme notes".split())
_DAY_KEYS = "updated updated_at modified date created created_at".split()
_LOOKS = re.compile(r"(?m)^(?:#{1,6} \S|[-*] \S|---\s*$|```)")
_KEY = re.compile(r"([A-Za-z][\w-]{0,60}):[ \t]*(.*)$")
_BOX = re.compile(r"\[[ xX]\][ \t]+")
_IMPORT = re.compile(r"(?:^|\s)@([\w.~/\\-][^\s`]*)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")
# Blocks alone: what is inside a paragraph is kept as it is written.
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")


class Part(NamedTuple):
    """One part: its kind, the line it begins on, the headings above it from the outermost in, and its text."""

    kind: str
    line: int
    headings: tuple[str, ...]
    text: str


class Note(NamedTuple):
    """A file's front matter, with lower-case keys; its parts; and the files it imports, with their lines."""

    front: dict[str, str]
    parts: list[Part]
    imports: list[tuple[int, str]]


def _detects(path: Path) -> bool:
    if path.is_dir():
        return any(candidates(path, _SUFFIXES))
    head = head_of(path)
    if head is None:
        return False
    return has_suffix(path, _SUFFIXES) or (_LOOKS.search(head) is not None and head.lstrip()[:1] in "#-*`")


def _read(reading: Reading) -> str:
    is_folder = reading.root.is_dir()
    for file in reading.files(_SUFFIXES):
        name = file.relative_to(reading.root) if is_folder else PurePath(file.name)
        text = reading.text(file)
        if file.name == "MEMORY.md" and text.count("\n") > MOST_LOADED:
            reading.note(f"{shown(file)}: Claude Code loads its first {MOST_LOADED} lines only")
        note = note_of(text)
        reading.keep(_entries_of(name, note))
        if not is_folder:
            reading.keep(_imported(reading, file, note, {file}, 1))
    return "markdown"


READER = Reader(_detects, _read)


def _entries_of(name: PurePath, note: Note) -> Iterator[Entry]:
    title = note.front.get("title") or note.front.get("name") or _spoken(name)
    day = _first_day([*map(note.front.get, _DAY_KEYS), name.stem])
    if description := note.front.get("description"):
        yield from _entry(Part("description", 1, (), description), name, title, day)
    for part in note.parts:
        yield from _entry(part, name, title, _first_day(part.headings[::-1]) or day)


def _entry(part: Part, name: PurePath, title: str, day: date | None) -> Iterator[Entry]:
    headings = [heading for heading in part.headings if heading.lower() != title.lower()]
    about = " > ".join(filter(None, (title, *headings)))
    for piece in pieces(part.text):
        text = f"{about}: {piece}" if about else piece
        yield Entry(text, f"{name.as_posix()}:{part.line}", part.kind, about or None, day)


def _first_day(values: Sequence[Any]) -> date | None:
    return next((day for value in values if (day := day_of(value))), None)


def _spoken(name: PurePath) -> str:
    """Return what a file's name says about its content: nothing for CLAUDE.md, "ada lund" for ada-lund.md."""
    stem = name.stem
    return "" if stem.lower() in _UNSPOKEN or day_of(stem) else stem.replace("-", " ").replace("_", " ")


# ------------------ parts


def note_of(text: str) -> Note:
    """Parse a Markdown text; any text is valid Markdown."""
    front, num_lines = _front(list(islice(lines_of(text), MOST_FRONT_LINES + 1)))
    lines = text.split("\n", num_lines)
    tokens = _PARSER.parse("\n" * num_lines + lines[-1])
    walk = _Walk()
    for token in tokens:
        walk.take(token)
    said = [(token.map[0] + 1, token.content) for token in tokens if token.type == "inline" and token.map]
    return Note(front, walk.parts, list(islice(_imports(said), MOST_IN_A_FILE)))


def _front(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the front matter's `key: value` lines, and its number of lines, 0 without one."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2) if lines[:1] and lines[0].strip() == "---" else ():
        if line.strip() in ("---", "..."):
            return found, number
        if match := _KEY.match(line):
            found.setdefault(match[1].lower(), match[2].strip().strip("\"'")[:MOST_FRONT])
    return {}, 0


class _Walk:
    """State of the walk over the blocks: the headings above, the open list items, the columns of a table."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._headings: list[tuple[int, str]] = []
        self._items: list[str] = []
        self._columns: list[str] = []
        self._cells: list[str] = []
        self._level, self._is_cell, self._line = 0, False, 0

    def take(self, token: Any) -> None:
        self._line = token.map[0] + 1 if token.map else self._line
        match token.type:
            case "heading_open" | "heading_close":
                self._level = int(token.tag[1]) if token.nesting > 0 else 0
            case "list_item_open":
                self._items.append("")
            case "list_item_close":
                self._items.pop()
            case "fence" | "code_block":
                self._add("code", token.content.strip(), self._items)
            case "html_block" if not token.content.lstrip().startswith("<!--"):
                self._add("paragraph", " ".join(token.content.split()), self._items)
            case "inline":
                self._inline(" ".join(token.content.split()))
            case _:
                self._table(token.type)

    def _inline(self, text: str) -> None:
        if self._level:
            self._headings = [(above, name) for above, name in self._headings if above < self._level]
            self._headings.append((self._level, text))
        elif self._is_cell:
            self._cells.append(text)
        elif self._items and not self._items[-1]:
            self._items[-1] = _BOX.sub("", text, count=1)
            self._add("list item", self._items[-1], self._items[:-1])
        else:
            self._add("paragraph", text, self._items)

    def _table(self, kind: str) -> None:
        if kind == "tr_open":
            self._is_cell, self._cells = True, []
        elif kind == "tr_close":
            self._is_cell = False
            self._add("row", _row(self._columns, self._cells) if self._columns else "", self._items)
        elif kind in ("thead_close", "table_close"):
            self._columns = self._cells if kind == "thead_close" else []

    def _add(self, kind: str, text: str, within: Sequence[str]) -> None:
        names = (*(name for _, name in self._headings), *(name.rstrip(": ") for name in within))
        above = tuple(name for name in names if name and len(name) <= MOST_CONTEXT)
        if text:
            self.parts.append(Part(kind, self._line, above, text))


def _row(columns: Sequence[str], cells: Sequence[str]) -> str:
    named = zip(columns, cells, strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def _imports(said: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the paths of `@path` imports with their lines; `@ada` alone is a person."""
    for begin, text in said:
        for number, line in enumerate(text.split("\n") if "@" in text else (), start=begin):
            for found in _IMPORT.finditer(_CODE_SPAN.sub("", line)):
                name = found[1].rstrip(".,;:!?)]}\"'")
                if ("." in name or "/" in name) and len(name) <= MOST_PATH:
                    yield number, name


def _imported(reading: Reading, file: Path, note: Note, known: set[Path], depth: int) -> Iterator[Entry]:
    folder = reading.root.parent
    for line, wanted in note.imports:
        target = _inside(folder, file.parent, wanted)
        if target is None:
            reading.leave(file, line, "an import from outside the file's folder, or over a link, is not followed")
        elif target in known:
            continue
        elif depth > MOST_IMPORTS or len(known) >= MOST_IMPORTED:
            reading.leave(file, line, f"imports are followed {MOST_IMPORTS} deep")
        elif not os.path.isfile(target):
            reading.leave(file, line, "an import of a file that is not there")
        else:
            known.add(target)
            below = note_of(reading.text(target))
            yield from _entries_of(target.relative_to(folder), below)
            yield from _imported(reading, target, below, known, depth + 1)


def _inside(folder: Path, here: Path, wanted: str) -> Path | None:
    """Return the file meant, if every step to it is inside the folder and none is a link."""
    if wanted.startswith(("/", "~")) or "\\" in wanted:
        return None
    target = here
    for step in PurePath(wanted).parts:
        target = target.parent if step == ".." else target / step
        if not target.is_relative_to(folder) or os.path.islink(target):
            return None
    return target
