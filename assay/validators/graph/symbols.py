"""Names that a change touches: functions, classes, methods and constants of the changed files."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, SourceTree, decoded, text_at
from assay.validators.changes.classify import Nature
from assay.validators.languages.engine.language import Language
from assay.validators.languages.engine.outline import Outline
from assay.validators.languages.language import EVERYTHING, Definition
from assay.validators.languages.register import LANGUAGES

_ALL = "__all__"
_FROM = re.compile(r"\bfrom\s*[\"']?([^\s\"';]+)")
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
    head = _touched_names(change.head, file.path, file.added)
    unused = _never_whole(change, file)
    if file.base_path is None:
        return head.names - unused
    base = _touched_names(change.base, file.base_path, file.removed)
    names = (head.names | base.names) - (_still_listed(head, base) - head.by_code - base.by_code) - unused
    if names - {EVERYTHING}:
        before, after = (
            _outline(path, text_at(tree, path)).shapes
            for tree, path in ((change.base, file.base_path), (change.head, file.path))
        )
        same = {name for name in names if name in before and before[name] == after.get(name)}
        names -= same - head.listed.keys() - base.listed.keys()
    if _ALL in names and _ALL in head.defined and _ALL in base.defined:
        names = (names - {_ALL}) | (_strings(file.removed.values()) - _strings(file.added.values()))
    return names


def _never_whole(change: ChangeSet, file: ChangedFile) -> frozenset[str]:
    """Return `{"*"}` for a file whose top level no other runs, unless its package changed; else nothing."""
    language = language_at(file.path)
    if language is None or language.row.runs_on_import:
        return frozenset()
    sides = [(change.head, file.path)] + ([(change.base, file.base_path)] if file.base_path is not None else [])
    packages = {_outline(path, text_at(tree, path)).namespace for tree, path in sides}
    return frozenset({EVERYTHING}) if len(packages) == 1 else frozenset()


@dataclass(frozen=True, slots=True)
class _TouchedNames:
    """Names on the changed lines of one side, those in code among them, and the origins of listed names."""

    names: frozenset[str]
    by_code: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def _outline(path: str, source: str) -> Outline:
    language = language_at(path)
    return language.outline(path, source.encode("utf-8", "surrogateescape")) if language is not None else Outline()


def quiet_lines(path: str, source: str) -> Collection[int] | None:
    """Return lines that cannot affect other files; None for an uncovered language."""
    return _outline(path, source).quiet_lines if language_at(path) is not None else None


def _still_listed(head: _TouchedNames, base: _TouchedNames) -> frozenset[str]:
    """Return names that both sides import or export from the same place: a longer list does not touch them."""
    return frozenset(name for name, origin in head.listed.items() if base.listed.get(name) == origin)


def _touched_names(tree: SourceTree, path: str, lines: Collection[int]) -> _TouchedNames:
    """Return the names on the changed lines of one side."""
    content = tree.read(path)
    if content is None or language_at(path) is None:
        return _TouchedNames(frozenset({EVERYTHING}) if lines else frozenset())
    source = decoded(content)
    outline = _outline(path, source)
    defined = outline.definitions
    loud = set(lines) - outline.quiet_lines
    listed = [one for one in defined if one.kind == "listed"]
    code = [one for one in defined if one.kind != "listed"]
    text = source.split("\n") if listed else []
    return _TouchedNames(
        frozenset(_names_on(loud, defined)),
        frozenset(_names_on(loud, code) - {EVERYTHING}),
        frozenset(one.name for one in defined),
        {one.name: _origin(text[one.line - 1 : one.end_line], one.name) for one in listed},
    )


def _origin(lines: list[str], name: str) -> tuple[str, ...]:
    """Return where an import or export takes a name from, and its name there."""
    statement = " ".join(lines)
    module = _FROM.search(statement)
    renamed = re.search(rf"([\w$]+)\s+as\s+{re.escape(name)}(?![\w$])", statement)
    return (module[1] if module else "", renamed[1] if renamed else name)


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


def language_at(path: str) -> Language | None:
    """Return the language of a file by its name."""
    return next((language for language in LANGUAGES.values() if language.dialect(path) is not None), None)
