"""What code outside a package may rely on in a file: exported definitions with their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.validators.languages.engine.captures import Piece
from assay.validators.languages.engine.parameters import function_in
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.written import text_of

if TYPE_CHECKING:
    import tree_sitter

_MODIFIERS = ("static", "final", "abstract", "sealed")
_OPAQUE = ("struct_type", "interface_type")
"""Types whose parts are definitions themselves."""
_SPREAD = ("spread_parameter", "variadic_parameter_declaration")


@dataclass(frozen=True, slots=True)
class Exposed:
    """Exported definition, without what only its author sees: the names of parameters, its body, its documentation.

    `takes` are the types of the parameters, None if it is not a function; `gives` is the type of the result or value, or
    what a type stands for. `marks` are modifiers, `abstract` for what implementers must have, and `override`.
    """

    kind: str
    takes: tuple[str, ...] | None = None
    gives: str = ""
    bases: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    throws: frozenset[str] = frozenset()


def interface_of(reading: SourceReading) -> dict[str, list[tuple[Exposed, int]]]:
    """Return name -> its exported definitions with their lines, several if it is overloaded."""
    known = {piece.name: piece for piece in reading.pieces}
    found: dict[str, list[tuple[Exposed, int]]] = {}
    for piece in reading.pieces:
        parts = piece.name.split(".")
        if reading.row.has_public:
            around = (known.get(".".join(parts[:end])) for end in range(1, len(parts)))
            is_seen = all("public" in one.marks for one in (*filter(None, around), piece))
        else:
            is_seen = all(name not in reading.row.unnamed and not reading.row.private.match(name) for name in parts)
        if is_seen:
            found.setdefault(piece.name, []).append((_exposed(piece, reading.row), piece.core.start_point.row + 1))
    return found


def _exposed(piece: Piece, row: Row) -> Exposed:
    core = piece.core
    function = function_in(core) if piece.kind in ("function", "method") else None
    parameters = function.child_by_field_name("parameters") if function is not None else None
    modifiers = [one for one in core.children if one.type == "modifiers"]
    marks = {word.type for one in modifiers for word in one.children if word.type in _MODIFIERS}
    marks |= {"override"} if any("@Override" in text_of(one) for one in modifiers) else set()
    if piece.kind in ("attribute", "constant"):
        marks -= {"final"}
    thrown = (text_of(name) for one in core.children if one.type == "throws" for name in one.named_children)
    return Exposed(
        "interface" if "interface" in piece.marks else piece.kind,
        _types(parameters) if parameters is not None else None,
        _gives(piece),
        frozenset(name for name in map(_text, piece.bases) if not row.private.match(name.rpartition(".")[2])),
        frozenset(marks | (piece.marks & {"abstract"})),
        frozenset(thrown),
    )


def _gives(piece: Piece) -> str:
    if piece.kind == "class":
        written = piece.core.child_by_field_name("type")
        return piece.core.type if written is None or written.type in _OPAQUE else _text(written)
    if not piece.gives:
        return ""
    return ", ".join(_types(piece.gives[0])) if piece.gives[0].type == "parameter_list" else _text(piece.gives[0])


def _types(parameters: tree_sitter.Node) -> tuple[str, ...]:
    """Return the types of parameters, in order; one that takes the rest begins with `...`."""
    found: list[str] = []
    for node in parameters.named_children:
        written = node.child_by_field_name("type")
        if written is None and node.type in _SPREAD:
            written = next((one for one in node.named_children if one.type != "modifiers"), None)
        if not node.is_extra and node.type != "receiver_parameter" and written is not None:
            text = f"...{_text(written)}" if node.type in _SPREAD else _text(written)
            found += [text] * max(1, len(node.children_by_field_name("name")))
    return tuple(found)


def _text(node: tree_sitter.Node) -> str:
    """Return a type in one spelling: on one line, without the names of a function type's parameters."""
    if node.type == "function_type" and (parameters := node.child_by_field_name("parameters")) is not None:
        result = node.child_by_field_name("result")
        given = "" if result is None else _text(result)
        if result is not None and result.type == "parameter_list":
            given = f"({', '.join(_types(result))})"
        return f"func({', '.join(_types(parameters))}) {given}".rstrip()
    if node.type == "interface_type" and not node.named_child_count:
        return "any"
    found, at = "", node.start_byte
    whole = node.text or b""
    for one in node.children:
        found += whole[at - node.start_byte : one.start_byte - node.start_byte].decode("utf-8", "replace") + _text(one)
        at = one.end_byte
    return " ".join((found + whole[at - node.start_byte :].decode("utf-8", "replace")).split())
