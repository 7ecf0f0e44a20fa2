"""Lexicon of review advice: axes, each with patterns for the advice and for its opposite.

An axis has two ends, its `rule` and the `opposite`. A pattern is words in a row: `a|b` either, `a+b|c` the two words or
the one, `*` up to three words between (`**` eight), `word~` anything that begins so, `` `word` `` inside a code span,
`$` the end of a clause.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from assay.github_app.rule_matching.words import CODE, is_filler, stem, without_code

Side = Literal["pro", "con", "anti"]
_GAPS = {"*": r"(?:[^ |]+ ){0,3}", "**": r"(?:[^ |]+ ){0,8}"}


@dataclass(frozen=True, slots=True)
class Axis:
    """Subject on which reviewers take a side; `opposite` is empty if the contrary is never asked for.

    A `broad` axis covers several pieces of advice: two texts on it match only if they share content words.
    """

    name: str
    topic: str
    rule: str
    opposite: str
    is_broad: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern of an axis; `num_words` is the number of words it needs, which sets its certainty."""

    axis: str
    side: Side
    source: str
    num_words: int


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """Match of a pattern: words `start` to `end` (exclusive)."""

    pattern: Pattern
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All axes by name, with their patterns indexed by a word (or prefix) they require."""

    axes: Mapping[str, Axis]
    by_word: Mapping[str, tuple[Pattern, ...]]
    by_beginning: Mapping[str, tuple[Pattern, ...]]

    def find(self, words: tuple[str, ...]) -> Iterator[PatternMatch]:
        """Yield the first match of each pattern in a text's words (without filler words)."""
        there = set(map(without_code, words))
        candidates = {pattern for word in there for pattern in self.by_word.get(word, ())}
        for beginning in {word[:length] for word in there for length in range(1, len(word) + 1)}:
            candidates.update(self.by_beginning.get(beginning, ()))
        text = " " + " ".join(words) + " "
        starts = {place: number for number, place in enumerate(_word_starts(text))}
        for pattern in sorted(candidates, key=lambda one: (one.axis, one.side, one.source)):
            match = _compiled(pattern.source).search(text)
            if match:
                start = starts[match.start()]
                yield PatternMatch(pattern, start, start + match[0].strip().count(" ") + 1)


@cache
def lexicon() -> Lexicon:
    """Load the lexicon that ships with Assay."""
    axes: dict[str, Axis] = {}
    by_word: dict[str, list[Pattern]] = defaultdict(list)
    by_beginning: dict[str, list[Pattern]] = defaultdict(list)
    for axis, entry in _entries():
        axes[axis.name] = axis
        for side in ("pro", "con", "anti"):
            for text in entry.get(side, "").split(";"):
                pattern, keys = _read(axis.name, side, text.split())
                if pattern is None:
                    continue
                for key in keys:
                    (by_beginning if key.endswith("~") else by_word)[key.rstrip("~")].append(pattern)
    return Lexicon(axes, _frozen(by_word), _frozen(by_beginning))


def _entries() -> Iterator[tuple[Axis, Mapping[str, Any]]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for file in sorted(files("assay.github_app.rule_matching").joinpath("lexicon").iterdir(), key=lambda one: one.name):
        if file.name.endswith(".yaml"):
            for topic, axes in yaml.load(file.read_text("utf-8"), loader).items():  # noqa: S506 - a safe loader
                for name, entry in axes.items():
                    yield Axis(name, topic, entry["rule"], entry.get("opposite", ""), entry.get("broad", False)), entry


def _frozen(table: Mapping[str, list[Pattern]]) -> dict[str, tuple[Pattern, ...]]:
    return {key: tuple(dict.fromkeys(found)) for key, found in table.items()}


def _read(axis: str, side: Side, slots: list[str]) -> tuple[Pattern | None, tuple[str, ...]]:
    """Return the pattern and the alternatives of one required slot; None if too few words remain."""
    sources: list[str] = []
    keys: list[tuple[str, ...]] = []
    for slot in slots:
        if slot in _GAPS:
            sources.append(_GAPS[slot])
        elif slot == "$":
            sources.append(r"(?=\|)")
        else:
            alternatives = [rest for one in _alternatives(slot) if (rest := _without_filling(one))]
            if alternatives:
                sources.append(f"(?:{'|'.join(map(_alternative_pattern, alternatives))})")
                keys.append(tuple(without_code(one.split()[0]) for one in alternatives))
    while sources and sources[0] in _GAPS.values():
        del sources[0]
    while sources and sources[-1] in _GAPS.values():
        del sources[-1]
    asked = [slot for slot in slots if slot not in _GAPS and slot != "$"]
    if not keys or (len(keys) == 1 and len(asked) > 1):
        # A pattern reduced to one word by dropping filler words is too unspecific: "null here" is not "null".
        return None, ()
    return Pattern(axis, side, "".join(sources), len(keys)), min(keys, key=len)


def _alternatives(slot: str) -> list[str]:
    """Return the stemmed alternatives of a slot, each one word or several in sequence."""
    is_code = slot.startswith(CODE)
    found = []
    for one in slot.strip(CODE).lower().split("|"):
        if one.endswith("~"):
            # A stem in the text may be shorter than the prefix in the pattern.
            beginning = one[:-1]
            stems = {stem(beginning + ending) for ending in ("", "e", "ed", "ing", "ion", "es")}
            found += [one, *sorted(short for short in stems if not short.startswith(beginning))]
        elif one:
            found.append(" ".join(stem(word) + (CODE if is_code else "") for word in one.split("+") if word))
    return found


def _without_filling(words: str) -> str:
    return " ".join(word for word in words.split() if not is_filler(without_code(word)))


def _alternative_pattern(words: str) -> str:
    return "".join(f"{_one_word(word)} " for word in words.split())


def _one_word(word: str) -> str:
    if word.endswith("~"):
        return re.escape(word[:-1]) + r"[^ |]*"
    plain = re.escape(without_code(word))
    return plain + (CODE if word.endswith(CODE) else CODE + "?")


def _word_starts(text: str) -> Iterator[int]:
    return (match.start() + 1 for match in re.finditer(r" (?=[^ ])", text))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(r"(?<= )" + source)
