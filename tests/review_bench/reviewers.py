"""Scripted reviewers on the fake server: an oracle that has the labels, a silent one, and a liar."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.validators.changes.change import text_at
from assay.validators.report.review import Side
from assay.validators.review.quotes import spans
from assay.validators.vcs.repository import Repository
from tests.fakes.model import Asked, Says, Step
from tests.review_bench.bench.manifest import Entry, Span
from tests.review_bench.bench.preparing import Prepared, prepare
from tests.review_bench.bench.results import MeasuredChange

MOST_QUOTED = 30
_WORDS = {
    "test": "write one test that demonstrates",
    "refute": "try to refute",
    "risk": "can this change break",
    "correctness": "compute a wrong result",
}
_NOTHING: Mapping[str, Any] = {"findings": []}


def question_of(asked: Asked) -> str:
    """Which question a request is about; "" for the others."""
    first = json.dumps(asked.body["messages"][0])
    return next((name for name, words in _WORDS.items() if words in first), "")


def claim(place: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    """A claim about a place, complete and without doubt."""
    return {
        "aspect": "behaviour",
        "place": place,
        "statement": "the value is wrong",
        "input": "any",
        "expected": "the right value",
        "actual": "another one",
        "consequence": "wrong_result",
        "evidence": [],
        "fix": None,
    } | other


class Reviewer:
    """Reviewer of the changes of a run, in their order; `ended` is called after each."""

    test = ""
    """Text of the test that it writes about a claim."""
    expectation: Mapping[str, str] | None = None
    """Quote that it gives as the expectation of its test."""

    def __init__(self, entries: Sequence[Entry], folder: Path) -> None:
        self.entries = [one for one in entries if (folder / one.repository).exists()]
        self.folder = folder
        self.number = 0
        self._answered = -1
        self._lock = threading.Lock()
        self._claims: list[dict[str, Any]] = []
        self._repositories: dict[str, Repository] = {}

    def close(self) -> None:
        for repository in self._repositories.values():
            repository.close()

    def ended(self, _: MeasuredChange) -> None:
        self.number += 1

    def __call__(self, asked: Asked) -> Step:
        question = question_of(asked)
        if question == "risk":
            return Says({"factors": [], "unknowns": []})
        if question == "test":
            return Says({"text": self.test, "expectation": self.expectation})
        if question == "refute":
            return Says({"verdict": "stands", "reason": "it is so", "evidence": [one["place"] for one in self._claims]})
        if question != "correctness":
            return Says(_NOTHING)
        with self._lock:  # parts of a change are asked about at the same time
            if self._answered == self.number:
                return Says(_NOTHING)
            self._answered = self.number
            self._claims = self.claims(self.prepared())
            return Says({"findings": self._claims})

    def prepared(self) -> Prepared:
        """The change that is reviewed now."""
        entry = self.entries[self.number]
        if entry.repository not in self._repositories:
            self._repositories[entry.repository] = Repository(self.folder / entry.repository)
        return prepare(self._repositories[entry.repository], entry)

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        """The claims about a change."""
        raise NotImplementedError


class Silent(Reviewer):
    """A reviewer that finds nothing."""

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        return []


class Oracle(Reviewer):
    """A reviewer that reports the labels of changes with a fault, and nothing else."""

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        return self.quoted(prepared) if self.entries[self.number].kind.has_bug else []

    @staticmethod
    def quoted(prepared: Prepared) -> list[dict[str, Any]]:
        """A claim about each label."""
        changed = {path for file in prepared.change.files for path in (file.path, file.base_path)}
        labels = [label for label in prepared.labels if label.path in changed]
        return [claim(place) for label in labels for place in _quotes(label, prepared)][:12]


class Liar(Reviewer):
    """A reviewer that claims what is not there: missing files, altered quotes, lines outside the diff."""

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        change = prepared.change
        file = next(one for one in change.files if one.exists and one.hunks)
        lines = text_at(change.head, file.path).split("\n")
        changed = next((line for line in file.added.values() if len(line.strip()) > 12), "return a_value_of_nothing")
        outside = next(
            (
                line
                for number, line in enumerate(lines, 1)
                if number not in file.added and len(line.strip()) > 12 and _times(line, lines) == 1
            ),
            "return another_value_of_nothing",
        )
        here = {"side": "head", "path": file.path}
        return [
            claim({"side": "head", "path": "not/there.py", "quote": changed}),
            claim(here | {"quote": changed[:-1] + "\u00a4"}),
            claim(here | {"quote": outside}),
            claim(here | {"quote": changed}, evidence=[here | {"quote": "return a_value_of_nothing"}]),
            claim(here | {"quote": changed}, statement="the value might be wrong"),
        ]


def _times(line: str, lines: Sequence[str]) -> int:
    return sum(line.strip() in other for other in lines)


def _quotes(label: Span, prepared: Prepared) -> list[dict[str, Any]]:
    """The lines of a label as one quote; then each alone, where another analyzer reports a line of the whole.

    A quote that is in the file twice would be another place: the whole goes on until it is there once.
    """
    side, tree = label.side, prepared.change.head if label.side is Side.head else prepared.change.base
    every = text_at(tree, label.path).split("\n")
    end = min(label.end, label.start + MOST_QUOTED)
    while end < len(every) and len(list(spans(every, "\n".join(every[label.start - 1 : end])))) != 1:
        end += 1
    lines = every[label.start - 1 : label.end][:MOST_QUOTED]
    single = (line for line in lines if len(line.strip()) > 12 and _times(line, every) == 1)
    quotes = dict.fromkeys(["\n".join(every[label.start - 1 : end]), *single])
    return [{"side": str(side), "path": label.path, "quote": quote} for quote in quotes]
