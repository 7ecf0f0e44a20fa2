"""Names and values of one source file, from the captures of its language's query file, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.validators.languages.fact_writer import UNKNOWN, FactWriter
from assay.validators.languages.language import Facts, Scan
from assay.validators.languages.tabled.captures import DEFINING, Captures, Match, text_of
from assay.validators.languages.tabled.row import Row
from assay.validators.languages.tabled.spans import Spans

if TYPE_CHECKING:
    import tree_sitter

MOST_NESTED = 40
"""Maximum steps of an expression that is followed for its value."""
MOST_NAMES = 5_000
"""Maximum different names that are kept of one file for the graph."""


@dataclass(frozen=True, slots=True)
class _Local:
    """Local name: its type as written, or the node of its value."""

    type: str = ""
    value: tree_sitter.Node | None = None


class SourceReading(Captures):
    """Names that a file mentions, the values of its expressions, and its symbols."""

    def __init__(self, row: Row, content: bytes) -> None:
        super().__init__(row, content)
        self._names = {node.id for node in self._flat.get("name", ())}
        self._qualifiers = {found["qualifier"][0].id for found in self._matches if "qualifier" in found}
        self._roles: dict[int, Match] = {}
        for found in self._matches:
            for role in ("read", "call", "new", "same", "this", "super"):
                if role in found:
                    self._roles[found[role][0].id] = found
        self._attributes = {piece.name for piece in self.pieces if piece.kind == "attribute"}
        self._types = Spans(
            (one.node.start_byte, one.node.end_byte, one.name) for one in self.pieces if one.kind == "class"
        )
        self._locals = self._find_locals()
        self._reads = list(self._find_reads())

    # What other files may see

    def scan(self) -> Scan:
        """Return what the graph needs: imports, namespace, declared and mentioned names."""
        kept = [piece for piece in self.pieces if "." not in piece.name or piece.kind == "class"]
        declared = dict.fromkeys(piece.name for piece in kept if piece.name not in self.row.unnamed)
        owners = (piece.name.rpartition(".")[0] for piece in self.pieces if piece.kind == "method")
        elsewhere = dict.fromkeys(f"{owner}." for owner in owners if owner not in declared)
        free = (text_of(node) for node in self._mentioned())
        paths = (text_of(node) for node in self._flat.get("path", ()) if not self._is_imported(node.start_byte))
        read = (
            f"{value[1:]}.{member}"
            for receiver, member, _ in self._reads
            if receiver is not None
            and (value := self._receiver_value(receiver)).startswith(".")
            and not {".", ">"} & set(value[1:])
        )
        return Scan(
            tuple(self.imports()),
            namespace=next((text_of(found["namespace"][0]) for found in self._matches if "namespace" in found), ""),
            declares=(*declared, *elsewhere)[:MOST_NAMES],
            mentions=tuple(dict.fromkeys((*free, *paths, *read)))[:MOST_NAMES],
        )

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
        owners = Spans(indices)
        mentions = [(node.start_byte, self._name_value(node, 0), "") for node in self._mentioned()]
        members = {piece.name.rpartition(".")[2] for piece in self.pieces}
        for receiver, member, node in self._reads:
            mentions.append((node.start_byte, self._read_from(receiver, node), member))
            if receiver is None and member not in members:  # a function that is imported, or of a parent
                mentions.append((node.start_byte, f".{member}", ""))
        for found in self._roles.values():
            if "called" in found and (value := self.value(found["called"][0])).startswith(".") and ">" not in value:
                mentions.append((found["call"][0].start_byte, f"(){value[1:]}", ""))
            elif "created" in found and (value := self.type_value(found["created"][0])):
                mentions.append((found["new"][0].start_byte, f"(){value[1:]}", ""))
        mentions.sort(key=lambda one: one[0])
        for at, value, member in mentions:
            users = [owners.around(at) or top]
            if member:
                writer.member(value, member, users)
            else:
                writer.mention(value, users)
        return writer.facts()

    def lines_of(self, mention: str) -> list[int]:
        """Return the lines that mention a name, free or qualified."""
        qualifier, dot, name = mention.rpartition(".")
        if not dot:
            return sorted({node.start_point.row + 1 for node in self._mentioned() if text_of(node) == name})
        return sorted({line for value, line, _ in self.reads_of(name) if value == f".{qualifier}"})

    def reads_of(self, name: str) -> Iterator[tuple[str, int, bool]]:
        """Yield (value of the receiver, line, whether it is the own type) of each read or call of a member."""
        for receiver, member, node in self._reads:
            if member == name:
                yield self._read_from(receiver, node), node.start_point.row + 1, receiver is None
        for node in self._mentioned() if self.row.has_implicit_this else ():
            if text_of(node) == name and (value := self._this_at(node.start_byte)) != UNKNOWN:
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
        member = text_of((found.get("member") or found.get("member.called") or found["own.called"])[0])
        of = found.get("receiver") or found.get("qualifier")
        receiver = self._receiver_value(of[0], depth + 1) if of else self._this_at(node.start_byte)
        if receiver == UNKNOWN:
            return UNKNOWN
        is_chain = receiver.startswith(".") and ">" not in receiver
        value = f"{receiver}{'.' if is_chain else '>'}{member}"
        # What a method of `List<Client>` gives may be a client.
        return value if "read" in found else UNKNOWN if receiver in self._parameterized else _called(value)

    def _read_from(self, receiver: tree_sitter.Node | None, member: tree_sitter.Node) -> str:
        """Return the value that a member is read from; without a receiver the own type."""
        return self._this_at(member.start_byte) if receiver is None else self._receiver_value(receiver)

    def _receiver_value(self, node: tree_sitter.Node, depth: int = 0) -> str:
        """Return the value of a receiver; a qualifier is a package, whatever local name it has too."""
        return f".{text_of(node)}" if node.id in self._qualifiers else self.value(node, depth)

    def _name_value(self, node: tree_sitter.Node, depth: int) -> str:
        name = text_of(node)
        local = self._local_at(name, node.start_byte)
        if local is None:
            owner = self._this_at(node.start_byte)
            return f"{owner}>{name}" if f"{owner[1:]}.{name}" in self._attributes else f".{name}"
        if local.type:
            return f"={local.type}"
        return self.value(local.value, depth + 1) if local.value is not None else UNKNOWN

    def _this_at(self, at: int) -> str:
        """Return the value of the own type at a byte."""
        name = self._types.around(at)
        return UNKNOWN if name is None else f"={name}"

    # Names

    def _find_reads(self) -> Iterator[tuple[tree_sitter.Node | None, str, tree_sitter.Node]]:
        """Yield (receiver, member, its node); without a receiver a member of the own type is called."""
        for found in self._matches:
            for key in ("member", "member.called", "own.called"):
                if key in found:
                    receiver = found.get("receiver") or found.get("qualifier")
                    yield receiver[0] if receiver else None, text_of(found[key][0]), found[key][0]

    def _mentioned(self) -> Iterator[tree_sitter.Node]:
        """Yield the nodes that mention a name from outside the function."""
        quiet = {node.start_byte for name in ("local", "label", "key") for node in self._flat.get(name, ())}
        quiet |= {node.start_byte for found in self._matches for key in DEFINING for node in found.get(key, ())}
        generic = {text_of(node) for node in self._flat.get("generic", ())}
        for node in self._flat.get("name", ()):
            at = node.start_byte
            if at in quiet or self._is_imported(at):
                continue
            name = text_of(node)
            if name not in generic and self._local_at(name, at) is None:
                yield node

    def _local_at(self, name: str, at: int) -> _Local | None:
        known = self._locals.get(name)
        return known.around(at) if known is not None else None

    def _find_locals(self) -> dict[str, Spans[_Local]]:
        known: dict[int, Match] = {}
        for found in self._matches:
            if "bind" in found:
                known.setdefault(found["bind"][0].start_byte, found)
        defined = {node.start_byte for found in self._matches for key in DEFINING for node in found.get(key, ())}
        found_locals: dict[str, dict[tuple[int, int], _Local]] = {}
        for node in self._flat.get("local", ()):
            scope = self._scopes.around(node.start_byte, node.end_byte)
            if scope is None or node.start_byte in defined:
                continue
            bound = known.get(node.start_byte, {})
            written = self.type_value(bound["bind.type"][0])[1:] if bound.get("bind.type") else ""
            value = bound["bind.value"][0] if bound.get("bind.value") and not bound.get("bind.type") else None
            # A value may still mention what the name hides: `client := client.New()`.
            start = value.end_byte if value is not None else scope.start_byte
            same = found_locals.setdefault(text_of(node), {})
            if written or value is not None or (start, scope.end_byte) not in same:
                same[start, scope.end_byte] = _Local(written, value)
        return {
            name: Spans((start, end, local) for (start, end), local in same.items())
            for name, same in found_locals.items()
        }


def _called(value: str) -> str:
    """Return what calling a value gives."""
    if value == UNKNOWN:
        return UNKNOWN
    return f"(){value[1:]}" if value.startswith(".") and ">" not in value else f"{value}()"
