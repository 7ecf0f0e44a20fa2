"""Facts of one file in the form that is kept between runs."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from functools import cached_property

from assay.validators.languages.language import Facts, Mention, Symbol

LARGEST_FACTS = 8 * 1024 * 1024
"""Maximum bytes of one file's facts, unpacked."""


@dataclass(frozen=True)
class KeptFacts:
    """Facts of one file: the names it mentions, its members (`m` for `C.m`), and the rest, unpacked when it is needed.

    `members` begins with `+` if a class has a parent.
    """

    words: str
    members: str
    packed: bytes

    @property
    def has_bases(self) -> bool:
        """Whether it defines a class with a parent."""
        return self.members.startswith("+")

    @cached_property
    def facts(self) -> Facts:
        """The facts; none if what was kept is damaged."""
        try:
            unpacker = zlib.decompressobj()
            symbols, mentions, exported, has_tests = json.loads(unpacker.decompress(self.packed, LARGEST_FACTS))
            return Facts(
                tuple(Symbol(name, kind, tuple(bases), gives, entry) for name, kind, bases, gives, entry in symbols),
                {key: tuple(Mention(value, tuple(users)) for value, users in found) for key, found in mentions.items()},
                exported,
                has_tests,
            )
        except (ValueError, TypeError, AttributeError, RecursionError, zlib.error):
            return Facts()


def kept(facts: Facts) -> KeptFacts:
    """Return the facts as they are kept."""
    symbols = [[one.name, one.kind, one.bases, one.gives, one.entry] for one in facts.symbols]
    mentions = {key: [[one.value, one.users] for one in found] for key, found in facts.mentions.items()}
    text = json.dumps([symbols, mentions, facts.exported, facts.has_tests], separators=(",", ":"))
    members = {one.name.rpartition(".")[2] for one in facts.symbols if one.kind in ("method", "attribute", "test")}
    mark = "+" if any(one.bases for one in facts.symbols) else "-"
    return KeptFacts(
        " ".join(facts.mentions), " ".join((mark, *sorted(members))), zlib.compress(text.encode("utf-8", "replace"), 1)
    )
