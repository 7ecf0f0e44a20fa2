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

from assay.validators.languages.fact_writer import UNKNOWN, FactWriter
from assay.validators.languages.language import Definition, Facts, Import, Scan
from assay.validators.languages.tabled.row import Row

if TYPE_CHECKING:
    import tree_sitter

KINDS = {"function": "function", "type": "class", "method": "method", "field": "attribute", "constant": "constant"}
"""Capture of a whole definition -> kind of symbol."""
CONSTRUCTOR = "constructor"
MOST_NESTED = 40
"""Maximum steps of an expression that is followed for its value."""
MOST_NAMES = 5_000
"""Maximum different names that are kept of one file for the graph."""

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


@dataclass(frozen=True, slots=True)
class _Local:
    """Local name: the bytes in which it holds, and its type as written or the node of its value."""

    start: int
    end: int
    type: str = ""
    value: tree_sitter.Node | None = None


class SourceReading:
    """Captures of one file, in order."""

    def __init__(self, row: Row, content: bytes) -> None:
        import tree_sitter

        self.row = row
        self.content = content
        joined, flat = row.queries
        root = row.parser.parse(content).root_node
        self._root = root  # nodes are only valid while their tree is
        self._matches: list[Match] = [found for _, found in tree_sitter.QueryCursor(joined).matches(root)]
        self._flat = tree_sitter.QueryCursor(flat).captures(root)
        self._scopes = {node.id: node for node in self._flat.get("scope", ())}
        self._names = {node.id for node in self._flat.get("name", ())}
        self._qualifiers = {found["qualifier"][0].id for found in self._matches if "qualifier" in found}
        self._parameterized: set[str] = set()
        """Values of types that are written with arguments."""
        self._roles: dict[int, Match] = {}
        for found in self._matches:
            for role in ("read", "call", "new", "same", "this", "super"):
                if role in found:
                    self._roles[found[role][0].id] = found
        self._import_spans = [
            (node.start_byte, node.end_byte)
            for found in self._matches
            for key in ("import.whole", "namespace")
            for node in found.get(key, ())
        ]
        self._imports_end = max((end for _, end in self._import_spans), default=0)
        self.pieces = self._find_pieces()
        self._attributes = {piece.name for piece in self.pieces if piece.kind == "attribute"}
        self._locals = self._find_locals()
        self._reads = list(self._find_reads())

    # What other files may see

    def imports(self) -> Iterator[Import]:
        """Yield the imports; a star import binds `*`, a static one the last name of its target."""
        for found in self._matches:
            if "import" not in found:
                continue
            target = _text(found["import"][0]).strip("\"'`")
            names: tuple[tuple[str, str], ...] = ()
            if "import.star" in found:
                names = (("*", ""),)
            elif "import.static" in found:
                target, _, last = target.rpartition(self.row.separator)
                names = ((last, last),)
            alias = _text(found["import.alias"][0]) if found.get("import.alias") else ""
            yield Import(found["import"][0].start_point.row + 1, target, names, alias)

    def scan(self) -> Scan:
        """Return what the graph needs: imports, namespace, declared and mentioned names."""
        kept = [piece for piece in self.pieces if "." not in piece.name or piece.kind == "class"]
        declared = dict.fromkeys(piece.name for piece in kept if piece.name not in self.row.unnamed)
        owners = (piece.name.rpartition(".")[0] for piece in self.pieces if piece.kind == "method")
        elsewhere = dict.fromkeys(f"{owner}." for owner in owners if owner not in declared)
        free = (_text(node) for node in self._mentioned())
        paths = (_text(node) for node in self._flat.get("path", ()) if not self._is_imported(node.start_byte))
        read = (
            f"{value[1:]}.{member}"
            for receiver, member, _ in self._reads
            if receiver is not None
            and (value := self._receiver_value(receiver)).startswith(".")
            and not {".", ">"} & set(value[1:])
        )
        return Scan(
            tuple(self.imports()),
            namespace=next((_text(found["namespace"][0]) for found in self._matches if "namespace" in found), ""),
            declares=(*declared, *elsewhere)[:MOST_NAMES],
            mentions=tuple(dict.fromkeys((*free, *paths, *read)))[:MOST_NAMES],
        )

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

    def facts(self) -> Facts:
        """Return the symbols and what the code of each mentions."""
        writer = FactWriter(built_in=self.row.common)
        top = writer.symbol("", "module")
        indices = []
        for piece in self.pieces:
            kind = "test" if piece.is_test else "interface" if piece.is_interface else piece.kind
            index = writer.symbol(piece.name, kind)
            gives = next((value for node in piece.gives if (value := self.type_value(node))), "")
            gives = gives or next((self.value(node) for node in piece.given), "")
            writer.describe(index, bases=[f"={name}" for name in piece.bases], gives=gives)
            indices.append((piece.node.start_byte, piece.node.end_byte, index))
        indices.sort(key=lambda one: (one[0], -one[1]))
        mentions = [(node.start_byte, self._name_value(node, 0), "") for node in self._mentioned()]
        members = {piece.name.rpartition(".")[2] for piece in self.pieces}
        for receiver, member, at in self._reads:
            value = self._receiver_value(receiver) if receiver is not None else self._this_at(at)
            mentions.append((at, value, member))
            if receiver is None and member not in members:  # a function that is imported, or of a parent
                mentions.append((at, f".{member}", ""))
        for found in self._roles.values():
            if "called" in found and (value := self.value(found["called"][0])).startswith(".") and ">" not in value:
                mentions.append((found["call"][0].start_byte, f"(){value[1:]}", ""))
            elif "created" in found and (value := self.type_value(found["created"][0])):
                mentions.append((found["new"][0].start_byte, f"(){value[1:]}", ""))
        mentions.sort(key=lambda one: one[0])
        for at, value, member in mentions:
            users = [_innermost(indices, at, top)]
            if member:
                writer.member(value, member, users)
            else:
                writer.mention(value, users)
        return writer.facts()

    def declared(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the names that the file declares, and its members as (type, name)."""
        members = {(owner, name) for one in self.pieces for owner, _, name in (one.name.rpartition("."),) if owner}
        return {one.name for one in self.pieces if "." not in one.name or one.kind == "class"}, members

    def lines_of(self, mention: str) -> list[int]:
        """Return the lines that mention a name, free or qualified."""
        qualifier, dot, name = mention.rpartition(".")
        if not dot:
            return sorted({node.start_point.row + 1 for node in self._mentioned() if _text(node) == name})
        return sorted({line for value, line, _ in self.reads_of(name) if value == f".{qualifier}"})

    def reads_of(self, name: str) -> Iterator[tuple[str, int, bool]]:
        """Yield (value of the receiver, line, whether it is the own type) of each read or call of a member."""
        for receiver, member, at in self._reads:
            if member == name:
                value = self._receiver_value(receiver) if receiver is not None else self._this_at(at)
                yield value, self.content.count(b"\n", 0, at) + 1, receiver is None
        for node in self._mentioned() if self.row.has_implicit_this else ():
            if _text(node) == name and (value := self._this_at(node.start_byte)) != UNKNOWN:
                yield value, node.start_point.row + 1, True

    # Values

    def value(self, node: tree_sitter.Node, depth: int = 0) -> str:
        """Return the value expression of a node, see `Mention`."""
        if depth > MOST_NESTED:
            return UNKNOWN
        found = self._roles.get(node.id)
        if found is None:
            return self._name_value(node, depth) if node.id in self._names else UNKNOWN
        if "same" in found:
            return self.value(found["inner"][0], depth + 1)
        if "new" in found:
            return self.type_value(found["created"][0]) or UNKNOWN
        if "this" in found:
            return self._this_at(node.start_byte)
        if "super" in found:
            return self._this_at(node.start_byte).replace("=", "^", 1)
        if "called" in found:
            return _called(self.value(found["called"][0], depth + 1))
        member = _text((found.get("member") or found.get("member.called") or found["own.called"])[0])
        receiver = (
            self.value(found["receiver"][0], depth + 1) if "receiver" in found else self._this_at(node.start_byte)
        )
        if receiver == UNKNOWN:
            return UNKNOWN
        is_chain = receiver.startswith(".") and ">" not in receiver
        value = f"{receiver}{'.' if is_chain else '>'}{member}"
        # What a method of `List<Client>` gives may be a client.
        return value if "read" in found else UNKNOWN if receiver in self._parameterized else _called(value)

    def _receiver_value(self, node: tree_sitter.Node, depth: int = 0) -> str:
        """Return the value of a receiver; a qualifier is a package, whatever local name it has too."""
        return f".{_text(node)}" if node.id in self._qualifiers else self.value(node, depth)

    def type_value(self, node: tree_sitter.Node) -> str:
        """Return the value expression of an instance of a written type; "" if it is not a plain name."""
        text = _text(node)
        match = self.row.outer_type.match(text)
        if match is None:
            return ""
        name = match[1].replace(self.row.separator, ".")
        if text[-1:] in (">", "]"):
            self._parameterized.add(f"={name}")
        return f"={name}"

    def _name_value(self, node: tree_sitter.Node, depth: int) -> str:
        name = _text(node)
        local = self._local_at(name, node.start_byte)
        if local is None:
            owner = self._this_at(node.start_byte)
            return f"{owner}>{name}" if f"{owner[1:]}.{name}" in self._attributes else f".{name}"
        if local.type:
            return f"={local.type}"
        return self.value(local.value, depth + 1) if local.value is not None else UNKNOWN

    def _this_at(self, at: int) -> str:
        """Return the value of the own type at a byte."""
        around = [piece for piece in self.pieces if piece.kind == "class"]
        around = [piece for piece in around if piece.node.start_byte <= at < piece.node.end_byte]
        return f"={max(around, key=lambda piece: piece.node.start_byte).name}" if around else UNKNOWN

    # Names

    def _find_reads(self) -> Iterator[tuple[tree_sitter.Node | None, str, int]]:
        """Yield (receiver, member, byte); without a receiver a member of the own type is called."""
        for found in self._matches:
            for key in ("member", "member.called", "own.called"):
                if key in found:
                    receiver = found.get("receiver") or found.get("qualifier")
                    yield receiver[0] if receiver else None, _text(found[key][0]), found[key][0].start_byte

    def _mentioned(self) -> Iterator[tree_sitter.Node]:
        """Yield the nodes that mention a name from outside the function."""
        quiet = {node.start_byte for name in ("local", "label", "key") for node in self._flat.get(name, ())}
        quiet |= {node.start_byte for found in self._matches for key in _DEFINING for node in found.get(key, ())}
        generic = {_text(node) for node in self._flat.get("generic", ())}
        for node in self._flat.get("name", ()):
            at = node.start_byte
            if at in quiet or self._is_imported(at):
                continue
            name = _text(node)
            if name not in generic and self._local_at(name, at) is None:
                yield node

    def _is_imported(self, at: int) -> bool:
        """Return whether a byte is in an import or in the name of the package."""
        return at < self._imports_end and any(start <= at < end for start, end in self._import_spans)

    def _local_at(self, name: str, at: int) -> _Local | None:
        known = self._locals.get(name)
        if known is None:
            return None
        around = [one for one in known if one.start <= at < one.end]
        return max(around, key=lambda one: (one.start, bool(one.type), one.value is not None)) if around else None

    def _find_locals(self) -> dict[str, list[_Local]]:
        known: dict[int, Match] = {}
        for found in self._matches:
            if "bind" in found:
                known.setdefault(found["bind"][0].start_byte, found)
        defined = {node.start_byte for found in self._matches for key in _DEFINING for node in found.get(key, ())}
        locals_: dict[str, list[_Local]] = {}
        for node in self._flat.get("local", ()):
            scope = self._around(node, self._scopes)
            if scope is None or node.start_byte in defined:
                continue
            bound = known.get(node.start_byte, {})
            written = self.type_value(bound["bind.type"][0])[1:] if bound.get("bind.type") else ""
            value = bound["bind.value"][0] if bound.get("bind.value") and not bound.get("bind.type") else None
            # A value may still mention what the name hides: `client := client.New()`.
            start = value.end_byte if value is not None else scope.start_byte
            one = _Local(start, scope.end_byte, written, value)
            locals_.setdefault(_text(node), []).append(one)
        return locals_

    def _around(self, node: tree_sitter.Node, among: dict[int, tree_sitter.Node]) -> tree_sitter.Node | None:
        """Return the innermost of some nodes around one."""
        around = node.parent
        while around is not None and around.id not in among:
            around = around.parent
        return around

    def _find_pieces(self) -> list[Piece]:
        types = {found["type"][0].id: found for found in self._matches if "type" in found and "define" in found}
        around = self._scopes | {found["type"][0].id: found["type"][0] for found in types.values()}
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
                own = CONSTRUCTOR if "define.constructor" in found else _text(node)
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

    def _outer(
        self, node: tree_sitter.Node, types: dict[int, Match], around: dict[int, tree_sitter.Node]
    ) -> str | None:
        """Return the types around a definition, "" at the top; None inside a function, where nothing is exported."""
        names: list[str] = []
        outer = self._around(node, around)
        while outer is not None:
            if outer.id not in types:
                return None
            names.append(_text(types[outer.id]["define"][0]))
            outer = self._around(outer, around)
        return ".".join(reversed(names))


_DEFINING = ("define", "define.constructor")


def _called(value: str) -> str:
    """Return what calling a value gives."""
    if value == UNKNOWN:
        return UNKNOWN
    return f"(){value[1:]}" if value.startswith(".") and ">" not in value else f"{value}()"


def _innermost(spans: list[tuple[int, int, int]], at: int, top: int) -> int:
    """Return the index of the innermost span around a byte; spans are sorted by start, outer ones first."""
    found = top
    for start, end, index in spans:
        if start > at:
            break
        if at < end:
            found = index
    return found


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
