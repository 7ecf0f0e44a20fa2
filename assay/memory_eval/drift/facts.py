"""Facts of a text: typed values with the subject they are about.

The subject is what the store records as such, else the first name or identifier of the sentence, else of the entry.
Without any, the words around the value stand for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.memory_eval.drift.marks import Key
from assay.memory_eval.drift.values import Read, Value, name_words, read_text
from assay.memory_eval.report.drift import FactMark

MOST_PART = 1_500
"""Characters that are read as one entry: one with all names and all values would hold every fact."""
MOST_FACTS = 60
"""Facts of one part; more are a table or a dump, which has no sentences."""
MOST_CONTEXT = 4
MOST_CONTEXT_ALONE = 8
"""Context words of a fact without a subject."""
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")


class Fact(NamedTuple):
    """A value with the words of its subject and of its context, in plain text; `sentence` is the one it is in."""

    value: Value
    subject: tuple[str, ...]
    context: tuple[str, ...]
    sentence: str
    start: int

    @property
    def cloze(self) -> str:
        """The sentence with the value replaced by a blank."""
        end = self.start + self.value.end - self.value.start
        return f"{self.sentence[: self.start]}___{self.sentence[end:]}"


class Part(NamedTuple):
    """What is read of one part of an entry: words, keys of values, and facts."""

    words: frozenset[str]
    keys: frozenset[str]
    facts: tuple[Fact, ...]


def parts_of(text: str, about: str | None, known_names: frozenset[str]) -> Iterator[Part]:
    """Yield what each part of an entry holds; later parts have the subject of the entry too."""
    about_words = _about(about)
    first: tuple[str, ...] = ()
    for piece in _pieces(text):
        sentences = [read_text(sentence, known_names) for sentence in _BREAK.split(piece) if sentence.strip()]
        first = first or next(filter(None, map(_subject, sentences)), ())
        yield _part(sentences, about_words, about_words or first)


def marked(fact: Fact, key: Key) -> FactMark:
    """Return a fact without its text."""
    is_name = fact.value.kind == "name"
    name = _words(fact.value) if is_name else ()
    need = (len(fact.context) + 1) // 2
    if fact.subject:
        need = min(1, len(fact.context)) if fact.value.is_weak else 0
    return FactMark(
        fact.value.kind,
        tuple(key.hashed("value", one) for one in fact.value.keys),
        key.marks(name) if len(name) > 1 else "",
        key.marks(fact.subject),
        key.marks(fact.context),
        need,
        fact.value.is_weak,
    )


def _part(sentences: list[Read], about: tuple[str, ...], default: tuple[str, ...]) -> Part:
    words: set[str] = set(default)
    keys: set[str] = set()
    facts: list[Fact] = []
    for one in sentences:
        words.update(word for word, _ in one.words)
        keys.update(key for value in (*one.values, *one.names) for key in value.keys)
        words.update(word for value in one.values if value.kind == "identifier" for word in _words(value))
        # Each word of a name counts as a name too: "Ada" holds for "Ada Lund".
        keys.update(f"name:{word}" for name in one.names for word in _words(name))
        facts += _facts(one, about, default)
    return Part(frozenset(words), frozenset(keys), tuple(facts[:MOST_FACTS]))


def _facts(one: Read, about: tuple[str, ...], default: tuple[str, ...]) -> Iterator[Fact]:
    subject = about or _subject(one) or default
    seen: set[tuple[str, ...]] = set()
    for value in sorted((*one.values, *one.names), key=lambda found: found.start):
        own = set(_words(value))
        if own & set(subject) or value.keys in seen:
            continue
        seen.add(value.keys)
        near = sorted(
            (abs(place - value.start), word) for word, place in one.words if word not in subject and word not in own
        )
        most = MOST_CONTEXT if subject else MOST_CONTEXT_ALONE
        context = tuple(dict.fromkeys(word for _, word in near))[:most]
        if subject or context:
            yield Fact(value, subject, context, one.text, value.start)


def _subject(one: Read) -> tuple[str, ...]:
    """Return the words of the first name or identifier of a sentence."""
    found = [value for value in (*one.names, *one.values) if value.kind in ("name", "identifier")]
    return _words(min(found, key=lambda value: value.start)) if found else ()


def _words(value: Value) -> tuple[str, ...]:
    """Return the words of a name, or an identifier as one word; other values have none."""
    kind, _, said = value.keys[0].partition(":")
    return tuple(said.split(" ")) if kind == "name" else (said,) if kind == "id" else ()


def _about(about: str | None) -> tuple[str, ...]:
    """Return the words of the recorded subject; of a path of headings, those of its last part."""
    return tuple(dict.fromkeys(name_words((about or "").rpartition(" > ")[2])))[:6]


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in parts of limited length, between sentences if possible."""
    while len(text) > MOST_PART:
        cut = max(text.rfind("\n", MOST_PART // 2, MOST_PART), text.rfind(". ", MOST_PART // 2, MOST_PART) + 1)
        cut = cut if cut > 0 else MOST_PART
        yield text[:cut]
        text = text[cut:]
    yield text
