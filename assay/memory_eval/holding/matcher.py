"""Which facts a text holds, and which of its statements are false.

A text holds a fact if it has the subject's name and the value, in any form of the number or day. Words for the
attribute are not needed: measured on simulated stores, matching by sentence loses a tenth of the facts of verbatim
turns and gains no precision. A sentence that gives an attribute of a subject a value is a statement, false if it has
none of the values that the dialogue ever gave it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import dropwhile, pairwise
from typing import Any

from assay.memory_eval.graders.naming import Span, spans_of
from assay.memory_eval.graders.reading.plain_text import Text, plain_value, words_of
from assay.memory_eval.holding.closing import Ending, ending_of
from assay.memory_eval.holding.told import Key, Stored, Told, ToldFact
from assay.memory_eval.world.attributes import ATTRIBUTES, label_of

MOST_WORDS = 300
"""Words that are read as one part; a turn of the dialogue has up to 150."""
LONG_FROM, LONG_SHARE, _PREFIX = 4, 0.75, 4
"""Words from which a text is found by most of its words, and letters by which these are compared."""

_MOST_HEAD = 500
"""Characters above a list that each of its items is read with."""
_OPTIONAL = frozenset({"project", "branch"})
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[;\n]+")
_GIVES = re.compile(r"(?: of [^,;:?!]{1,60}?)?\s*(?:\b(?:is|are|was|were)\b|[:=])")
_LEADING = frozenset({"the", "its", "his", "her", "their", "whose", "s", "and"})
_LAST_WORD = re.compile(r"([^\W_]+) ?$")
_GIVEN = re.compile(r"\s*(?:A|a)?:")
"""Beginning of a line that gives the line above its value."""
_NOT_STATED = re.compile(
    r"\?|\b(?:(?:was|were) (?:changed|updated|corrected)|forget|delete|remove|look(?:ing)? up|remind"
    r"|ask(?:ed)? (?:me|about))\b"
)


@dataclass(slots=True)
class Held:
    """What one part of an entry holds: places of facts in `Told.facts` with how each ends, and planted values."""

    facts: dict[int, list[Ending]] = field(default_factory=dict)
    planted: set[int] = field(default_factory=set)
    num_judged: int = 0
    false: set[tuple[Key, str]] = field(default_factory=set)


class Matcher:
    """The facts of a world, to be found in texts."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._now = told.now
        self._facts: dict[str, list[int]] = defaultdict(list)
        self._planted: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(told.facts):
            self._facts[one.entity].append(place)
        for place, plant in enumerate(told.planted):
            self._planted[plant.entity].append(place)
        self._attributes = {
            name: {told.facts[place].attribute for place in places} for name, places in self._facts.items()
        }
        self._names: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
        for name in dict.fromkeys((*self._facts, *self._planted)):
            words = frozenset(words_of(name))
            words = words - _OPTIONAL or words
            self._names[max(words, key=len, default="")].append((name, words))

    def read(self, entry: Stored) -> Iterator[Held]:
        """Yield what each part of an entry holds."""
        for part in self._parts(entry):
            text = Text.of(part)
            subjects = self._subjects({word for word, _, _ in text.words})
            held = Held()
            for name in subjects:
                self._hold(held, text, name, entry)
            self._judge(held, part, subjects)
            yield held

    def facts_in(self, text: str) -> set[int]:
        """Return the places of the facts that a text holds."""
        return {place for held in self.read(Stored(text)) for place in held.facts}

    def _hold(self, held: Held, text: Text, name: str, entry: Stored) -> None:
        for place in self._facts[name]:
            if spans := self._spans(text, self.told.facts[place]):
                held.facts[place] = [ending_of(text.text, span, entry, self._now) for span in spans]
        held.planted |= self._planted_in(text, name)

    def _planted_in(self, text: Text, name: str) -> set[int]:
        plants = ((place, self.told.planted[place]) for place in self._planted[name])
        return {place for place, one in plants if spans_of(text, one.value, _unit_of(one.attribute))}

    def _judge(self, held: Held, part: str, subjects: Sequence[str]) -> None:
        """Judge each sentence that gives a subject's attribute a value."""
        for sentence in _SENTENCE.split(part) if subjects else ():
            text = Text.of(sentence)
            words = {word for word, _, _ in text.words}
            named = [name for name in subjects if self._words_of(name) <= words]
            ahead = _LEADING.union(*map(self._words_of, named))
            labels = [] if _NOT_STATED.search(text.text) else _labels_in(text, words, ahead)
            if not labels:
                continue
            if not named and len(subjects) == 1 and text.text.lstrip("•-* ").startswith(labels[0][1]):
                named = list(subjects)
            for attribute, label in labels:
                keys = [(name, attribute) for name in named if attribute in self._attributes.get(name, ())]
                if any(self._planted_in(text, name) for name, _ in keys):
                    continue
                held.num_judged += bool(keys)
                if keys and not any(self._is_true(text, key) for key in keys):
                    held.false.add((keys[0], f"{label} of {keys[0][0]}: {sentence.strip()[:120]}"))

    def _is_true(self, text: Text, key: Key) -> bool:
        facts = (self.told.facts[place] for place in self._facts[key[0]])
        return any(self._spans(text, one) for one in facts if one.attribute == key[1])

    def _spans(self, text: Text, fact: ToldFact) -> list[Span]:
        found = spans_of(text, fact.value, _unit_of(fact.attribute))
        wanted = words_of(str(fact.value)) if isinstance(fact.value, str) and not found else ()
        if len(wanted) < LONG_FROM:
            return found
        tokens = {word for word, _, _ in text.words}
        prefixes = {word[:_PREFIX] for word in tokens}
        num = sum(word in tokens or (not word.isdigit() and word[:_PREFIX] in prefixes) for word in wanted)
        has_figures = all(word in tokens for word in wanted if word[0].isdigit())
        return [(0, len(text.text))] if has_figures and num >= LONG_SHARE * len(wanted) else []

    def _subjects(self, words: set[str]) -> list[str]:
        return [name for word in words for name, wanted in self._names.get(word, ()) if wanted <= words]

    def _words_of(self, name: str) -> frozenset[str]:
        words = frozenset(words_of(name))
        return words - _OPTIONAL or words

    def _parts(self, entry: Stored) -> Iterator[str]:
        """Yield an entry in its sections, each below its title, and its items that begin with a subject, in pieces."""
        # What a tag says in its attributes is a statement here.
        text = entry.text.replace("<", " ").replace(">", " ")
        about = [entry.about] if entry.about and entry.about.lower() not in text.lower() else []
        lines = text.splitlines()
        titles = [number for number, line in enumerate(lines) if self._begins(line, is_all=True)]
        if len(titles) < 2:
            yield from self._items(about, lines)
            return
        for begin, end in pairwise([*titles, len(lines)]):
            yield from self._items([*about, *lines[: titles[0]]], lines[begin:end])

    def _items(self, head: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
        starts = [
            number for number, line in enumerate(lines) if self._begins(line) and not self._begins(line, is_all=True)
        ]
        if len(starts) < 2:
            yield from _pieces("\n".join([*head, *lines]))
            return
        above = "\n".join([*head, *lines[: starts[0]]])[:_MOST_HEAD]
        for begin, end in pairwise([*starts, len(lines)]):
            yield from _pieces("\n".join([above, *lines[begin:end]]))

    def _begins(self, line: str, *, is_all: bool = False) -> bool:
        """Return whether a line begins with the name of a subject, after a day or number; or is nothing else."""
        words = () if _GIVEN.match(line) else words_of(line[:_MOST_HEAD])
        words = tuple(dropwhile(str.isdigit, words))[: 12 if is_all else 6]
        names = (wanted for word in words for _, wanted in self._names.get(word, ()))
        return any(
            wanted == set(words) - _OPTIONAL if is_all else wanted <= set(words[: len(wanted)]) | _OPTIONAL
            for wanted in names
        )


def _labels_in(text: Text, words: set[str], ahead: frozenset[str]) -> list[tuple[str, str]]:
    """Return the attributes that a sentence gives a value, with their labels: "the pet of Ada is a dog", "pet: dog".

    `ahead` are the words that may stand in front of a label; after another one it is part of a longer name.
    """
    found = [
        (attribute, label)
        for attribute, label, wanted in _labels()
        if wanted <= words
        and (place := text.text.find(label)) >= 0
        and _GIVES.match(text.text, place + len(label))
        and ((before := _LAST_WORD.search(text.text[:place])) is None or before[1] in ahead)
    ]
    # "pet's name" is not about the pet, nor "revenue forecast" about the revenue.
    return [one for one in found if not any(one[1] != other and one[1] in other for _, other in found)]


@cache
def _labels() -> list[tuple[str, str, frozenset[str]]]:
    named = [(attribute, plain_value(label_of(attribute))) for attribute in ATTRIBUTES]
    return [(attribute, label, frozenset(words_of(label))) for attribute, label in named]


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in parts of at most `MOST_WORDS` words, each below the first line, which names its subject."""
    words = text.split()
    if len(words) <= MOST_WORDS:
        yield text
        return
    head, piece, num = (text.splitlines()[0][:100] if "\n" in text else ""), list[str](), 0
    for sentence in (one for whole in _SENTENCE.split(text) for one in _cut(whole)):
        size = len(sentence.split())
        if piece and num + size > MOST_WORDS:
            yield "\n".join([head, *piece])
            piece, num = [], 0
        piece.append(sentence)
        num += size
    yield "\n".join([head, *piece])


def _cut(sentence: str) -> list[str]:
    words = sentence.split()
    return [" ".join(words[begin : begin + MOST_WORDS]) for begin in range(0, len(words), MOST_WORDS)]


def _unit_of(attribute: str) -> Any:
    return ATTRIBUTES[attribute].unit if attribute in ATTRIBUTES else None
