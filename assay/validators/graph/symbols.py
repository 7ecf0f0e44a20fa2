"""Names that a change touches: functions, classes, methods and constants of the changed files."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, SourceTree, decoded, text_at
from assay.validators.changes.classify import Nature
from assay.validators.languages.engine.outline import Outline
from assay.validators.languages.language import EVERYTHING, Definition
from assay.validators.languages.register import language_at

_ALL = "__all__"
_NAME_AS_STRING = re.compile(r"[\"'](\w+)[\"']")
_NO_SOURCE = (Nature.docs, Nature.lock)


def changed_symbols(change: ChangeSet) -> dict[str, frozenset[str]]:
    """Return path -> the names that a change touches there, on both sides.

    A name is a top-level definition's, or `Class.method`; `"*"` stands for the whole file: its top-level statements, or
    a file in a language that is not covered. Comments, docstrings, blank lines, imports and the work of a Python
    formatter touch nothing. A renamed file has both paths, the old one with `"*"`, since it no longer exists there.
    """
    found: dict[str, frozenset[str]] = {}
    for file in change.files:
        if file.kind in (FileKind.symlink, FileKind.submodule) or file.nature in _NO_SOURCE:
            continue
        names = _touched(change, file)
        if names:
            found[file.path] = names
        if file.status is FileStatus.renamed and file.base_path is not None:
            found[file.base_path] = frozenset({EVERYTHING})
    return found


def definitions(path: str, source: str) -> list[Definition]:
    """Return a source file's top-level definitions and methods in line order; empty for an uncovered language."""
    return list(_outline(path, source).definitions) if language_at(path) is not None else []


def _touched(change: ChangeSet, file: ChangedFile) -> frozenset[str]:
    if file.status is FileStatus.deleted or file.kind is not FileKind.text:
        return frozenset({EVERYTHING})
    if language_at(file.path) is None:
        return frozenset({EVERYTHING}) if file.hunks or file.status is not FileStatus.renamed else frozenset()
    after, names, in_code = _touched_names(change.head, file.path, file.added)
    unused = _never_whole(change, file)
    if file.base_path is None:
        return names - unused
    before, old_names, old_in_code = _touched_names(change.base, file.base_path, file.removed)
    listed = [{one.name for one in side.definitions if one.kind == "listed"} for side in (before, after)]
    # Both sides import or export it from the same place: a longer list does not touch it.
    still = {name for name in listed[0] & listed[1] if before.handed_on.get(name) == after.handed_on.get(name)}
    names = (names | old_names) - (still - in_code - old_in_code) - unused
    old, new = shapes_of(change, file, names - listed[0] - listed[1])
    names -= {name for name, _ in old.items() & new.items()}
    if _ALL in names and all(_ALL in side.names for side in (before, after)):
        names = (names - {_ALL}) | (_strings(file.removed.values()) - _strings(file.added.values()))
    return names


def new_symbols(change: ChangeSet, symbols: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return the touched names that no changed file had before: code that did not change can hardly mean them."""
    sides = (file.base_path for file in change.files if file.base_path is not None and file.kind is FileKind.text)
    before = {one.name for path in sides for one in definitions(path, text_at(change.base, path))}
    return frozenset(name for names in symbols.values() for name in names) - before - {EVERYTHING}


def shapes_of(change: ChangeSet, file: ChangedFile, names: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the definitions of these names say on both sides, without comments and layout."""
    sides = (change.base, file.base_path), (change.head, file.path if file.exists else None)
    old, new = (
        language.shapes(path, text_at(tree, path).encode("utf-8", "surrogateescape"), names)
        if path is not None and (language := language_at(path)) is not None and names - {EVERYTHING}
        else {}
        for tree, path in sides
    )
    return old, new


def _never_whole(change: ChangeSet, file: ChangedFile) -> frozenset[str]:
    """Return `{"*"}` for a file whose top level no other runs, unless its package changed; else nothing."""
    language = language_at(file.path)
    if language is None or language.row.runs_on_import:
        return frozenset()
    sides = [(change.head, file.path)] + ([(change.base, file.base_path)] if file.base_path is not None else [])
    packages = {_outline(path, text_at(tree, path)).namespace for tree, path in sides}
    return frozenset({EVERYTHING}) if len(packages) == 1 else frozenset()


def _outline(path: str, source: str) -> Outline:
    language = language_at(path)
    return language.outline(path, source.encode("utf-8", "surrogateescape")) if language is not None else Outline()


def quiet_lines(path: str, source: str) -> Collection[int] | None:
    """Return lines that cannot affect other files; None for an uncovered language."""
    return _outline(path, source).quiet_lines if language_at(path) is not None else None


def _touched_names(
    tree: SourceTree, path: str, lines: Collection[int]
) -> tuple[Outline, frozenset[str], frozenset[str]]:
    """Return the outline of one side, the names on its changed lines, and those of code among them."""
    content = tree.read(path)
    if content is None or language_at(path) is None:
        return Outline(), frozenset({EVERYTHING}) if lines else frozenset(), frozenset()
    outline = _outline(path, decoded(content))
    loud = set(lines) - outline.quiet_lines
    code = [one for one in outline.definitions if one.kind != "listed"]
    return outline, frozenset(_names_on(loud, outline.definitions)), frozenset(_names_on(loud, code) - {EVERYTHING})


def _strings(lines: Iterable[str]) -> frozenset[str]:
    """Return the names written as strings on these lines."""
    return frozenset(name for line in lines for name in _NAME_AS_STRING.findall(line))


def _names_on(lines: Iterable[int], defined: Sequence[Definition]) -> set[str]:
    """Return the innermost definitions on these lines; `"*"` for a line outside every definition."""
    ordered = sorted(lines)
    innermost: dict[int, tuple[int, set[str]]] = {}
    for one in defined:
        size = one.end_line - one.line
        for line in ordered[bisect_left(ordered, one.line) : bisect_right(ordered, one.end_line)]:
            known = innermost.get(line)
            if known is None or size < known[0]:
                innermost[line] = size, {one.name}
            elif size == known[0]:
                known[1].add(one.name)
    found = {name for _, names in innermost.values() for name in names}
    return found if len(innermost) == len(ordered) else found | {EVERYTHING}
