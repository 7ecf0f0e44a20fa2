"""One source file by its language's query files: definitions, exports, imports, quiet lines.

Captures of matches:

| capture | meaning |
|---|---|
| `@namespace`, `@import` (`.alias`, `.star`, `.static`, `.whole`) | the package a file is in; what it imports |
| `@define` in `@function`, `@type`, `@method`, `@field`, `@constant`, `@listed` | a definition, and its node |
| `@define.constructor`, `@define.default` | the name of a constructor; what has the name `default` |
| `@part` in `@whole` | a definition, and the larger node that belongs to it: its decorators, its `export` |
| `@interface` | the name of a type that others implement by having its methods |
| `@private`, `@public` | a name that others cannot use; one that they can, where the others are for the package |
| `@abstract` | a member that a type which implements another has to have |
| `@export` (`.as`, `.default`) | a name that other files can use, and under which name |
| `@test`, `@fixture` (`.auto`, `.name`, `.used`) | the name of what a test runner calls |
| `@entry` with `.verb`, `.path`; `@command` (`.name`) | the name of a function that a framework calls |
| `@owner`, `@base`, `@gives`, `@gives.value` | the type of a member; its parent; the type or value a name has |
| `@receiver` (or `@qualifier`, a package) and `@member` in `@read` | a member that is read |
| `@receiver` and `@store` | a member that is assigned to |
| `@called` in `@call` | a call of a value |
| `@member.called`, `@own.called` in `@call` | a call of a member, of `@receiver` or of the own type |
| `@created` in `@new`, `@inner` in `@same`, `@of` in `@item`, `@this`, `@super` | further values |
| `@guarded` and `@guard` | code that is prepared for what `@guard` names, for anything without it |
| `@bind` with `.type`, `.value`, `.item`, `.part` or `.entered`; `@bind.this` | the type or value of a local name |

Flat ones: `@name` mentions a name, `@path` a qualified one, `@written` those in a type that is a text; `@local` binds
one in the innermost `@scope`, `@outer` in the scope around it, `@global` in none, `@generic` in the whole file, and
`@rebound` gives it another value; neither `@label` nor `@key` is a mention. `@literal` is a value of the language,
`@late` code that runs only when it is called, `@skipped` code that runs only as a script, `@unbound` code with another
`this`, `@returned` what a function returns, `@test.call` and `@test.member` a call that a test runner makes tests of.
`@open` may add any name to the file, in `@open.listed` only one written there; `@open.type` any member to the type
around it, `@open.owner` to the one named, `@open.values` any but methods. A `@tag` is a name if it begins with a
capital. What binds a name in `@exported` exports it, `@exported.default` as the default. `@quiet` has no effect on
other files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import shape, split_type, text_of, written_value
from assay.validators.languages.language import Definition, Import
from assay.validators.languages.values import UNKNOWN, How, Value

if TYPE_CHECKING:
    import tree_sitter

KINDS = {
    "type": "class",
    "function": "function",
    "method": "method",
    "field": "attribute",
    "constant": "constant",
    "listed": "listed",
}
"""Capture of a whole definition -> kind of symbol; the first one counts for a name with several."""
MEMBERS = {"function": "method", "constant": "attribute"}
"""Kind of a definition -> its kind inside a type."""
CONSTRUCTOR = "constructor"
DEFAULT = "default"
DEFINING = ("define", "define.constructor")
DEEPEST = 300
"""Depth of a syntax tree below which nothing is read: queries take time by its square, and code is not that deep."""
MOST_CHILDREN = 2_000
"""Maximum children of a part at the top that cannot be parsed; a file with more of them is not read."""
LARGEST_READ = 2 * 1024 * 1024
MOST_OUTER = 20
"""Maximum types around a definition, and maximum depth of a written type."""

Match = dict[str, list["tree_sitter.Node"]]


@dataclass(slots=True)
class Piece:
    """Definition in a file: its name with its owner's, its own node and the whole one, what is written of its value."""

    name: str
    kind: str
    core: tree_sitter.Node
    node: tree_sitter.Node
    gives: list[tree_sitter.Node] = field(default_factory=list)
    given: list[tree_sitter.Node] = field(default_factory=list)
    bases: list[tree_sitter.Node] = field(default_factory=list)
    marks: frozenset[str] = frozenset()
    """Of `_MARKS`."""

    @property
    def owner(self) -> str:
        """Type that it is a member of; "" for another definition."""
        return self.name.rpartition(".")[0]


class Captures:
    """Captures of one file, in order, and the definitions among them.

    `imported` are its imports, where these are not read by captures.
    """

    def __init__(self, row: Row, content: bytes, imported: Sequence[Import] = ()) -> None:
        self.row = row
        self.content = content
        self.imports_given = tuple(imported)
        self.imported = frozenset(local for item in imported if item.kind == "call" for _, local in item.names)
        """Names that the calls which import something bind: an assignment of one defines nothing."""
        self.renamed = {
            local: name for item in imported for name, local in item.names if local not in ("", name) and name != "*"
        }
        """Local name -> its name in the file that it is imported from."""
        self.matches: list[Match] = []
        self.flat: Match = {}
        self.has_error = False
        if len(content) <= LARGEST_READ:
            self._read(content)
        self._parameterized: set[Value] = set()
        """Values of types that are written with arguments."""

    @cached_property
    def pieces(self) -> list[Piece]:
        """Definitions in the order of the file."""
        return sorted(self._pieces.values(), key=lambda one: one.node.start_byte)

    def _read(self, content: bytes) -> None:
        import tree_sitter

        # Predicates fail on bytes that are not UTF-8; in place of each of them a `?` keeps all positions.
        text = content.decode("utf-8", "surrogateescape").encode("utf-8", "replace")
        self._root = root = self.row.parser.parse(text).root_node  # nodes are only valid while their tree is
        if any(node.type == "ERROR" and node.child_count > MOST_CHILDREN for node in (root, *root.children)):
            return
        self.has_error = root.has_error
        cursors = [tree_sitter.QueryCursor(query) for query in self.row.compiled]
        for cursor in cursors:
            cursor.set_max_start_depth(DEEPEST)
        self.matches = [found for _, found in cursors[0].matches(root)]
        self.flat = cursors[1].captures(root)

    def imports(self) -> Iterator[Import]:
        """Yield the imports; a star import binds `*`, a static one the last name of its target."""
        for found in self.matches:
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

    @cached_property
    def exports(self) -> dict[str, str]:
        """Exported name -> local one, without names that are exported from another file."""
        found_exports: dict[str, str] = {}
        for found in self.matches:
            for node in found.get("export", ()):
                local = text_of(node).strip("\"'")
                name = found.get("export.as")
                is_default = "export.default" in found
                found_exports[DEFAULT if is_default else text_of(name[0]).strip("\"'") if name else local] = local
            if "define.default" in found and "listed" not in found:
                found_exports[DEFAULT] = DEFAULT
        if self.flat.get("exported.default"):
            found_exports.setdefault(DEFAULT, DEFAULT)
        exported = Spans((node.start_byte, node.end_byte, True) for node in self.flat.get("exported", ()))
        for node in self.flat.get("local", ()):
            if exported.around(node.start_byte) and self._scopes.around(node.start_byte) is None:
                found_exports.setdefault(text_of(node), text_of(node))  # one of a pattern
        return found_exports

    @cached_property
    def bound(self) -> set[str]:
        """Names that the top level of the file, or a function for it, binds in any way."""
        nodes = (node for node in self.flat.get("local", ()) if self.scope_of(node) is None)
        return {text_of(node) for node in (*nodes, *self.flat.get("global", ()))} | self.declared()[0]

    def scope_of(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """Return the scope of a name that is bound there; `:=` in a comprehension binds outside of it."""
        scope = self._scopes.around(node.start_byte, node.end_byte)
        is_walrus = node.parent is not None and node.parent.type == "named_expression"
        while is_walrus and scope is not None and scope.type.endswith(("comprehension", "generator_expression")):
            scope = self._scopes.around(scope.start_byte, scope.end_byte)
        return scope

    def definitions(self) -> list[Definition]:
        """Return the definitions in line order."""
        found = [
            Definition(
                piece.name,
                piece.node.start_point.row + 1,
                piece.node.end_point.row + 1,
                piece.kind,
                not self._is_private(piece),
            )
            for piece in self.pieces
            if piece.kind != "attribute" or not self.row.runs_class_body
        ]
        return sorted(found, key=lambda one: (one.line, one.end_line))

    def _is_private(self, piece: Piece) -> bool:
        if self.row.has_exports and piece.kind != "listed":
            return piece.name.partition(".")[0] not in self.exports.values()
        return "private" in piece.marks or self.row.private.match(piece.name.rpartition(".")[2]) is not None

    def quiet_lines(self, keeps_imports: bool = False) -> set[int]:
        """Return the lines of comments, imports and nothing."""
        text = bytearray(self.content)
        listed = Spans((one.node.start_byte, one.node.end_byte, True) for one in self.pieces if one.kind == "listed")
        for node in self.flat.get("quiet", ()):
            if keeps_imports and listed.around(node.start_byte):
                continue
            part = text[node.start_byte : node.end_byte]
            text[node.start_byte : node.end_byte] = bytes(10 if byte == 10 else 32 for byte in part)
        return {number for number, line in enumerate(text.split(b"\n"), 1) if not line.strip()}

    @property
    def namespace(self) -> str:
        """Package that the file declares."""
        return next((text_of(found["namespace"][0]) for found in self.matches if "namespace" in found), "")

    def declared(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the names that the file declares, and its members as (type, name)."""
        parts = (one.name.rpartition(".") for one in self.pieces if one.kind != "class")
        members = {(owner, name) for owner, _, name in parts if owner}
        return {one.name for one in self.pieces if "." not in one.name or one.kind == "class"}, members

    def shapes(self) -> dict[str, str]:
        """Return what each definition says, without comments and what a formatter may change."""
        found: dict[str, str] = {}
        for piece in self.pieces:
            if piece.kind != "listed":
                # A name may be defined several times, as in overloads.
                found[piece.name] = found.get(piece.name, "") + shape(piece.node)
        return found

    def decorators(self, piece: Piece) -> tuple[str, ...]:
        """Return the decorators of a definition as they are written."""
        return tuple(text_of(node) for node in piece.node.named_children if node.type == "decorator")

    # Written types

    def type_value(self, node: tree_sitter.Node) -> Value:
        """Return the value expression of an instance of a written type."""
        value = written_value(self.row, text_of(node), self._parameterized)
        if value.name and value.name in self._generic:
            return UNKNOWN
        return self.this_at(node.start_byte) if value.name in self.row.own_type else value

    @cached_property
    def types(self) -> Spans[Piece]:
        """Types by their place."""
        return Spans((one.core.start_byte, one.core.end_byte, one) for one in self.pieces if one.kind == "class")

    def this_at(self, at: int) -> Value:
        """Return the value of the own type at a byte."""
        piece = self.types.around(at)
        if piece is None:
            return UNKNOWN
        unbound = self._unbound.around(at)
        is_bound = unbound is None or unbound.start_byte < piece.core.start_byte
        return Value(How.instance, piece.name) if is_bound else UNKNOWN

    @cached_property
    def _unbound(self) -> Spans[tree_sitter.Node]:
        return Spans((node.start_byte, node.end_byte, node) for node in self.flat.get("unbound", ()))

    @cached_property
    def _generic(self) -> set[str]:
        """Type parameters, in any part of the file."""
        return {text_of(node) for node in self.flat.get("generic", ())}

    def is_one_type(self, node: tree_sitter.Node) -> bool:
        """Return whether a written type names one class, apart from what stands for no value."""
        parts = (written_value(self.row, part, set()) for part in split_type(text_of(node), "|"))
        return sum(one.is_known for one in parts) < 2

    # Definitions

    @cached_property
    def _scopes(self) -> Spans[tree_sitter.Node]:
        return Spans((node.start_byte, node.end_byte, node) for node in self.flat.get("scope", ()))

    @cached_property
    def _imports(self) -> Spans[bool]:
        return Spans(
            (node.start_byte, node.end_byte, True)
            for found in self.matches
            for key in ("import.whole", "namespace")
            for node in found.get(key, ())
        )

    def _is_imported(self, at: int) -> bool:
        """Return whether a byte is in an import or in the name of the package."""
        return self._imports.around(at) is not None

    @cached_property
    def _pieces(self) -> dict[int, Piece]:
        """Definitions by the place of their names."""
        found_pieces: dict[int, Piece] = {}
        for found in self.matches:
            capture = next((one for one in KINDS if one in found), None)
            owner = self._owner(found, capture) if capture is not None else None
            if capture is not None and owner is not None:
                self._define(found, capture, owner, found_pieces)
        bases: dict[str, list[tree_sitter.Node]] = {}
        for found in self.matches:
            if "base" in found:
                bases.setdefault(self.type_value(found["owner"][0]).name, []).append(found["base"][0])
        marks = self._find_marks()
        for at, piece in found_pieces.items():
            piece.marks = marks.get(at, frozenset())
            if piece.kind == "class":
                piece.bases += bases.get(piece.name, bases.get(piece.name.rpartition(".")[2], []))
        return found_pieces

    def _define(self, found: Match, capture: str, owner: str, pieces: dict[int, Piece]) -> None:
        """Add the definitions of a match."""
        core = found[capture][0]
        kind = MEMBERS.get(KINDS[capture], KINDS[capture]) if owner else KINDS[capture]
        names = next(found[one] for one in (*DEFINING, "define.default") if one in found)
        for node in names:
            own = _own_name(found, node)
            if kind == "constant" and own in self.imported:
                continue
            piece = pieces.get(node.start_byte)
            if piece is None:
                full = f"{owner}.{own}" if owner else own
                piece = pieces[node.start_byte] = Piece(full, kind, core, self._whole(core))
            elif _RANKS.index(kind) < _RANKS.index(piece.kind):
                piece.kind, piece.core = kind, core
            piece.gives += found.get("gives", ())
            piece.given += found.get("gives.value", ()) if len(names) == 1 else ()

    def _owner(self, found: Match, capture: str) -> str | None:
        """Return the types around a definition, "" at the top; None inside a function, where nothing is exported."""
        if "owner" in found:
            return self.type_value(found["owner"][0]).name
        names: list[str] = []
        node = found[capture][0]
        outer = self._around.around(node.start_byte, node.end_byte)
        while outer is not None:
            if outer.id not in self._types or len(names) > MOST_OUTER or capture == "listed":
                return None
            names.append(self._types[outer.id])
            outer = self._around.around(outer.start_byte, outer.end_byte)
        return ".".join(reversed(names))

    @cached_property
    def _types(self) -> dict[int, str]:
        """Node of a type -> its name."""
        return {found["type"][0].id: _defined(found) for found in self.matches if "type" in found}

    @cached_property
    def _around(self) -> Spans[tree_sitter.Node]:
        """Scopes and types."""
        nodes = [*self.flat.get("scope", ()), *(found["type"][0] for found in self.matches if "type" in found)]
        return Spans((node.start_byte, node.end_byte, node) for node in nodes)

    @cached_property
    def _wholes(self) -> dict[int, tree_sitter.Node]:
        return {found["part"][0].id: found["whole"][0] for found in self.matches if "whole" in found}

    def _whole(self, node: tree_sitter.Node) -> tree_sitter.Node:
        while node.id in self._wholes:
            node = self._wholes[node.id]
        return node

    def _find_marks(self) -> dict[int, frozenset[str]]:
        found_marks: dict[int, frozenset[str]] = {}
        for found in self.matches:
            for mark in _MARKS:
                for node in found.get(mark, ()):
                    found_marks[node.start_byte] = found_marks.get(node.start_byte, frozenset()) | {mark}
        return found_marks


_RANKS = tuple(KINDS.values())
_MARKS = ("test", "private", "public", "abstract", "interface", "fixture", "fixture.auto")


def _defined(found: Match) -> str:
    """Return the name of what a match defines."""
    return next(_own_name(found, found[one][0]) for one in (*DEFINING, "define.default") if one in found)


def _own_name(found: Match, node: tree_sitter.Node) -> str:
    if "define.default" in found:
        return DEFAULT
    return CONSTRUCTOR if "define.constructor" in found else text_of(node).strip("\"'")
