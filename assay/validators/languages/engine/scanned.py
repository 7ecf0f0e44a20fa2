"""What the graph needs of one source file: its imports, its package, the names it declares and mentions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.engine.paths import paths_of
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import Scan
from assay.validators.languages.values import How

if TYPE_CHECKING:
    import tree_sitter

    from assay.validators.languages.engine.reading import SourceReading

MOST_NAMES = 5_000
"""Maximum different names that are kept of one file."""
_TYPE_PARTS = (
    "attribute",
    "generic_name",
    "user_type",
    "base_list",
    "type_argument_list",
    "nullable_type",
    "array_type",
)
_TYPE_FIELDS = ("type", "returns")
MOST_PACKAGES = 8
"""Maximum names before the last one of a chain that may name a type in full."""


def scan_of(reading: SourceReading) -> Scan:
    """Return the scan of a file whose names lead to files."""
    row, pieces = reading.row, reading.pieces
    kinds = ("class", "attribute") if row.nests else ("class",)
    unseen = {"test"} if row.has_macros else set()  # a macro makes the name of a test
    kept = [one for one in pieces if ("." not in one.name or one.kind in kinds) and not one.marks & unseen]
    held = {piece.name for piece in kept if row.nests and piece.kind == "class"}
    held -= {piece.name for piece in kept if "filled" in piece.marks}
    declared = dict.fromkeys(piece.name for piece in kept if piece.name not in {*row.unnamed, *held})
    owners = dict.fromkeys((*sorted(held), *(piece.owner for piece in pieces if piece.kind == "method")))
    elsewhere = dict.fromkeys(f"{owner}." for owner in owners if owner not in declared)
    elsewhere |= dict.fromkeys(f"{text_of(node)}." for node in reading.nodes("facade"))
    elsewhere |= dict.fromkeys(f"{one.name}!" for one in pieces if "macro" in one.marks)
    elsewhere |= dict.fromkeys(f"{one.name}=" for one in pieces if one.marks & {"defined", "private"} == {"defined"})
    extensions = dict.fromkeys(f".{one.name.rpartition('.')[2]}" for one in pieces if "extension" in one.marks)
    members = reading.declared()[1] if row.has_implicit_this else set()
    if row.counts_types:
        declared = dict.fromkeys(f"{one.name}{_num_types(one.core) if one.kind == 'class' else ''}" for one in kept)
    free = (mention_in(reading, node) for node in reading.mentioned if not _is_own_member(reading, members, node))
    paths = (path for path, node in qualified_in(reading) if not reading.is_imported(node.start_byte))
    # Where names are looked for in types, `A::B` is a name itself.
    reads = [one for one in reading.reads if one.receiver is not None and not row.nests]
    values = ((reading.receiver_value(read), read.name) for read in reads)
    named = (
        f"{value.name}.{name}"
        for value, name in values
        if value.how is How.name and value.name.count(".") < MOST_PACKAGES and value.name not in row.relative
    )
    called = (f".{one.name}" for one in reads if row.has_extensions)
    return Scan(
        tuple(reading.imports()),
        namespace=reading.namespace,
        declares=(*declared, *elsewhere, *extensions)[:MOST_NAMES],
        mentions=tuple(dict.fromkeys((*free, *paths, *named, *called)))[:MOST_NAMES],
        parents=tuple((one.name, reading.name_in(base)) for one in kept for base in one.bases if row.nests),
    )


def _is_own_member(reading: SourceReading, members: set[tuple[str, str]], node: tree_sitter.Node) -> bool:
    """Return whether a free name is a member of a type around it, where such names need no receiver."""
    around = reading.types.each_around(node.start_byte) if members else ()
    return any((piece.name, text_of(node)) in members for piece in around) and not _is_type(node)


def _is_type(node: tree_sitter.Node) -> bool:
    """Return whether a name is written where only a type can be; a member may have the same name."""
    outer = node.parent
    if outer is None or outer.type in _TYPE_PARTS:
        return outer is not None
    return any(found is not None and found.id == node.id for found in map(outer.child_by_field_name, _TYPE_FIELDS))


def mention_in(reading: SourceReading, node: tree_sitter.Node) -> str:
    """Return a free name, where types differ by these with its number of arguments, or that it is an attribute."""
    outer = node.parent if reading.row.counts_types else None
    if outer is not None and outer.type == "attribute":
        return f"{text_of(node)}`Attribute"
    return f"{reading.name_in(node)}{_num_types(outer) if outer is not None and outer.type == 'generic_name' else ''}"


def qualified_in(reading: SourceReading) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the qualified names, with dots, and their nodes."""
    if reading.row.relative or reading.row.has_macros:
        yield from paths_of(reading)
    else:
        yield from ((path_in(reading, node), node) for node in reading.nodes("path"))


def path_in(reading: SourceReading, node: tree_sitter.Node) -> str:
    """Return a qualified name without the arguments of its types."""
    last = node.child_by_field_name("name") if reading.row.counts_types else None
    written = "".join(reading.name_in(node).partition("<")[0].removeprefix("global::").split())
    return f"{written}{_num_types(last) if last is not None else ''}"


def _num_types(node: tree_sitter.Node) -> str:
    """Return `` `2`` for a type with two parameters or arguments, nothing for one without."""
    listed = next((one for one in node.children if one.type in ("type_parameter_list", "type_argument_list")), None)
    return f"`{1 + sum(one.type == ',' for one in listed.children)}" if listed is not None else ""
