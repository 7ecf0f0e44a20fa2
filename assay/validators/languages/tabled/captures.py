"""One source file by its language's query file: definitions, imports, mentions, local names and values.

Captures of matches:

| capture | meaning |
|---|---|
| `@namespace`, `@import` (`.alias`, `.star`, `.static`, `.whole`) | the package a file is in; what it imports |
| `@define` in `@function`, `@type`, `@method`, `@field`, `@constant` | a definition, and the node that is all of it |
| `@define.constructor` | the name of a constructor |
| `@interface` | the name of a type that others implement by having its methods |
| `@test`, `@private` | the name of what a test runner calls; of what other packages or types cannot use |
| `@owner`, `@base`, `@gives`, `@gives.value` | the type of a member; its parent; the type or value a name has |
| `@receiver` (or `@qualifier`, a package) and `@member` in `@read` | a member that is read |
| `@called` in `@call` | a call of a value |
| `@member.called`, `@own.called` in `@call` | a call of a member, of `@receiver` or of the own type |
| `@created` in `@new`, `@inner` in `@same`, `@this`, `@super` | further values |
| `@bind` with `@bind.type` or `@bind.value` | the type or value of a local name |

Flat ones: `@name` mentions a name, `@path` a qualified one, `@local` binds one in the innermost `@scope`, `@generic`
one for the whole file; neither `@label` nor `@key` is a mention; `@quiet` has no effect on other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.validators.languages.language import Definition, Import
from assay.validators.languages.tabled.row import Row
from assay.validators.languages.tabled.spans import Spans

if TYPE_CHECKING:
    import tree_sitter

KINDS = {"function": "function", "type": "class", "method": "method", "field": "attribute", "constant": "constant"}
"""Capture of a whole definition -> kind of symbol."""
CONSTRUCTOR = "constructor"
LONGEST_TYPE = 500
"""Maximum characters of a written type; a longer one is unknown."""
DEEPEST = 300
"""Depth of a syntax tree below which nothing is read: queries take time by its square, and code is not that deep."""
MOST_CHILDREN = 2_000
"""Maximum children of a part at the top that cannot be parsed; a file with more of them is not read."""
MOST_OUTER = 20
"""Maximum types around a definition."""
DEFINING = ("define", "define.constructor")

Match = dict[str, list["tree_sitter.Node"]]


@dataclass(slots=True)
class Piece:
    """Definition in a file: its name with its owner's, its whole node, and what is written of its value."""

    name: str
    kind: str
    node: tree_sitter.Node
    gives: list[tree_sitter.Node] = field(default_factory=list)
    given: list[tree_sitter.Node] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    is_test: bool = False
    is_private: bool = False
    is_interface: bool = False


class Captures:
    """Captures of one file, in order, and the definitions among them."""

    def __init__(self, row: Row, content: bytes) -> None:
        import tree_sitter

        self.row = row
        self.content = content
        joined, flat = row.queries
        root = row.parser.parse(content).root_node
        self._root = root  # nodes are only valid while their tree is
        self._matches: list[Match] = []
        self._flat: Match = {}
        if not any(node.type == "ERROR" and node.child_count > MOST_CHILDREN for node in (root, *root.children)):
            cursors = [tree_sitter.QueryCursor(query) for query in (joined, flat)]
            for cursor in cursors:
                cursor.set_max_start_depth(DEEPEST)
            self._matches = [found for _, found in cursors[0].matches(root)]
            self._flat = cursors[1].captures(root)
        self._parameterized: set[str] = set()
        """Values of types that are written with arguments."""
        self._imports = Spans(
            (node.start_byte, node.end_byte, True)
            for found in self._matches
            for key in ("import.whole", "namespace")
            for node in found.get(key, ())
        )
        self._scopes = Spans((node.start_byte, node.end_byte, node) for node in self._flat.get("scope", ()))
        self.pieces = self._find_pieces()

    def imports(self) -> Iterator[Import]:
        """Yield the imports; a star import binds `*`, a static one the last name of its target."""
        for found in self._matches:
            if "import" not in found:
                continue
            target = text_of(found["import"][0]).strip("\"'`")
            names: tuple[tuple[str, str], ...] = ()
            if "import.star" in found:
                names = (("*", ""),)
            elif "import.static" in found:
                target, _, last = target.rpartition(self.row.separator)
                names = ((last, last),)
            alias = text_of(found["import.alias"][0]) if found.get("import.alias") else ""
            yield Import(found["import"][0].start_point.row + 1, target, names, alias)

    def definitions(self) -> list[Definition]:
        """Return the definitions in line order."""
        found = [
            Definition(
                piece.name,
                piece.node.start_point.row + 1,
                piece.node.end_point.row + 1,
                piece.kind,
                not piece.is_private,
            )
            for piece in self.pieces
        ]
        return sorted(found, key=lambda one: (one.line, one.end_line))

    def quiet_lines(self) -> set[int]:
        """Return the lines of comments, imports and nothing."""
        text = bytearray(self.content)
        for node in self._flat.get("quiet", ()):
            part = text[node.start_byte : node.end_byte]
            text[node.start_byte : node.end_byte] = bytes(10 if byte == 10 else 32 for byte in part)
        return {number for number, line in enumerate(text.split(b"\n"), 1) if not line.strip()}

    def declared(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the names that the file declares, and its members as (type, name)."""
        parts = (one.name.rpartition(".") for one in self.pieces if one.kind != "class")
        members = {(owner, name) for owner, _, name in parts if owner}
        return {one.name for one in self.pieces if "." not in one.name or one.kind == "class"}, members

    def type_value(self, node: tree_sitter.Node) -> str:
        """Return the value expression of an instance of a written type; "" if it is not a plain name."""
        text = text_of(node)
        match = self.row.outer_type.match(text) if len(text) <= LONGEST_TYPE else None
        if match is None:
            return ""
        name = match[1].replace(self.row.separator, ".")
        if text[-1:] in (">", "]"):
            self._parameterized.add(f"={name}")
        return f"={name}"

    def _is_imported(self, at: int) -> bool:
        """Return whether a byte is in an import or in the name of the package."""
        return self._imports.around(at) is not None

    def _find_pieces(self) -> list[Piece]:
        types = {found["type"][0].id: found for found in self._matches if "type" in found and "define" in found}
        nodes = [*self._flat.get("scope", ()), *(found["type"][0] for found in types.values())]
        around = Spans((node.start_byte, node.end_byte, node) for node in nodes)
        found_pieces: dict[tuple[str, int], Piece] = {}
        tests, private, interfaces = (
            {found[mark][0].start_byte for found in self._matches if mark in found}
            for mark in ("test", "private", "interface")
        )
        bases: dict[str, list[str]] = {}
        for found in self._matches:
            if "base" in found:
                value = self.type_value(found["base"][0])
                if value:
                    bases.setdefault(self._owner(found), []).append(value[1:])
            name = found.get("define") or found.get("define.constructor")
            capture = next((one for one in KINDS if one in found), None)
            if name is None or capture is None:
                continue
            whole = found[capture][0]
            owner = self._owner(found)
            if not owner:
                outer = self._outer(whole, types, around)
                if outer is None:
                    continue
                owner = outer
            for node in name:
                own = CONSTRUCTOR if "define.constructor" in found else text_of(node)
                full = f"{owner}.{own}" if owner else own
                piece = found_pieces.setdefault((full, whole.start_byte), Piece(full, KINDS[capture], whole))
                piece.gives += found.get("gives", ())
                piece.given += found.get("gives.value", ()) if len(name) == 1 else ()
                piece.is_test = piece.is_test or node.start_byte in tests
                piece.is_private = node.start_byte in private
                piece.is_interface = node.start_byte in interfaces
        for piece in found_pieces.values():
            if piece.kind == "class":
                piece.bases += bases.get(piece.name, bases.get(piece.name.rpartition(".")[2], []))
        return list(found_pieces.values())

    def _owner(self, found: Match) -> str:
        return self.type_value(found["owner"][0])[1:] if "owner" in found else ""

    def _outer(self, node: tree_sitter.Node, types: dict[int, Match], around: Spans[tree_sitter.Node]) -> str | None:
        """Return the types around a definition, "" at the top; None inside a function, where nothing is exported."""
        names: list[str] = []
        outer = around.around(node.start_byte, node.end_byte)
        while outer is not None:
            if outer.id not in types or len(names) > MOST_OUTER:
                return None
            names.append(text_of(types[outer.id]["define"][0]))
            outer = around.around(outer.start_byte, outer.end_byte)
        return ".".join(reversed(names))


def text_of(node: tree_sitter.Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "replace")
