"""One source file by its language's query files: definitions, exports, imports, quiet lines.

Captures of matches:

| capture | meaning |
|---|---|
| `@namespace` | the packages a file is in |
| `@import` (`.star`, `.static`, `.prefix`, `.global`, `.whole`) | what it imports |
| `@import.alias`, `@import.as` | the name under which a file has a package, or a definition |
| `@import.path` | an expression that names a file by its path |
| `@import.named`, `.file`, `.maybe`, `.export` | an import of a name; of a file; in a condition; for other files |
| `@import.prefix` in `@import.group` | what comes before the imports in a list or block |
| `@define` in `@function`, `@type`, `@method`, `@field`, `@constant`, `@listed` | a definition, and its node |
| `@define.constructor`, `@define.default` | the name of a constructor; what has the name `default` |
| `@part` in `@whole` | a definition, and the larger node that belongs to it: its decorators, its `export` |
| `@filled` | the name of a type that says more than which other types and constants are in it |
| `@interface` | the name of a type that others implement by having its methods |
| `@private` (`.name`, `.below`), `@public` | a name that others cannot use; one of those that other packages can |
| `@abstract` | a member that a type which implements another has to have |
| `@extension` | the name of a function that is called as a member of a type which does not define it |
| `@export` (`.as`, `.default`) | a name that other files can use, and under which name |
| `@test`, `@fixture` (`.name`, `.used`) | the name of what a test runner calls |
| `@entry` with `.verb`, `.path`; `@command` (`.name`) | the name of a function that a framework calls |
| `@owner` in `@own`; `@macro`, `@defined` | the own type of code outside its definition; a macro; more than declared |
| `@owner`, `@base`, `@gives`, `@gives.value` | the type of a member; its parent; the type or value a name has |
| `@receiver` (or `@qualifier`, a package) and `@member` in `@read` | a member that is read |
| `@receiver` and `@store` | a member that is assigned to |
| `@called` in `@call` | a call of a value |
| `@member.called`, `@own.called` in `@call` | a call of a member, of `@receiver` or of the own type |
| `@created` in `@new`, `@inner` in `@same`, `@of` in `@item`, `@this`, `@super` | further values |
| `@guarded` and `@guard` | code that is prepared for what `@guard` names, for anything without it |
| `@bind` with `.type`, `.value`, `.item`, `.part` or `.entered`; `@bind.this` | the type or value of a local name |

Flat ones: `@name` mentions a name, `@path` a qualified one, as `@path.start` with
`@path.rest` does (these belong together); `@local` binds
one in the innermost `@scope`, `@outer` in the scope around it, `@global` in none, `@generic` in the whole file, and
`@rebound` gives it another value; neither `@label` nor `@key` is a mention. `@literal` is a value of the language,
`@late` code that runs only when it is called, `@skipped` code that runs only as a script, `@unbound` code with another
`this`, `@returned` what a function returns, `@test.call` and `@test.member` a call that a test runner makes tests of.
`@opaque` is code that a macro may rewrite.
`@open` may add any name to the file, `@open.some` some, `@open.type` any member to the type around it, `@open.owner`
to the one named. A `@tag` is a name if it begins with a capital. What binds a name in `@exported` exports it,
`@exported.default` as the default. In `@loose` code a free name may be a member of another value. `@facade` is a type
that the compiler makes of the functions of the file, `@unread` what only a mistake of the grammar leads to. `@quiet`
has no effect on other files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from assay.validators.languages.engine.hidden import hidden
from assay.validators.languages.engine.paths import groups_of, imports_of
from assay.validators.languages.engine.pieces import (
    CONSTRUCTOR,
    DEEPEST,
    DEFAULT,
    DEFINING,
    KINDS,
    MEMBERS,
    Match,
    Piece,
)
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import (
    first_branches,
    full_namespace,
    shape,
    split_type,
    text_of,
    written_value,
)
from assay.validators.languages.language import EVERYTHING, Definition, Import
from assay.validators.languages.values import UNKNOWN, How, Value

if TYPE_CHECKING:
    import tree_sitter

MOST_CHILDREN = 2_000
"""Maximum children of a part at the top that cannot be parsed; a file with more of them is not read."""
LARGEST_READ = 2 * 1024 * 1024
MOST_OUTER = 20
"""Maximum types around a definition, and maximum depth of a written type."""


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
        self.flat: Match = {}
        self.has_error = False
        self._matches: dict[str, list[Match]] = {}
        self._spans: dict[tuple[str, ...], Spans[tree_sitter.Node]] = {}
        if len(content) <= LARGEST_READ:
            self._read(content)
        self._parameterized: set[Value] = set()
        """Values of types that are written with arguments."""

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Local name -> its name in the file that it is imported from."""
        read = self.imports_given or tuple(self.imports())
        pairs = [pair for item in read for pair in item.names]
        found = () if self.imports_given else read
        pairs += [(item.target.rpartition(".")[2], item.alias) for item in found if "/" not in item.target]
        return {local: name for name, local in pairs if local not in ("", name) and name != EVERYTHING}

    @cached_property
    def pieces(self) -> list[Piece]:
        """Definitions in the order of the file."""
        return sorted(self._pieces.values(), key=lambda one: one.node.start_byte)

    def _read(self, content: bytes) -> None:
        import tree_sitter

        # Predicates fail on bytes that are not UTF-8; in place of each of them a `?` keeps all positions.
        text = content.decode("utf-8", "surrogateescape").encode("utf-8", "replace")
        tree = self.row.parse(text)
        if tree is None:
            self.has_error = True
            return
        self._root = root = tree.root_node  # nodes are only valid while their tree is
        if any(node.type == "ERROR" and node.child_count > MOST_CHILDREN for node in (root, *root.children)):
            return
        self.has_error = root.has_error
        first = self.row.parse(first_branches(text)) if root.has_error and self.row.has_directives else None
        self._root = root = first.root_node if first is not None else root
        cursors = [tree_sitter.QueryCursor(query) for query in self.row.compiled]
        for cursor in cursors:
            cursor.set_max_start_depth(DEEPEST)
        for _, found in cursors[0].matches(root):
            for key in found:
                self._matches.setdefault(key, []).append(found)
        self.flat = cursors[1].captures(root)
        self.has_error |= "unread" in self.flat

    def having(self, *keys: str) -> Iterator[Match]:
        """Yield the matches with one of these captures, for each of them in order."""
        for key in keys:
            yield from self._matches.get(key, ())

    def nodes(self, *keys: str) -> Iterator[tree_sitter.Node]:
        """Yield the nodes of these captures."""
        for key in keys:
            yield from self.flat.get(key, ())
            yield from (node for found in self._matches.get(key, ()) for node in found[key])

    def spans(self, *keys: str) -> Spans[tree_sitter.Node]:
        """Return the nodes of these captures by their place."""
        found = self._spans.get(keys)
        if found is None:
            nodes = self.nodes(*keys)
            found = self._spans[keys] = Spans((node.start_byte, node.end_byte, node) for node in nodes)
        return found

    def imports(self) -> Iterator[Import]:
        """Yield the imports."""
        return imports_of(self)

    @cached_property
    def groups(self) -> Spans[tree_sitter.Node]:
        """What comes before the imports in a list or block."""
        return groups_of(self)

    @cached_property
    def exports(self) -> dict[str, str]:
        """Exported name -> local one, without names that are exported from another file."""
        found_exports: dict[str, str] = {}
        for found in self.having("export"):
            for node in found["export"]:
                local = text_of(node).strip("\"'")
                name = found.get("export.as")
                is_default = "export.default" in found
                found_exports[DEFAULT if is_default else text_of(name[0]).strip("\"'") if name else local] = local
        if self.flat.get("exported.default") or any("listed" not in found for found in self.having("define.default")):
            found_exports.setdefault(DEFAULT, DEFAULT)
        for node in self.nodes("local"):
            if self.spans("exported").around(node.start_byte) and self.spans("scope").around(node.start_byte) is None:
                found_exports.setdefault(text_of(node), text_of(node))  # one of a pattern
        return found_exports

    @cached_property
    def bound(self) -> set[str]:
        """Names that the top level of the file, or a function for it, binds in any way."""
        nodes = (node for node in self.nodes("local") if self.scope_of(node) is None)
        return {text_of(node) for node in (*nodes, *self.nodes("global"))} | self.declared()[0]

    def scope_of(self, node: tree_sitter.Node) -> tree_sitter.Node | None:
        """Return the scope of a name that is bound there; `:=` in a comprehension binds outside of it."""
        is_walrus = node.parent is not None and node.parent.type == "named_expression"
        for scope in self.spans("scope").each_around(node.start_byte, node.end_byte):
            if not (is_walrus and scope.type.endswith(("comprehension", "generator_expression"))):
                return scope
        return None

    def definitions(self) -> list[Definition]:
        """Return the definitions in line order."""
        pieces = (piece for piece in self.pieces if piece.kind != "attribute" or not self.row.runs_class_body)
        found = [Definition(one.name, *one.lines, one.kind, not self._is_private(one)) for one in pieces]
        return sorted(found, key=lambda one: (one.line, one.end_line))

    def _is_private(self, piece: Piece) -> bool:
        if self.row.has_exports and piece.kind != "listed":
            return piece.name.partition(".")[0] not in self.exports.values()
        return "private" in piece.marks or self.row.private.match(piece.name.rpartition(".")[2]) is not None

    def quiet_lines(self, keeps_imports: bool = False) -> set[int]:
        """Return the lines of comments, imports and nothing."""
        text = bytearray(self.content)
        listed = Spans((one.node.start_byte, one.node.end_byte, True) for one in self.pieces if one.kind == "listed")
        for node in self.nodes("quiet"):
            if keeps_imports and listed.around(node.start_byte):
                continue
            part = text[node.start_byte : node.end_byte]
            text[node.start_byte : node.end_byte] = bytes(10 if byte == 10 else 32 for byte in part)
        return {number for number, line in enumerate(text.split(b"\n"), 1) if not line.strip()}

    @property
    def namespace(self) -> str:
        """Packages that the file declares, with spaces between them; only C# has several."""
        written = (full_namespace(node) for node in self.nodes("namespace"))
        return " ".join(dict.fromkeys(one.replace(self.row.separator, ".") for one in written))

    def name_in(self, node: tree_sitter.Node) -> str:
        """Return a name with `.` between its parts, whatever the language writes there."""
        text = text_of(node)
        return text if self.row.separator == "." else text.replace(self.row.separator, ".")

    def declared(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the names that the file declares, and its members as (type, name)."""
        parts = (one.name.rpartition(".") for one in self.pieces if one.kind != "class")
        members = {(owner, name) for owner, _, name in parts if owner}
        kinds = ("class", "attribute") if self.row.nests else ("class",)
        return {one.name for one in self.pieces if "." not in one.name or one.kind in kinds}, members

    def shapes(self, names: Collection[str]) -> dict[str, str]:
        """Return what definitions say, by name, without comments and what a formatter may change."""
        found: dict[str, str] = {}
        for piece in self.pieces:
            if piece.kind != "listed" and piece.name in names:
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
        own = (
            Piece(self.type_value(one["owner"][0]).name, "class", one["own"][0], one["own"][0])
            for one in self.having("own")
        )
        pieces = (*(one for one in self.pieces if one.kind == "class"), *own)
        return Spans((one.core.start_byte, one.core.end_byte, one) for one in pieces)

    def this_at(self, at: int) -> Value:
        """Return the value of the own type at a byte."""
        piece = self.types.around(at)
        if piece is None:
            return UNKNOWN
        unbound = self.spans("unbound").around(at)
        is_bound = unbound is None or unbound.start_byte < piece.core.start_byte
        return Value(How.instance, piece.name) if is_bound else UNKNOWN

    @cached_property
    def _generic(self) -> set[str]:
        """Type parameters, in any part of the file."""
        return set(map(text_of, self.nodes("generic")))

    def is_one_type(self, node: tree_sitter.Node) -> bool:
        """Return whether a written type names one class, apart from what stands for no value."""
        parts = (written_value(self.row, part, set()) for part in split_type(text_of(node), "|"))
        return sum(one.is_known for one in parts) < 2

    # Definitions

    def is_imported(self, at: int) -> bool:
        """Return whether a byte is in an import or in the name of the package."""
        return self.spans("import.whole", "namespace").around(at) is not None

    def is_opaque(self, node: tree_sitter.Node) -> bool:
        """Return whether a macro may rewrite a node."""
        return self.spans("opaque").around(node.start_byte) is not None

    @cached_property
    def _pieces(self) -> dict[int, Piece]:
        """Definitions by the place of their names."""
        found_pieces: dict[int, Piece] = {}
        for capture in KINDS:
            for found in self.having(capture):
                owner = self._owner(found, capture)
                if owner is not None:
                    self._define(found, capture, owner, found_pieces)
        bases: dict[str, list[tree_sitter.Node]] = {}
        for found in self.having("base"):
            bases.setdefault(self.type_value(found["owner"][0]).name, []).append(found["base"][0])
        for piece in found_pieces.values():
            if piece.kind == "class":
                piece.bases += bases.get(piece.name, bases.get(piece.name.rpartition(".")[2], []))
        self._mark(found_pieces)
        return found_pieces

    def _mark(self, pieces: dict[int, Piece]) -> None:
        for mark in _MARKS:
            for node in self.nodes(mark):
                if node.start_byte in pieces:
                    pieces[node.start_byte].marks |= {mark}
        for piece in hidden(pieces.values(), self.nodes("private.name"), self.nodes("private.below")):
            piece.marks |= {"private"}

    def _define(self, found: Match, capture: str, owner: str, pieces: dict[int, Piece]) -> None:
        """Add the definitions of a match."""
        core = found[capture][0]
        kind = MEMBERS.get(KINDS[capture], KINDS[capture]) if owner else KINDS[capture]
        names = _defining(found)
        for node in names:
            own = _own_name(found, node, self.row.separator)
            if kind == "constant" and own in self.imported:
                continue
            piece = pieces.get(node.start_byte)
            if piece is None:
                full = f"{owner}.{own}" if owner and not own.startswith(".") else own.removeprefix(".")
                piece = pieces[node.start_byte] = Piece(full, kind, core, self._whole(core))
            elif _RANKS.index(kind) < _RANKS.index(piece.kind):
                piece.kind, piece.core = kind, core
            piece.gives += found.get("gives", ())
            piece.given += found.get("gives.value", ()) if len(names) == 1 else ()

    def _owner(self, found: Match, capture: str) -> str | None:
        """Return the types around a definition, "" at the top; None inside a function, where nothing is exported."""
        if "owner" in found:
            return self.type_value(found["owner"][0]).name or None
        names: list[str] = []
        node = found[capture][0]
        for outer in self.spans("scope", "type").each_around(node.start_byte, node.end_byte):
            if outer.id not in self._types or len(names) > MOST_OUTER or capture == "listed":
                return None
            names.append(self._types[outer.id])
        return ".".join(reversed(names))

    @cached_property
    def _types(self) -> dict[int, str]:
        """Node of a type -> its name."""
        separator = self.row.separator
        return {found["type"][0].id: _own_name(found, _defining(found)[0], separator) for found in self.having("type")}

    @cached_property
    def _wholes(self) -> dict[int, tree_sitter.Node]:
        return {found["part"][0].id: found["whole"][0] for found in self.having("whole")}

    def _whole(self, node: tree_sitter.Node) -> tree_sitter.Node:
        while node.id in self._wholes:
            node = self._wholes[node.id]
        return node


_RANKS = tuple(KINDS.values())
_MARKS = ("test", "private", "public", "abstract", "interface", "fixture", "filled", "extension", "macro", "defined")


def _defining(found: Match) -> list[tree_sitter.Node]:
    """Return the names of what a match defines."""
    return next(found[one] for one in (*DEFINING, "define.default") if one in found)


def _own_name(found: Match, node: tree_sitter.Node, separator: str) -> str:
    if "define.default" in found:
        return DEFAULT
    name = text_of(node).strip("\"'")
    # Of Ruby: `module A::B`, and a symbol that names a method.
    name = name.replace("::", ".").removeprefix(":") if separator == "::" else name
    return CONSTRUCTOR if "define.constructor" in found else name
