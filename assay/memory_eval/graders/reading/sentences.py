"""Masked text of an answer split into sentences, clauses, and parts between commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.memory_eval.graders.reading.stance.cues import MARK

_INNER_DOT = re.compile(r"\.(?=[^\s\"')\]])")
_ABBREVIATED = re.compile(r"\b(e\.?g|i\.?e|vs|approx|dr|mr|mrs|ms|prof|st|etc|inc|ltd|corp|resp|cf|ca)\.(?=\s)")
_SENTENCE = re.compile(r"([^.!?;\n]*)([.!?;\n]+|$)")
_NO_BEFORE_ALL = re.compile(r"^\W*(?:no|nope|nah|yes|yep|well|ok|okay|sure|actually|sorry)\s*[:,\u2013—-]+(?=\s)")
_CLAUSE = re.compile(
    r"\bbut\b|\bhowever\b|\balthough\b|\bthough\b|(?<!not )(?<!as )\byet\b|\bwhereas\b|\bwhile\b|\bnevertheless\b"
    r"|\binstead\b(?! of)|[()\[\]{}]|\s[-\u2013]+\s|—|\bexcept that\b"
)  # fmt: skip
_HAS_MARK = re.compile(MARK)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line. `asks`: ends in a question mark; `heads`: ends in a colon, so it introduces the next."""

    text: str
    asks: bool
    heads: bool
    item: bool

    @property
    def has_value(self) -> bool:
        """Whether it contains a value."""
        return _HAS_MARK.search(self.text) is not None


def sentences(masked: str) -> list[Sentence]:
    """Return the sentences in order, without empty ones."""
    text = _INNER_DOT.sub(" ", _ABBREVIATED.sub(r"\1", masked))
    found = []
    for match in _SENTENCE.finditer(text):
        said = match[1]
        if said.strip(" •\"'"):
            item = said.lstrip().startswith("•")
            said = _NO_BEFORE_ALL.sub("", said.replace("•", " "))
            found.append(Sentence(said.strip(), "?" in match[2], said.rstrip().endswith(":"), item))
    return found


def clauses(sentence: str) -> list[str]:
    """Split a sentence at "but", brackets and dashes."""
    return [clause for clause in _CLAUSE.split(sentence) if clause.strip(" \"'.,:")]


def has_mark(text: str) -> bool:
    """Return whether a masked value is in the text."""
    return _HAS_MARK.search(text) is not None
