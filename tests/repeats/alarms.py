"""What is made of comments that hold no rule, and of those that do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.github_app.rule_matching import CommentText, canonical_rule, compare
from tests.repeats.figures import Share
from tests.repeats.labelled import Comment
from tests.repeats.peers import SEEDS_CUT, embedder

Saying = Callable[[str, str], bool]


def says_shipped(a: str, b: str) -> bool:
    """Whether the shipped comparing takes two comments for the same rule."""
    return compare(CommentText(a), CommentText(b), embedder()).same


def says_raw(a: str, b: str) -> bool:
    """Whether the cosine of the two as they stand is 0.85 or more."""
    return float(_row(a) @ _row(b)) >= SEEDS_CUT


def rule_read(comments: Sequence[Comment]) -> Share:
    """In how many of these comments a rule is seen."""
    return Share(sum(canonical_rule(CommentText(one.body)) is not None for one in comments), len(comments))


def alarms(comments: Sequence[Comment], says: Saying) -> Share:
    """How many of the comments without a rule are taken for a repeat of any other comment here, whatever it holds.

    Hard on purpose: "LGTM" and "lgtm, thanks" are as near as comments get, and neither repeats a rule.
    """
    empty = [one for one in comments if not one.holds_rule]
    alarmed = [one for one in empty if any(says(one.body, other.body) for other in comments if other is not one)]
    return Share(len(alarmed), len(empty))


@cache
def _row(body: str) -> NDArray[np.float32]:
    row: NDArray[np.float32] = embedder().embed([body])[0]
    return row
