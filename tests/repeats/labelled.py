"""Pairs of review comments that say the same or do not, and comments that hold a rule or do not: tests/cases/learning.

Split by topic: no topic stands both in `tuning` and in `test`. Cuts are chosen on `tuning`; `test` only measures, and
so does `threads`, which somebody else wrote from public review threads without having seen what it is to measure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from tests.conftest import ROOT

FOLDER = ROOT / "tests" / "cases" / "learning"

SAME_KINDS = frozenset({"paraphrase", "asked", "in_context", "by_example", "terse", "said_again"})
OTHER_KINDS = frozenset({"opposite", "same_topic_other_advice", "other_object", "other_scope", "unrelated"})


class Split(StrEnum):
    """What to choose by, what to measure on, and what is measured on by another hand."""

    tuning = "tuning"
    test = "test"
    threads = "threads"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two comments, and whether a reviewer who wrote one would say of the other: that again.

    `link` is the public review thread the pair was reworded from, where there is one.
    """

    a: str
    b: str
    same: bool
    topic: str
    kind: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment, and whether it holds a rule that can be followed elsewhere."""

    body: str
    holds_rule: bool
    kind: str


@cache
def pairs_of(split: Split) -> tuple[Pair, ...]:
    """All pairs of one half, in the order of the file."""
    return tuple(Pair(**line) for line in _lines(f"pairs_{split}.jsonl"))


@cache
def comments_of(split: Split) -> tuple[Comment, ...]:
    """All single comments of one half, in the order of the file."""
    return tuple(Comment(**line) for line in _lines(f"no_rule_{split}.jsonl"))


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
