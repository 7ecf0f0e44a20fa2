"""Names and values of one source file: what it mentions, on which receivers, and what is local."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from assay.validators.languages.engine.captures import Captures
from assay.validators.languages.engine.parameters import function_in, parameters_of
from assay.validators.languages.engine.paths import path_of
from assay.validators.languages.engine.pieces import DEFINING, Match, Piece
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.scanned import mention_in, qualified_in
from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import Import, Scan
from assay.validators.languages.values import LITERAL, UNKNOWN, How, Value, called, derived, member

if TYPE_CHECKING:
    import tree_sitter

MOST_NESTED = 40
"""Maximum steps of an expression that is followed for its value."""
_ROLES = ("call", "read", "new", "this", "item", "super", "same")
"""Captures of expressions with a value; of several for one node the last counts."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPE_NAME = re.compile(r"[A-Z]\w*[a-z]|[A-Z]$")


@dataclass(frozen=True, slots=True)
class _Local:
    """Local name of a scope; `how` its value follows from `node`, "" if it is unknown.

    `type`: it is an instance of the written type. `value`: it is the value itself. `item`, `part` of an item,
    `entered`: it comes from the value. `this`: it is the own type's. `fixture`: a test runner gives it.
    """

    scope: int
    how: str = ""
    node: tree_sitter.Node | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Member that is read, called or assigned to; without a receiver it is one of the own type."""

    receiver: tree_sitter.Node | None
    name: str
    node: tree_sitter.Node
    is_store: bool = False


class SourceReading(Captures):
    """Names that a file mentions and the values of its expressions."""

    def __init__(self, row: Row, content: bytes, imported: Sequence[Import] = ()) -> None:
        super().__init__(row, content, imported)
        self._names = {node.id for node in self.nodes("name")}
        self._literals = {node.id for node in self.nodes("literal")}
        self._qualifiers = {node.id for node in self.nodes("qualifier")}
        self._roles: dict[int, tuple[str, Match]] = {}
        for role in _ROLES:
            self._roles.update({found[role][0].id: (role, found) for found in self.having(role)})
        self._values: dict[int, Value] = {}
        self._num_bound: Counter[tuple[str, int]] = Counter()
        """(Name, scope) -> the places that bind it there."""

    @cached_property
    def _attributes(self) -> set[str]:
        kinds = ("attribute", "method") if self.row.has_extensions else ("attribute",)
        return {piece.name for piece in self.pieces if piece.kind in kinds}

    # What other files may see

    def is_free(self, node: tree_sitter.Node) -> bool:
        """Return whether a free name can be no member: of a parent, or of the value that a function gets."""
        if not self.row.has_receivers or _TYPE_NAME.match(text_of(node)):
            return True
        around = self.types.each_around(node.start_byte)
        return self.spans("loose").around(node.start_byte) is None and not any(piece.bases for piece in around)

    def lines_of(self, mention: str) -> list[int]:
        """Return the lines that mention a name, free or qualified, where no macro may rewrite them."""
        nodes = [node for node in self.mentioned if mention_in(self, node) == mention and self.is_free(node)]
        nodes += [node for path, node in qualified_in(self) if path == mention]
        seen = (node for node in nodes if not self.is_opaque(node) and not self.is_imported(node.start_byte))
        lines = {node.start_point.row + 1 for node in seen}
        qualifier, dot, name = mention.rpartition(".")
        reads = self.reads_of(name) if dot else ()
        return sorted(lines | {line for value, line, _ in reads if value == Value(How.name, qualifier)})

    def reads_of(self, name: str) -> Iterator[tuple[Value, int, bool]]:
        """Yield (certain value of the receiver, line, whether it is the own type) of each read or call of a member."""
        for read in self.reads:
            is_local = read.receiver is None and self.is_local(name, read.node.start_byte)
            if read.name == name and not read.is_store and not is_local and not self.is_opaque(read.node):
                is_package = read.receiver is not None and read.receiver.id in self._qualifiers
                is_own = read.receiver is None and not self.row.nests
                is_plain = is_own or is_package or (read.receiver is not None and self._is_certain(read.receiver, 0))
                value = self.receiver_value(read) if is_plain else UNKNOWN
                yield value, read.node.start_point.row + 1, read.receiver is None
        for node in self.mentioned if self.row.has_implicit_this else ():
            is_loose = self.spans("loose").around(node.start_byte) is not None
            if text_of(node) == name and not is_loose and (value := self.this_at(node.start_byte)).is_known:
                yield value, node.start_point.row + 1, True

    def calls(self, names: Collection[str]) -> Iterator[tuple[Value, bool, tree_sitter.Node]]:
        """Yield (certain value of what is called, whether it is constructed, the call) of each call by such a name."""
        for found in self.having("created"):
            value = self.type_value(found["created"][0])
            if value.last in names:
                yield value, True, found["new"][0]
        for found in self.having("called"):
            called = found["called"][0]
            if self._last_name(called) in names:
                yield self.certain(called), False, found["call"][0]
        for found in self.having("member.called", "own.called"):
            name = (found.get("member.called") or found["own.called"])[0]
            if text_of(name) in names:
                receiver = found.get("receiver")
                is_local = not receiver and self.is_local(text_of(name), name.start_byte)
                own = UNKNOWN if self.row.nests or is_local else self.this_at(name.start_byte)
                of = self.certain(receiver[0]) if receiver else own
                yield member(of, text_of(name)) if of.is_known else UNKNOWN, False, found["call"][0]

    def _last_name(self, node: tree_sitter.Node) -> str:
        """Return the name by which an expression calls something."""
        found = self._roles.get(node.id, ("", {}))[1].get("member")
        name = text_of(found[0]) if found else self.name_in(node) if node.id in self._names else ""
        return name.rpartition(".")[2]

    @cached_property
    def members(self) -> set[tuple[str, str]]:
        """Members of the file's types as (type, name), those that their code sets on itself included."""
        own = ((self.own_of(found), found) for found in self.having("store"))
        return self.declared()[1] | {(owner, text_of(found["store"][0])) for owner, found in own if owner}

    def stored(self) -> set[str]:
        """Return the members that code assigns to on anything but its own type."""
        return {text_of(found["store"][0]) for found in self.having("store") if not self.own_of(found)}

    def own_of(self, found: Match) -> str:
        """Return the type whose code assigns to a member of itself; "" for a member of anything else."""
        owner = self.this_at(found["store"][0].start_byte)
        is_own = "receiver" not in found or self.value(found["receiver"][0]) == owner
        return owner.name if owner.is_known and is_own else ""

    def receiver_value(self, read: Read) -> Value:
        """Return the value that a member is read from; without a receiver the own type."""
        return self.this_at(read.node.start_byte) if read.receiver is None else self._receiver(read.receiver, 0)

    @cached_property
    def open_types(self) -> set[str]:
        """Types whose code may give them further members."""
        pieces = (self.types.around(node.start_byte) for node in self.nodes("open.type"))
        # `setattr(C, …)`, `C.prototype`
        return {*map(text_of, self.nodes("open.owner")), *(piece.name for piece in pieces if piece is not None)}

    def guards(self, line: int) -> frozenset[str]:
        """Return the names of what code around a line is prepared for: exceptions that it catches, `TYPE_CHECKING`."""
        names: set[str] = set()
        for found in self.having("guarded"):
            if any(node.start_point.row < line <= node.end_point.row + 1 for node in found["guarded"]):
                names.update(_WORD.findall(" ".join(map(text_of, found.get("guard", ())))) or ("BaseException",))
        return frozenset(names)

    # Values

    def value(self, node: tree_sitter.Node, depth: int = 0) -> Value:
        """Return the value expression of a node."""
        found = self._values.get(node.id)
        if found is None:
            found = self._value(node, depth) if depth <= MOST_NESTED else UNKNOWN
            self._values[node.id] = found
        return found

    def _value(self, node: tree_sitter.Node, depth: int) -> Value:
        if node.id not in self._roles:
            if node.id in self._names:
                return self._name_value(node, depth)
            return LITERAL if node.id in self._literals else UNKNOWN
        role, found = self._roles[node.id]
        if role == "same":
            inner = (self.value(one, depth + 1) for one in found["inner"])
            return next((one for one in inner if one.is_known), UNKNOWN)
        if role == "new":
            return self.type_value(found["created"][0])
        if role == "this":
            return self.this_at(node.start_byte)
        if role == "super":
            owner = self.this_at(node.start_byte)
            return Value(How.parent, owner.name) if owner.is_known else UNKNOWN
        if role == "item":
            return derived(How.item, self.value(found["of"][0], depth + 1))
        if "called" in found:
            given = self._roles.get(found["called"][0].id, ("", {}))[1].get("receiver")
            is_open = self.row.has_implicit_this and given and self.value(given[0], depth + 1) in self._parameterized
            return UNKNOWN if is_open else called(self.value(found["called"][0], depth + 1))
        name = text_of((found.get("member") or found.get("member.called") or found["own.called"])[0])
        of = found.get("receiver") or found.get("qualifier")
        receiver = self._receiver(of[0], depth + 1) if of else self.this_at(node.start_byte)
        if not receiver.is_known:
            return UNKNOWN
        value = member(receiver, name)
        # What a method of `List<Client>` gives may be a client.
        return value if role == "read" else UNKNOWN if receiver in self._parameterized else called(value)

    def _receiver(self, node: tree_sitter.Node, depth: int) -> Value:
        """Return the value of a receiver; a qualifier is a package, whatever local name it has too."""
        return Value(How.name, text_of(node)) if node.id in self._qualifiers else self.value(node, depth)

    def _name_value(self, node: tree_sitter.Node, depth: int) -> Value:
        name = self.name_in(node)
        locals_ = list(self._locals_at(name, node.start_byte))
        if not locals_:
            owner = self.this_at(node.start_byte) if self.row.has_implicit_this or self.row.nests else UNKNOWN
            is_method = self.row.nests and owner.is_known and not name[:1].isupper() and not name.startswith(".")
            name = path_of(self, node, name) if name in self.row.relative else name
            is_own = is_method or f"{owner.name}.{name}" in self._attributes
            return member(owner, name) if is_own else Value(How.name, name)
        found = (self._local_value(one, depth + 1) for one in locals_ if one.scope == locals_[0].scope)
        return next((value for value in found if value.is_known), UNKNOWN)

    def _local_value(self, local: _Local, depth: int) -> Value:
        if local.node is None:
            return UNKNOWN
        if local.how == "type":
            return self.type_value(local.node)
        if local.how == "this":
            return self.this_at(local.node.start_byte)
        if local.how == "fixture":
            return Value(How.fixture, text_of(local.node))
        value = self.value(local.node, depth)
        if local.how == "part":
            return derived(How.item, derived(How.item, value))
        return value if local.how == "value" else derived(How(local.how), value)

    def certain(self, node: tree_sitter.Node, depth: int = 0) -> Value:
        """Return the value expression of a node; unknown if a name in it has several values."""
        return self.value(node) if self._is_certain(node, depth) else UNKNOWN

    def _is_certain(self, node: tree_sitter.Node, depth: int) -> bool:
        if depth > MOST_NESTED:
            return False
        if node.id not in self._roles:
            is_certain = node.id in self._names and self._is_certain_name(text_of(node), node.start_byte, depth)
            return is_certain and (self.is_local(text_of(node), node.start_byte) or self.is_free(node))
        role, found = self._roles[node.id]
        parts = found.get("inner") or found.get("called") or found.get("receiver") or ()
        if role in ("item", "new") or (role == "this" and self.row.nests):  # a child or a module may have more
            return role == "new"
        return len(parts) < 2 and all(self._is_certain(one, depth + 1) for one in parts)

    def _is_certain_name(self, name: str, at: int, depth: int) -> bool:
        local = next(self._locals_at(name, at), None)
        is_typed = local is not None and local.how == "type"  # it stays of its type, whatever is assigned
        places = [start for start, is_any in self._rebound.get(name, ()) if is_any or not is_typed]
        if any(next(self._locals_at(name, start), None) is local for start in places):
            return False
        if local is None:
            return sum(piece.name == name for piece in self.pieces) < 2
        is_one = self._num_bound[name, local.scope] < 2
        if local.node is None or local.how not in ("type", "value"):
            return is_one and local.how == "this"
        return is_one and (self.is_one_type(local.node) if is_typed else self._is_certain(local.node, depth + 1))

    @cached_property
    def _rebound(self) -> dict[str, list[tuple[int, bool]]]:
        """Name -> the places that give it another value, and whether it may be of another type than declared."""
        found = defaultdict[str, list[tuple[int, bool]]](list)
        for is_any in (True, False):
            for node in self.nodes("rebound" if is_any else "assigned"):
                found[text_of(node)].append((node.start_byte, is_any))
        return found

    # Names

    @cached_property
    def reads(self) -> list[Read]:
        """Members that are read, called or assigned to."""
        stored = {node.start_byte for node in self.nodes("store")}
        found_reads: list[Read] = []
        for key in ("member", "member.called", "own.called", "store"):
            for found in self.having(key):
                receiver = found.get("receiver") or found.get("qualifier")
                node = found[key][0]
                if key != "member" or node.start_byte not in stored:
                    found_reads.append(Read(receiver[0] if receiver else None, text_of(node), node, key == "store"))
        return found_reads

    @cached_property
    def mentioned(self) -> list[tree_sitter.Node]:
        """Nodes that mention a name from outside the function."""
        quiet = {node.start_byte for node in self.nodes("local", "outer", "key", *DEFINING)}
        labels = {node.id for node in self.nodes("label")}  # the first part of a name begins where the name does
        quiet |= {node.start_byte for node in self.nodes("tag") if text_of(node)[:1].islower()}
        unnamed = {*self._generic, *self.row.unnamed}
        free = (node for node in self.nodes("name") if node.start_byte not in quiet and node.id not in labels)
        named = ((node, text_of(node)) for node in free if not self.is_imported(node.start_byte))
        return [node for node, name in named if name not in unnamed and not self.is_local(name, node.start_byte)]

    def is_local(self, name: str, at: int) -> bool:
        """Return whether a name is bound in a function around a byte."""
        return next(self._locals_at(name, at), None) is not None

    def _locals_at(self, name: str, at: int) -> Iterator[_Local]:
        known = self._locals.get(name)
        return iter(()) if known is None else known.each_around(at)

    def type_value(self, node: tree_sitter.Node) -> Value:
        """Return the value expression of an instance of a written type; unknown for one of the function around it."""
        value = super().type_value(node)
        is_ready = "_pieces" in self.__dict__  # local names are found after the definitions
        is_local = (
            is_ready and value.how is How.instance and self.is_local(value.name.partition(".")[0], node.start_byte)
        )
        return UNKNOWN if is_local else value

    def fixtures(self, piece: Piece) -> Iterator[tree_sitter.Node]:
        """Yield the names of the fixtures that the parameters of a test or fixture ask for."""
        function = function_in(piece.core) if piece.marks & {"test", "fixture"} else None
        for name, parameter, node in parameters_of(function) if function is not None else ():
            is_plain = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.POSITIONAL_ONLY)
            if is_plain and parameter.default is parameter.empty and name not in ("self", "cls"):
                yield node

    @cached_property
    def _locals(self) -> dict[str, Spans[_Local]]:
        found_locals: dict[str, dict[tuple[int, int], _Local]] = {}
        for node, scope in self._bindings():
            name = text_of(node)
            self._num_bound[name, scope.id] += 1
            if (name in self.imported and _is_declared(node)) or self._is_global(name, scope):
                continue
            how, value = self._bound.get(node.start_byte, ("", None))
            # A value may still mention what the name hides: `client := client.New()`.
            start = scope.start_byte if how in ("", "type", "this") or value is None else value.end_byte
            same = found_locals.setdefault(name, {})
            if self.row.hoists:
                same.setdefault((scope.start_byte, scope.end_byte), _Local(scope.id))
            if how or (start, scope.end_byte) not in same:
                same[start, scope.end_byte] = _Local(scope.id, how, value)
        return {
            name: Spans((start, end, local) for (start, end), local in same.items())
            for name, same in found_locals.items()
        }

    def _bindings(self) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
        """Yield each name that a function binds, with its scope."""
        for key in ("local", "outer"):
            for node in {one.start_byte: one for one in self.nodes(key)}.values():
                scope = self.scope_of(node)
                if scope is not None and key == "outer":
                    scope = self.spans("scope").around(scope.start_byte, scope.end_byte)
                if scope is not None and node.start_byte not in self._pieces:
                    yield node, scope

    @cached_property
    def _bound(self) -> dict[int, tuple[str, tree_sitter.Node]]:
        """Place of a local name -> how its value is written, and where."""
        found_bound: dict[int, tuple[str, tree_sitter.Node]] = {}
        found_bound |= {node.start_byte: ("this", node) for node in self.nodes("bind.this")}
        for key in ("bind.type", "bind.value", "bind.item", "bind.entered", "bind.part"):
            for found in self.having(key):
                found_bound.setdefault(found["bind"][0].start_byte, (key.removeprefix("bind."), found[key][0]))
        for piece in self.pieces if self.row.has_fixtures else ():
            for node in self.fixtures(piece):
                found_bound.setdefault(node.start_byte, ("fixture", node))
        return found_bound

    def _is_global(self, name: str, scope: tree_sitter.Node) -> bool:
        """Return whether a function declares a name to be the file's."""
        return any(
            scope.start_byte <= node.start_byte < scope.end_byte and text_of(node) == name
            for node in self.nodes("global")
        )


def _is_declared(node: tree_sitter.Node) -> bool:
    """Return whether a name is bound by a declaration, not by a parameter."""
    outer = node.parent
    for _ in range(4):
        if outer is None or outer.type == "variable_declarator":
            break
        outer = outer.parent
    return outer is not None and outer.type == "variable_declarator"


@lru_cache(maxsize=8)
def reading_of(row: Row, content: bytes, scan: Callable[[bytes], Scan] | None = None) -> SourceReading:
    """Return the reading of a file, the same for all questions on the same content.

    `scan` finds its imports where captures do not.
    """
    return SourceReading(row, content, scan(content).imports if scan is not None else ())
