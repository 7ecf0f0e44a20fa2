"""Which names a change touches: functions, classes, methods and constants of the files it changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable

from assay.validators.change import READ_LIMIT, ChangedFile, ChangeSet, FileKind, FileStatus, SourceTree, decoded
from assay.validators.classify import Nature
from assay.validators.languages import LANGUAGES
from assay.validators.languages.language import EVERYTHING, Definition, Language

_NO_SOURCE = (Nature.docs, Nature.lock)


def changed_symbols(change: ChangeSet) -> dict[str, frozenset[str]]:
    """Path -> the names that a change touches there, looked up on both sides.

    A name is a top-level definition's, or `Class.method`; `"*"` stands for the file as a whole: its top-level
    statements, and all of a file in a language that is not covered. Comments, docstrings, blank lines and imports touch
    nothing.
    A renamed file stands under both paths, the old one with `"*"`, since nobody finds it there any more.
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
    """The top-level definitions and methods of a source file, in order of lines; none in a language not covered."""
    language = _language_of(path)
    return language.definitions(path, source) if language is not None else []


def _touched(change: ChangeSet, file: ChangedFile) -> frozenset[str]:
    if file.status is FileStatus.deleted or file.kind is not FileKind.text:
        return frozenset({EVERYTHING})
    if _language_of(file.path) is None:
        return frozenset({EVERYTHING}) if file.hunks or file.status is not FileStatus.renamed else frozenset()
    head = _names_at(change.head, file.path, file.added)
    return head | _names_at(change.base, file.base_path, file.removed) if file.base_path is not None else head


def _names_at(tree: SourceTree, path: str, lines: Collection[int]) -> frozenset[str]:
    """The names that stand on these lines of one side."""
    content = tree.read(path, READ_LIMIT) if lines else None
    if content is None:
        return frozenset({EVERYTHING}) if lines else frozenset()
    source = decoded(content)
    language = _language_of(path)
    if language is None:
        return frozenset({EVERYTHING})
    loud = set(lines) - set(language.quiet_lines(path, source))
    return frozenset(_names_on(loud, language.definitions(path, source)))


def _names_on(lines: Iterable[int], defined: list[Definition]) -> set[str]:
    """The innermost definitions on these lines; `"*"` for a line outside every definition."""
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


def _language_of(path: str) -> Language | None:
    return next((language for language in LANGUAGES.values() if language.dialect(path) is not None), None)
