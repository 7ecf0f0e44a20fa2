"""An answer's masked text cut where meaning is cut: into sentences, their clauses, and what stands between commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.memory_eval.graders.reading.cues import MARK

_INNER_DOT = re.compile(r"\.(?=[^\s\"')\]])")
_ABBREVIATED = re.compile(r"\b(e\.?g|i\.?e|vs|approx|dr|mr|mrs|ms|prof|st|etc|inc|ltd|corp|resp|cf|ca)\.(?=\s)")
_SENTENCE = re.compile(r"([^.!?;\n]*)([.!?;\n]+|$)")
_NO_BEFORE_ALL = re.compile(r"^\W*(?:no|nope|nah|yes|yep|well|ok|okay|sure|actually)\s*[:,\u2013—-]+(?=\s)")
_CLAUSE = re.compile(
    r"\bbut\b|\bhowever\b|\balthough\b|\bthough\b|(?<!not )(?<!as )\byet\b|\bwhereas\b|\bwhile\b|\bnevertheless\b"
    r"|\binstead\b(?! of)|[()\[\]{}]|\s[-\u2013]+\s|—|\bexcept that\b"
)  # fmt: skip
_HAS_MARK = re.compile(MARK)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line. `asks`: it ends in a question mark; `heads`: it ends in a colon, so speaks of the next."""

    text: str
    asks: bool
    heads: bool
    item: bool

    @property
    def has_value(self) -> bool:
        """Whether a value is said in it."""
        return _HAS_MARK.search(self.text) is not None


def sentences(masked: str) -> list[Sentence]:
    """The sentences in order, those without a word left out."""
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
    """What "but", a bracket or a dash keeps apart."""
    return [clause for clause in _CLAUSE.split(sentence) if clause.strip(" \"'.,:")]


def has_mark(text: str) -> bool:
    """Whether a masked value stands in it."""
    return _HAS_MARK.search(text) is not None
