"""The contract of a benchmark, and what its readers share: large JSON files by element, and scores by words.

A benchmark file can be larger than the memory of a machine (LongMemEval's longest has 2.7 GB), its elements are not.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import ijson
import snowballstemmer
from pydantic import BaseModel, ConfigDict

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import Row
from assay.memory_eval.truth import Answer, AnswerType, Question, Turn

# ------------------ token scores

MOST_CHARACTERS = 50_000
"""Longest compared answer; reports keep no more."""

_STEMMER = snowballstemmer.stemmer("porter")
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, articles, "and" and repeated blanks."""
    plain = text[:MOST_CHARACTERS].lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def token_f1(answer: str, gold: str) -> float:
    """Return the F1 of the stemmed words of both texts, 0.0 to 1.0; 0.0 if they share none."""
    ours, theirs = (_STEMMER.stemWords(normalized(text).split()) for text in (answer, gold))
    num_shared = (Counter(ours) & Counter(theirs)).total()
    if not num_shared:
        return 0.0
    precision, recall = num_shared / len(ours), num_shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


def token_f1_of_parts(answer: str, gold: str) -> float:
    """Return the mean over the gold's parts, separated by commas, of the best F1 of any part of the answer."""
    parts = list(dict.fromkeys(part.strip() for part in answer[:MOST_CHARACTERS].split(",")))
    golds = [part.strip() for part in gold.split(",")]
    return sum(max(token_f1(part, one) for part in parts) for one in golds) / len(golds)


def contains_share(answer: str, golds: Sequence[str]) -> float:
    """Return the share of golds that the answer contains, as whole words after normalization."""
    text = f" {normalized(answer)} "
    found = [_contains(answer, text, gold) for gold in golds]
    return sum(found) / len(found) if found else 0.0


def _contains(answer: str, text: str, gold: str) -> bool:
    words = normalized(gold)
    # A gold such as "A" or "+" has no words left, and is compared as it is written.
    return f" {words} " in text if words else gold in answer[:MOST_CHARACTERS]


# ------------------ elements

MOST_ELEMENTS = 20_000
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"


class Part(BaseModel):
    """A part of a benchmark's file. Other keys are ignored: copies add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def elements_of(path: Path) -> Iterator[Row]:
    """Yield the elements of the list in a JSON file, with their numbers from 1 as lines.

    A file with one object is a list of one. Raises `WorldUnreadable`, with file:number for a wrong element.
    """
    try:
        with path.open("rb") as file:
            prefix = _prefix(path, file)
            for number, data in enumerate(ijson.items(file, prefix, use_float=True), start=1):
                row = Row(str(path), number, data)
                if number > MOST_ELEMENTS:
                    row.wrong(f"more than {MOST_ELEMENTS:,} elements")
                if not isinstance(data, dict):
                    row.wrong("expected an object")
                yield row
    except (ijson.JSONError, ValueError, OverflowError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise WorldUnreadable(f"{path}: not JSON: {why}", code="world.invalid-row") from None
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})", code="file.not-read") from None


def _prefix(path: Path, file: BinaryIO) -> str:
    """Return ijson's prefix of the elements; the file is left at its first sign."""
    if file.read(len(_BOM)) != _BOM:
        file.seek(0)
    while (sign := file.read(1)) and sign in _BLANKS:
        pass
    if sign not in (b"{", b"["):
        Row(str(path), 1, None).wrong("expected a list or an object" if sign else "the file is empty")
    file.seek(-1, 1)
    return "item" if sign == b"[" else ""


# ------------------ benchmark

OWN = "benchmark"
"""Key of a question's rubric with what the benchmark's own scoring needs. Assay's graders do not read it."""

NOT_KNOWN = "No information available."
"""Expected answer where the dialogue has none, in the words that LoCoMo's own scoring accepts."""


@dataclass(frozen=True, slots=True)
class BenchmarkWorld:
    """One dialogue of a benchmark, with the questions about it. `where` is its file and line."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]
    where: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark.

    `read` yields its worlds, one at a time; it raises `WorldUnreadable`. `own_score` returns the score of an answer by
    the rule that `metric` names, or None if that rule does not apply.
    """

    name: str
    read: Callable[[Path], Iterator[BenchmarkWorld]]
    metric: str
    own_score: Callable[[Question, str], float | None]


def abstention() -> Answer:
    """Return the answer to a question that the dialogue does not answer."""
    return Answer(AnswerType.abstain, None)


def claims(*wordings_of_each: Sequence[str]) -> Answer:
    """Return a text answer, each claim in its accepted wordings. Without claims only a judge can grade it."""
    return Answer(AnswerType.text, [list(wordings) for wordings in wordings_of_each])


def day_of(gold: str) -> Answer | None:
    """Return a gold like "7 May 2023" as a date, which counts in any notation; None if it is not a whole day."""
    for notation in ("%d %B %Y", "%d %B, %Y", "%B %d, %Y"):
        try:
            day = datetime.strptime(gold.strip(), notation).date()  # noqa: DTZ007 - a day, of no time zone
        except ValueError:
            continue
        return Answer(AnswerType.date, day.isoformat())
    return None
