"""What code outside a package may rely on in a file: exported definitions with their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.validators.languages.engine.captures import Piece
from assay.validators.languages.engine.parameters import function_in
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import DEEPEST_TYPE, LONGEST_TYPE, text_of

if TYPE_CHECKING:
    import tree_sitter

_MODIFIERS = ("static", "final", "abstract", "sealed")
_OPAQUE = ("struct_type", "interface_type")
"""Types whose parts are definitions themselves."""
_QUALIFIED = re.compile(r"\b(?:[a-z]\w*\.)+(?=[A-Z])")
"""Package before a type of Java, which an import may replace."""
_SPREAD = ("spread_parameter", "variadic_parameter_declaration")


@dataclass(frozen=True, slots=True)
class Exposed:
    """Exported definition, without what only its author sees: the names of parameters, its body, its documentation.

    `takes` are the types of the parameters, None if it is not a function; `gives` is the type of the result or value,
    or what a type stands for. `marks` are modifiers, `abstract` for what implementers must have, and `override`.
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
    spelling = _Spelling(reading)
    found: dict[str, list[tuple[Exposed, int]]] = {}
    for piece in reading.pieces:
        parts = piece.name.split(".")
        if reading.row.has_public:
            around = (known.get(".".join(parts[:end])) for end in range(1, len(parts)))
            is_seen = all("public" in one.marks for one in (*filter(None, around), piece))
        else:
            is_seen = all(name not in reading.row.unnamed and not reading.row.private.match(name) for name in parts)
        if is_seen:
            found.setdefault(piece.name, []).append((spelling.exposed(piece), piece.core.start_point.row + 1))
    return found


class _Spelling:
    """How the types of one file are written, in one spelling: type variables are `_`."""

    def __init__(self, reading: SourceReading) -> None:
        self._row = reading.row
        names = set(map(text_of, reading.nodes("generic")))
        self._generic = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)")

    def exposed(self, piece: Piece) -> Exposed:
        """Return a definition as others see it."""
        core = piece.core
        function = function_in(core) if piece.kind in ("function", "method") else None
        parameters = function.child_by_field_name("parameters") if function is not None else None
        modifiers = [one for one in core.children if one.type == "modifiers"]
        marks = {word.type for one in modifiers for word in one.children if word.type in _MODIFIERS}
        marks |= {"override"} if any("@Override" in text_of(one) for one in modifiers) else set()
        if piece.kind in ("attribute", "constant"):
            marks -= {"final"}
        receiver = core.child_by_field_name("receiver")
        marks |= {"called by pointer"} if receiver is not None and "*" in text_of(receiver) else set()
        thrown = (self._text(name) for one in core.children if one.type == "throws" for name in one.named_children)
        bases = (name for name in map(self._text, piece.bases) if not self._row.private.match(name.rpartition(".")[2]))
        return Exposed(
            "interface" if "interface" in piece.marks else piece.kind,
            self._types(parameters) if parameters is not None else None,
            self._gives(piece),
            frozenset(bases),
            frozenset(marks | (piece.marks & {"abstract"})),
            frozenset(thrown),
        )

    def _gives(self, piece: Piece) -> str:
        if piece.kind == "class":
            written = piece.core.child_by_field_name("type")
            return piece.core.type if written is None or written.type in _OPAQUE else self._text(written)
        given = piece.gives[0] if piece.gives else None
        if given is None:
            return ""
        return ", ".join(self._types(given)) if given.type == "parameter_list" else self._text(given)

    def _types(self, parameters: tree_sitter.Node, depth: int = 0) -> tuple[str, ...]:
        """Return the types of parameters, in order; one that takes the rest begins with `...`."""
        found: list[str] = []
        for node in parameters.named_children:
            written = node.child_by_field_name("type")
            if written is None and node.type in _SPREAD:
                written = next((one for one in node.named_children if one.type != "modifiers"), None)
            if not node.is_extra and node.type != "receiver_parameter" and written is not None:
                text = self._text(written, depth)
                text = f"...{text}" if node.type in _SPREAD else text
                found += [text] * max(1, len(node.children_by_field_name("name")))
        return tuple(found)

    def _text(self, node: tree_sitter.Node, depth: int = 0) -> str:
        """Return a type in one spelling; as it is written if it is longer or deeper than real ones."""
        text = " ".join(self._written(node, depth).split())
        if len(text) > LONGEST_TYPE:
            return text
        text = self._generic.sub("_", text)
        return _QUALIFIED.sub("", text) if self._row.has_public else text

    def _written(self, node: tree_sitter.Node, depth: int) -> str:
        """Return a type without the names of a function type's parameters."""
        if depth > DEEPEST_TYPE:
            return text_of(node)
        if node.type == "function_type" and (parameters := node.child_by_field_name("parameters")) is not None:
            result = node.child_by_field_name("result")
            given = "" if result is None else self._written(result, depth + 1)
            if result is not None and result.type == "parameter_list":
                given = f"({', '.join(self._types(result, depth + 1))})"
            return f"func({', '.join(self._types(parameters, depth + 1))}) {given}".rstrip()
        if node.type == "interface_type" and not node.named_child_count:
            return "any"
        found, at, whole = "", node.start_byte, node.text or b""
        for one in node.children:
            gap = whole[at - node.start_byte : one.start_byte - node.start_byte]
            found, at = found + gap.decode("utf-8", "replace") + self._written(one, depth + 1), one.end_byte
        return found + whole[at - node.start_byte :].decode("utf-8", "replace")
