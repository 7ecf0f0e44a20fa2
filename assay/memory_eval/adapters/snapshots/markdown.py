"""Memories as Markdown: CLAUDE.md, AGENTS.md, a folder of notes. Each list item, paragraph or row is an entry.

An entry includes the headings above it ("Team > Ada: allergic to peanuts"), so that it is understood alone. `@path`
imports of a single file are read if they stay inside its folder; a folder is read as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path, PurePath

from assay.memory_eval.adapters.snapshots.markdown_parts import Note, Part, note_of
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, has_suffix, head_of, pieces, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot, day_of, first_day_of

MOST_IMPORTS = 5
"""Depth of imports; Claude Code's own limit ("maximum depth of five hops")."""

MOST_IMPORTED = 100

MOST_LOADED = 200
"""Lines of a MEMORY.md that Claude Code loads when a session starts."""

_SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mdc"})
_UNSPOKEN = frozenset("claude claude.local agents gemini memory memories index readme notes".split())
_DAY_KEYS = "updated updated_at modified date created created_at".split()
_LOOKS = re.compile(r"(?m)^(?:#{1,6} \S|[-*] \S|---\s*$|```)")


class Markdown:
    """Reader of a Markdown file, or of every one in a folder."""

    name = "markdown"
    title = "Markdown (CLAUDE.md, AGENTS.md, a folder of .md)"

    def detects(self, path: Path) -> bool:
        if path.is_dir():
            return any(candidates(path, _SUFFIXES))
        head = head_of(path)
        if head is None:
            return False
        return has_suffix(path, _SUFFIXES) or (_LOOKS.search(head) is not None and head.lstrip()[:1] in "#-*`")

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        is_folder = path.is_dir()
        for file in reading.files(_SUFFIXES):
            name = file.relative_to(path) if is_folder else PurePath(file.name)
            text = reading.text(file)
            if file.name == "MEMORY.md" and text.count("\n") > MOST_LOADED:
                reading.note(f"{shown(file)}: Claude Code loads its first {MOST_LOADED} lines only")
            note = note_of(text)
            reading.keep(_entries_of(name, note))
            if not is_folder:
                reading.keep(_imported(reading, file, note, {file}, 1))
        return reading.snapshot(self.name)


def _entries_of(name: PurePath, note: Note) -> Iterator[Entry]:
    title = note.front.get("title") or note.front.get("name") or _spoken(name)
    day = first_day_of([*map(note.front.get, _DAY_KEYS), name.stem])
    if description := note.front.get("description"):
        yield from _entry(Part("description", 1, (), description), name, title, day)
    for part in note.parts:
        yield from _entry(part, name, title, first_day_of(reversed(part.headings)) or day)


def _entry(part: Part, name: PurePath, title: str, day: date | None) -> Iterator[Entry]:
    headings = [heading for heading in part.headings if heading.lower() != title.lower()]
    about = " > ".join(filter(None, (title, *headings)))
    for piece in pieces(part.text):
        text = f"{about}: {piece}" if about else piece
        yield Entry(text, f"{name.as_posix()}:{part.line}", part.kind, about or None, day)


def _spoken(name: PurePath) -> str:
    """Return what a file's name says about its content: nothing for CLAUDE.md, "ada lund" for ada-lund.md."""
    stem = name.stem
    if stem.lower() in _UNSPOKEN or day_of(stem):
        return ""
    return stem.replace("-", " ").replace("_", " ")


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
