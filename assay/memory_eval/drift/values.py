"""Typed values in a text: quotes, dates, identifiers, numbers and names, with their places.

Values are recognized by their form alone, so nothing has to be known about the memory. A value has keys that are equal
for all ways to write it, as in `holding.lexing`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from assay.memory_eval.adapters.extracting.retrieval import singular
from assay.memory_eval.holding.lexing import STOP_WORDS, fold, lexed

Kind = Literal["quote", "date", "identifier", "number", "name"]

_QUOTE = re.compile(r"[\"\N{LEFT DOUBLE QUOTATION MARK}\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}]"
                    r"([^\"\n\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}]{2,120})"
                    r"[\"\N{RIGHT DOUBLE QUOTATION MARK}\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}]")  # fmt: skip
_IDENTIFIER = re.compile(
    r"`([^`\n]{2,120})`"
    r"|https?://[^\s<>\"'`)\]]{3,300}"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|(?<![\w$€£.,])(?=[\w./:-]{0,40}?\d)(?=[\w./:-]{0,40}?[A-Za-z_])\w[\w./:-]{1,80}\w"
    r"|(?<!\w)(?:/[\w.-]{1,60}|[\w.-]{1,60}/[\w.-]{1,60})(?:/[\w.-]{1,60}){1,12}"
    r"|\b[A-Za-z]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}\b"
)
_ATTACHED_UNIT = re.compile(r"[vV]?\d[\d.,:]*(?:[A-Za-z]{1,4}|[A-Za-z]{1,4}/[A-Za-z]{1,3})?")
"""A number with its unit, such as `16GB`, or an ordinal: not an identifier."""
_NAME = re.compile(r"(?<!\w)[^\W\d_a-z][\w'-]*(?: (?:of |de |van |von |da |del )?[^\W\d_a-z][\w'-]*)*")
_PART = re.compile(r"[^\W_]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s|[\n>*-]\s?)\s*$")
_NOT_NAMES = STOP_WORDS | frozenset(
    (
        "i we you he she it they my our your his her its their this that these those user users when if after before "
        "while because since during until as but so not no yes please never always do don't does did has have had can "
        "will would should must may might use uses used prefers likes loves needs there here what who where why "
        "how all any some most also only just then than now new old first last next monday tuesday wednesday thursday "
        "friday saturday sunday january february march april june july august september october november december "
        "today tomorrow yesterday"
    ).split()
)
_BARE_UP_TO = 1_000.0


class Value(NamedTuple):
    """A value: its kind, keys of which one is enough to be equal, its place in the text, and whether it is weak.

    A weak value, such as a small number without a unit, occurs by chance in many entries.
    """

    kind: Kind
    keys: tuple[str, ...]
    start: int
    end: int
    is_weak: bool = False


class Read(NamedTuple):
    """A text without accents, its values, its names, and its words with their places; no word is part of a value."""

    text: str
    values: list[Value]
    names: list[Value]
    words: list[tuple[str, int]]


def read_text(text: str, known_names: frozenset[str] = frozenset()) -> Read:
    """Return the typed values of a text; `known_names` are words that are names also where a sentence begins."""
    plain = plain_text(text)
    found = lexed(plain)
    is_aligned = len(found.text) == len(plain)
    taken: list[Value] = []
    for match in _QUOTE.finditer(plain):
        said = " ".join(_PART.findall(fold(match[1])))
        _take(taken, Value("quote", (f"quote:{said}",), *match.span()))
    numbers = [_typed(one.keys, one.start, one.end) for one in found.mentions if one.keys] if is_aligned else []
    for one in numbers:
        if one.kind == "date":
            _take(taken, one)
    for match in _IDENTIFIER.finditer(plain):
        name = (match[1] or match[0]).rstrip(".,:;/-'")
        if not _ATTACHED_UNIT.fullmatch(name) and len(name) > 1:
            start = match.start(1) if match[1] else match.start()
            _take(taken, Value("identifier", (f"id:{name.casefold()}",), start, start + len(name)))
    for one in numbers:
        if one.kind != "date":
            _take(taken, one)
    names = [one for one in _names(plain, known_names) if _is_free(taken, one.start, one.end)]
    spans = found.spans if is_aligned else []
    words = [
        (token, begin)
        for token, (begin, end) in zip(found.tokens, spans, strict=False)
        if not token[:1].isdigit() and _is_free(taken, begin, end)
    ]
    return Read(plain, taken, names, words)


def plain_text(text: str) -> str:
    """Return the text without accents and typographic apostrophes, with its case."""
    if text.isascii():
        return text
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("\N{LATIN SMALL LETTER SHARP S}", "ss")
    parts = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def names_within(texts: Iterable[str]) -> frozenset[str]:
    """Return the capitalized words that occur inside sentences, where only names are capitalized."""
    found: set[str] = set()
    for text in texts:
        plain = plain_text(text)
        for match in _NAME.finditer(plain):
            words = match[0].split(" ")
            begins = _SENTENCE_START.search(plain[max(0, match.start() - 8) : match.start()]) is not None
            found.update(fold(word) for word in (words[1:] if begins else words))
    return frozenset(found - _NOT_NAMES)


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name for comparing: `Ada Lund's` -> `ada`, `lund`."""
    return tuple(singular(word) for word in lexed(name).tokens)


def _names(plain: str, known_names: frozenset[str]) -> Iterator[Value]:
    for match in _NAME.finditer(plain):
        words, start = match[0].split(" "), match.start()
        is_first = _SENTENCE_START.search(plain[max(0, start - 8) : start]) is not None
        while words and (_bare(words[0]) in _NOT_NAMES or len(words[0]) < 2):
            start += len(words[0]) + 1
            words.pop(0)
            is_first = False
        if not words or (is_first and len(words) == 1 and _bare(words[0]) not in known_names):
            continue
        name = " ".join(words).removesuffix("'s").rstrip("'-")
        tokens = name_words(name)
        if tokens:
            yield Value("name", (f"name:{' '.join(tokens)}",), start, start + len(name))


def _bare(word: str) -> str:
    return fold(word).removesuffix("'s")


def _typed(keys: tuple[str, ...], start: int, end: int) -> Value:
    first = keys[0]
    if re.match(r"\d{4}-\d\d-\d\d", first):
        return Value("date", tuple(f"date:{key}" for key in keys), start, end)
    if ":" not in first:
        return Value("identifier", tuple(f"id:{key}" for key in keys), start, end)
    is_weak = all(key.startswith(":") and abs(float(key[1:])) < _BARE_UP_TO for key in keys)
    return Value("number", tuple(f"number:{key}" for key in keys), start, end, is_weak)


def _take(taken: list[Value], value: Value) -> None:
    if _is_free(taken, value.start, value.end):
        taken.append(value)


def _is_free(taken: list[Value], start: int, end: int) -> bool:
    return not any(one.start < end and start < one.end for one in taken)
