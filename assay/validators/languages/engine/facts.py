"""Symbols of one source file and what the code of each mentions, for the symbol graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.engine.pieces import Piece
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import Facts, Mention, Symbol
from assay.validators.languages.values import UNKNOWN, How, Value, member

if TYPE_CHECKING:
    import tree_sitter

MOST_SYMBOLS = 5000
MOST_MENTIONS = 20_000
"""Maximum symbols and mentions of one file. Real files stay far below."""
LONGEST_ENTRY = 100
_FUNCTIONS = ("function", "method")
_ANY_VERB = ("route", "api_route")


def facts_of(reading: SourceReading) -> Facts:
    """Return the facts of a file."""
    return _Facts(reading).facts()


class _Facts:
    """Symbols by name, and mentions by the last name of each."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self._symbols: dict[str, Symbol] = {"": Symbol("", "module")}
        self._mentions: dict[str, dict[Value, set[int]]] = {}
        self._num_mentions = 0
        own = [piece for piece in reading.pieces if piece.kind != "listed"]
        self._pieces = own[:MOST_SYMBOLS]
        self._owners = Spans(
            (one.node.start_byte, one.node.end_byte, one)
            for one in self._pieces
            if one.kind != "attribute" or not reading.row.runs_class_body
        )
        self._late = reading.spans("late")
        self._bodies: dict[int, Piece] = {}
        """Start of the body of a function -> its definition."""
        for node in reading.nodes("late"):
            piece = self._owners.around(node.start_byte)
            outer = self._late.around(node.start_byte, node.end_byte)
            is_own = piece is not None and (outer is None or outer.start_byte < piece.core.start_byte)
            if piece is not None and piece.kind in _FUNCTIONS and is_own:
                self._bodies[node.start_byte] = piece

    def facts(self) -> Facts:
        """Return the facts."""
        self._find_symbols()
        self._find_entries()
        names = list(self._symbols)
        self._indices = {name: index for index, name in enumerate(names)}
        self._find_mentions()
        kinds = {symbol.kind for symbol in self._symbols.values()}
        exported = {name: local for name, local in self._reading.exports.items() if name != local}
        mentions = {
            key: tuple(Mention(value, tuple(sorted(users))) for value, users in found.items())
            for key, found in self._mentions.items()
        }
        has_tests = "test" in kinds or any(True for _ in self._reading.nodes("test.member")) or self._calls_a_runner()
        return Facts(tuple(self._symbols.values()), mentions, exported, has_tests)

    def _calls_a_runner(self) -> bool:
        """Return whether a call makes tests of what it gets, and is not of a local name."""
        for node in self._reading.nodes("test.call"):
            first = node
            while first.children:
                first = first.children[0]
            if not self._reading.is_local(text_of(first), node.start_byte):
                return True
        return False

    # Symbols

    def _find_symbols(self) -> None:
        returned: dict[str, list[tree_sitter.Node]] = {}
        for node in self._reading.nodes("returned"):
            body = self._late.around(node.start_byte)
            piece = self._bodies.get(body.start_byte) if body is not None else None
            if piece is not None:
                returned.setdefault(piece.name, []).append(node)
        for piece in self._pieces:
            values = [self._reading.type_value(node) for node in piece.gives]
            values += [self._reading.value(node) for node in (*piece.given, *returned.get(piece.name, ()))]
            bases = [self._base(node) for node in piece.bases]
            self._add(piece.name, _kind(piece), tuple(bases), next((one for one in values if one.is_known), None))
        for name, given in self._stored():
            self._add(name, "attribute", (), given)

    def _base(self, node: tree_sitter.Node) -> Value:
        written = self._reading.type_value(node)
        return written if written.is_known else self._reading.value(node)

    def _add(self, name: str, kind: str, bases: tuple[Value, ...], gives: Value | None) -> None:
        """Add a symbol; a name defined twice is one."""
        several = self._reading.row.has_overloads and kind in _FUNCTIONS and name in self._symbols
        known = self._symbols.get(name) or Symbol(name, kind)
        self._symbols[name] = known._replace(
            bases=(*known.bases, *bases), gives=known.gives or gives, has_overloads=several or known.has_overloads
        )

    def _stored(self) -> Iterator[tuple[str, Value | None]]:
        """Yield the attributes that code of a class sets on its own instance."""
        for found in self._reading.having("store"):
            owner = self._reading.own_of(found)
            name = f"{owner}.{text_of(found['store'][0])}"
            if not owner or (name in self._symbols and self._symbols[name].kind != "attribute"):
                continue
            values = [self._reading.type_value(one) for one in found.get("gives", ())]
            values += [self._reading.value(one) for one in found.get("gives.value", ())]
            yield name, next((one for one in values if one.is_known), None)

    def _find_entries(self) -> None:
        entries: dict[str, str] = {}
        for found in self._reading.having("fixture"):
            name = text_of(found["fixture"][0])
            named = found.get("fixture.name")
            entries[name] = text_of(named[0])[:LONGEST_ENTRY] if named else entries.get(name, name)
        for found in self._reading.having("entry"):
            verb = text_of(found["entry.verb"][0])
            verb = "" if verb in _ANY_VERB else f"{verb.upper().removeprefix('HTTP').removesuffix('MAPPING')} "
            entries[text_of(found["entry"][0])] = f"route {verb}{text_of(found['entry.path'][0])[:LONGEST_ENTRY]}"
        for found in self._reading.having("command"):
            name = text_of(found["command"][0])
            named = found.get("command.name")
            shown = text_of(named[0]) if named else name.replace("_", "-")
            entries.setdefault(name, f"command {shown[:LONGEST_ENTRY]}")
        for name, symbol in self._symbols.items():
            entry = entries.get(name.rpartition(".")[2])
            if entry and symbol.kind in (*_FUNCTIONS, "fixture"):
                self._symbols[name] = symbol._replace(entry=entry)

    # Mentions

    def _find_mentions(self) -> None:
        reading = self._reading
        for node in reading.mentioned:
            self._mention(reading.value(node), node)
        self._find_reads()
        for found in reading.having("called"):
            self._call(reading.value(found["called"][0]), found["call"][0])
        for found in reading.having("created"):
            self._call(reading.type_value(found["created"][0]), found["new"][0])
        for node in reading.nodes("fixture.used"):
            self._mention(Value(How.fixture, text_of(node)), node)
        for piece in self._pieces:
            for node in reading.fixtures(piece) if reading.row.has_fixtures else ():
                self._mention(Value(How.fixture, text_of(node)), node)

    def _find_reads(self) -> None:
        members = {piece.name.rpartition(".")[2] for piece in self._pieces}
        for read in self._reading.reads:
            value = self._reading.receiver_value(read)
            if value.how is not How.literal and (value.is_known or not read.is_store):
                self._mention(member(value, read.name), read.node)
            if read.receiver is None and read.name not in members:  # a function that is imported, or of a parent
                self._mention(Value(How.name, read.name), read.node)

    def _call(self, value: Value, node: tree_sitter.Node) -> None:
        """Record a call that may construct something."""
        if value.how in (How.name, How.instance) and value.name not in self._reading.row.unnamed:
            self._mention(Value(How.call, "", Value(How.name, value.name)), node)
        elif value.how is How.parent:
            self._mention(member(value, "constructor"), node)

    def _mention(self, value: Value, node: tree_sitter.Node) -> None:
        key = value.last
        if value.how is How.member and value.of == UNKNOWN and key in self._reading.row.common:
            return
        if not key or value.how is How.literal:
            return
        at = node.start_byte
        piece = self._owners.around(at)
        if piece is None and self._reading.spans("skipped").around(at):
            return
        key = self._reading.renamed.get(key, key)
        found = self._mentions.setdefault(key, {}).get(value)
        if found is None:
            if self._num_mentions >= MOST_MENTIONS:
                return
            self._num_mentions += 1
            found = self._mentions[key][value] = set()
        if piece is None or (value.how is How.fixture and piece.kind == "constant"):
            found.add(0)
            return
        found.add(self._indices[piece.name])
        # A decorator asks for a fixture, and the test gets it when it runs.
        if self._reading.row.runs_on_import and value.how is not How.fixture and not self._is_late(piece, at):
            found.add(0)

    def _is_late(self, piece: Piece, at: int) -> bool:
        return piece.kind in _FUNCTIONS and self._late.around(at) is not None


def _kind(piece: Piece) -> str:
    for mark in ("fixture", "test", "interface"):
        if mark in piece.marks:
            return mark
    return piece.kind
