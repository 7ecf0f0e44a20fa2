"""Imports and qualified names of a file, with what the lists and modules around them put before them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import EVERYTHING, Import

if TYPE_CHECKING:
    import tree_sitter

    from assay.validators.languages.engine.captures import Captures
    from assay.validators.languages.engine.pieces import Match


def imports_of(captures: Captures) -> Iterator[Import]:
    """Yield the imports; a star import binds `*`, a static or named one the last name of its target."""
    for node in captures.nodes("import.path"):
        yield Import(node.start_point.row + 1, text_of(node), kind="path")
    is_relative = bool(captures.row.relative) or captures.row.has_macros
    for found in captures.having("import"):
        yield _of_module(captures, found) if is_relative else _of_package(captures, found)


def _of_package(captures: Captures, found: Match) -> Import:
    parts = (*found.get("import.prefix", ()), found["import"][0])
    target = ".".join(captures.name_in(node).strip("\"'`") for node in parts)
    names: tuple[tuple[str, str], ...] = ()
    if "import.star" in found:
        names = ((EVERYTHING, ""),)
    elif "import.static" in found:
        target, _, last = target.rpartition(".")
        names = ((last, last),)
    elif found.get("import.as"):
        names = ((target.rpartition(".")[2], text_of(found["import.as"][0])),)
    alias = text_of(found["import.alias"][0]) if found.get("import.alias") else ""
    kind = "global" if found.get("import.global") else "import"
    return Import(found["import"][0].start_point.row + 1, target, names, alias, kind)


def _of_module(captures: Captures, found: Match) -> Import:
    node = found["import"][0]
    target = prefixed(captures, node, text_of(node).strip("\"'`<>"))
    alias = text_of(found["import.alias"][0]) if found.get("import.alias") else ""
    names: tuple[tuple[str, str], ...] = ()
    kind = "path" if "import.file" in found else "import"
    if "import.star" in found:
        names = ((EVERYTHING, ""),)
    elif "import.named" in found:
        last = target.rpartition(captures.row.separator)[2]
        names, alias = ((last, alias or last),), ""
    kind = "export" if captures.spans("import.export").around(node.start_byte) is not None else kind
    return Import(node.start_point.row + 1, target, names, alias, kind, "import.maybe" not in found)


def prefixed(captures: Captures, node: tree_sitter.Node, written: str) -> str:
    """Return a name with what the lists and blocks around it put before it, without `super` after a name."""
    if not captures.row.relative:
        return written
    here, outer, top = captures.row.relative
    parts: list[str] = []
    for text in (*reversed([text_of(one) for one in captures.groups.each_around(node.start_byte)]), written):
        for part in text.split(captures.row.separator):
            if part == top:
                parts = [part]
            elif part == outer and parts and parts[-1] not in (outer, top):
                parts = [outer] if parts == [here] else parts[:-1] or [here]
            elif part not in (here, "*") or not parts:
                parts.append(part)
    return captures.row.separator.join(parts)


def groups_of(captures: Captures) -> Spans[tree_sitter.Node]:
    """Return what comes before the imports in a list or block, by the place of these."""
    pairs = ((found["import.prefix"][0], found["import.group"][0]) for found in captures.having("import.group"))
    return Spans((prefix.end_byte, group.end_byte, prefix) for prefix, group in pairs)


def paths_of(captures: Captures) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the qualified names, as seen from the file and with dots, and their nodes."""
    every = {node.id: node for node in captures.nodes("path")}
    # With modules as parts of a path the beginning of a path is not a name itself.
    inner = {one.children[0].id for one in every.values() if one.children} if captures.row.relative else set()
    for node in (one for key, one in every.items() if key not in inner):
        yield path_of(captures, node, text_of(node)), node
    for found in captures.having("path.rest"):
        whole = "".join(map(text_of, (*found["path.start"], *found["path.rest"])))
        yield path_of(captures, found["path.start"][0], whole), found["path.start"][0]


def path_of(captures: Captures, node: tree_sitter.Node, written: str) -> str:
    """Return a name as seen from the file, its parts separated by dots."""
    return prefixed(captures, node, written).replace(captures.row.separator, ".")
