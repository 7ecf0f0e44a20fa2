"""Facts of a file, gathered while a language reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from assay.validators.languages.language import Facts, Mention, Symbol

UNKNOWN = "?"
"""Value expression of which nothing is known."""

BUILT_IN = "!"
"""Value of the language itself: a text, a list. Its attributes are not recorded, and neither is this expression."""

LONGEST_VALUE = 160
"""Maximum characters of a value expression; a longer one is unknown."""

MOST_SYMBOLS = 5000
MOST_MENTIONS = 20_000
"""Maximum symbols and mentions of one file. Real files stay far below."""


class FactWriter:
    """Symbols and mentions of one file.

    `renamed` maps a local name to its name in the file it is imported from; `built_in` are method names of built-in
    values, which on an unknown receiver say nothing.
    """

    def __init__(self, renamed: Mapping[str, str] | None = None, built_in: Collection[str] = ()) -> None:
        self._renamed = renamed or {}
        self._built_in = built_in
        self._symbols: list[Symbol] = []
        self._indices: dict[str, int] = {}
        self._mentions: dict[str, dict[str, set[int]]] = {}
        self._num_mentions = 0
        self._entries: dict[str, str] = {}
        self.exported: dict[str, str] = {}
        self.has_tests = False

    def symbol(self, name: str, kind: str) -> int:
        """Return the index of a symbol; a name defined twice is one symbol."""
        known = self._indices.get(name)
        if known is None:
            if len(self._symbols) >= MOST_SYMBOLS:
                return 0
            known = self._indices[name] = len(self._symbols)
            self._symbols.append(Symbol(name, kind))
        self.has_tests = self.has_tests or kind == "test"
        return known

    def describe(self, index: int, *, bases: Iterable[str] = (), gives: str = "", entry: str = "") -> None:
        """Add what is known of a symbol."""
        one = self._symbols[index]
        gives = "" if gives in (UNKNOWN, BUILT_IN) or len(gives) > LONGEST_VALUE else gives
        self._symbols[index] = replace(
            one, bases=(*one.bases, *bases), gives=one.gives or gives, entry=one.entry or entry
        )

    def attribute(self, name: str, value: str) -> None:
        """Record the value of an attribute of a class, unless the class declares it."""
        if name not in self._indices:
            self.describe(self.symbol(name, "attribute"), gives=value)

    def mention(self, value: str, users: Collection[int]) -> None:
        """Record a value expression in the code of these symbols."""
        if len(value) > LONGEST_VALUE:
            value = f"{UNKNOWN}>{last_name(value)}"
        key = last_name(value)
        if value.startswith("?") and key in self._built_in:
            return
        key = self._renamed.get(key, key)
        found = self._mentions.setdefault(key, {}).get(value)
        if found is None:
            if self._num_mentions >= MOST_MENTIONS:
                return
            self._num_mentions += 1
            found = self._mentions[key][value] = set()
        found.update(users)

    def member(self, value: str, name: str, users: Collection[int]) -> str:
        """Record that these symbols read a member of a value; return the member's value expression."""
        if value == BUILT_IN:
            return UNKNOWN
        if value == UNKNOWN:
            self.mention(f"{UNKNOWN}>{name}", users)
            return UNKNOWN
        is_chain = value.startswith(".") and ">" not in value
        found = f"{value}{'.' if is_chain else '>'}{name}"
        self.mention(found, users)
        return found

    def enter(self, name: str, entry: str) -> None:
        """Record that a symbol, also one that is defined later, is an entry point."""
        self._entries[name] = entry

    def facts(self) -> Facts:
        """Return what was gathered."""
        for name, entry in self._entries.items():
            if name in self._indices:
                self.describe(self._indices[name], entry=entry)
        mentions = {
            key: tuple(Mention(value, tuple(sorted(users))) for value, users in found.items())
            for key, found in self._mentions.items()
        }
        return Facts(tuple(self._symbols), mentions, self.exported, self.has_tests)


def last_name(value: str) -> str:
    """Return the last name of a chain or value expression."""
    return value.rpartition(">")[2].rpartition(".")[2].lstrip(".=@^*()?")
