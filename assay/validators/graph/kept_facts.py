"""Facts of one file in the form that is kept between runs."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.validators.languages.language import Facts, Mention, Symbol
from assay.validators.languages.values import value_of

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
    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols of the file; none if what was kept is damaged."""
        try:
            return tuple(
                Symbol(
                    name, kind, tuple(map(value_of, bases)), None if gives is None else value_of(gives), entry, several
                )
                for name, kind, bases, gives, entry, several in self._data.symbols
            )
        except (ValueError, TypeError):
            return ()

    @property
    def exported(self) -> Mapping[str, str]:
        """Name for other files -> local name, where they differ."""
        return self._data.exported

    @property
    def has_tests(self) -> bool:
        """Whether a test runner finds tests in it."""
        return self._data.has_tests

    def mentions(self, name: str) -> Iterator[Mention]:
        """Yield the mentions whose last name is `name`."""
        for value, users in self._data.mentions.get(name, ()):
            yield Mention(value_of(value), tuple(users))

    @cached_property
    def _data(self) -> Facts:
        """The facts with lists in place of tuples."""
        try:
            return Facts(*json.loads(zlib.decompressobj().decompress(self.packed, LARGEST_FACTS)))
        except (ValueError, TypeError, RecursionError, zlib.error):
            return Facts()


def kept(facts: Facts) -> KeptFacts:
    """Return the facts as they are kept."""
    text = json.dumps(facts, separators=(",", ":"))
    members = {one.name.rpartition(".")[2] for one in facts.symbols if one.kind in ("method", "attribute", "test")}
    mark = "+" if any(one.bases for one in facts.symbols) else "-"
    return KeptFacts(
        " ".join(facts.mentions), " ".join((mark, *sorted(members))), zlib.compress(text.encode("utf-8", "replace"), 1)
    )


NONE = kept(Facts())
"""Facts of a file that was not read."""
