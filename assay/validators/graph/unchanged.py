"""Files of a tree whose imports lead where they lead in another tree that was read before."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.validators.graph.sources import TreeSources
from assay.validators.languages.language import Scan
from assay.validators.languages.register import groups

_BY_PATHS = frozenset({"javascript"})
"""Languages in which an import leads to a file by paths and settings alone, whatever that file says."""
_WORD = re.compile(r"\w+")
MOST_NAMES = 100
"""Maximum names that differ: with more of them, searching takes as long as resolving."""


def same_edges(sources: TreeSources, known: TreeSources) -> set[str]:
    """Return the files that have the same edges in both trees.

    Both have the same paths, and settings and build files with the same content; a language's files declare the same
    but for some names, and a file that has none of these names anywhere finds what it found.
    """
    if sources.paths != known.paths or sources.wanted != known.wanted:
        return set()
    if any(not _is_same(sources, known, path) for path in known.asked_for_edges):
        return set()
    found: set[str] = set()
    for languages in groups():
        paths = [path for path, language in sources.languages.items() if language in languages]
        changed = {path for path in paths if known.scans.get(path) != sources.scans[path]}
        names = _differing(sources, known, changed, by_paths=languages <= _BY_PATHS)
        if names is not None:
            found.update(path for path in paths if path not in changed and not _has_any(sources.scans[path], names))
    return found


def _is_same(sources: TreeSources, known: TreeSources, path: str) -> bool:
    blobs = sources.tree.blob(path), known.tree.blob(path)
    return blobs[0] == blobs[1] if None not in blobs else sources.tree.read(path) == known.tree.read(path)


def _differing(sources: TreeSources, known: TreeSources, changed: Iterable[str], *, by_paths: bool) -> set[str] | None:
    """Return the parts of the names that are declared in one tree alone; None if anything else may differ."""
    names: set[str] = set()
    for path in changed:
        one, other = sources.scans[path], known.scans.get(path)
        if other is None or _others_see(one, by_paths=by_paths) != _others_see(other, by_paths=by_paths):
            return None
        declared = {*one.declares} ^ {*other.declares}
        # A macro may declare any name.
        if any(name.endswith("!") for name in declared):
            return None
        names.update(part for name in declared for part in _WORD.findall(name))
    return names if len(names) <= MOST_NAMES else None


def _others_see(scan: Scan, *, by_paths: bool) -> Scan:
    """Return what other files may find through a file, without the names that it declares."""
    imports = () if by_paths else tuple(item._replace(line=0) for item in scan.imports)
    return scan._replace(mentions=(), declares=(), imports=imports)


def _has_any(scan: Scan, names: Iterable[str]) -> bool:
    if not names:
        return False
    imported = (text for item in scan.imports for text in (item.target, item.alias, *map(":".join, item.names)))
    text = "\n".join((*scan.mentions, *scan.declares, *imported, scan.namespace, *map(":".join, scan.parents)))
    return any(name in text for name in names)
