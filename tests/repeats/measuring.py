"""What repeat detection does with the labelled comments and the planted repeats; a diagnostic, not the criterion.

The criterion is a replayed stream of a real project (`python -m tests.repeats replay`, docs/learning/repeats.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.learning.match.comparing import MOST_SUGGESTED, SUGGESTED
from assay.github_app.rule_matching import CommentText, Nearest, asked_for, is_nearly_equal
from tests.repeats.labelled import FOLDER, Split, comments_of
from tests.tables import read_yaml


@cache
def embedder() -> Embedder:
    """The one that ships and needs no network."""
    return EMBEDDERS["bundled"](EmbeddingSettings())


@dataclass(frozen=True, slots=True)
class Planted:
    """What happens to the comments of a file of written repeats, among all of its rules.

    `offered` counts those with their rule among the three suggested, `public` those answered in public.
    """

    num: int
    read: int
    offered: int
    first: int
    public: int
    wrong: int
    contrary_in_public: int
    near_in_public: int


def planted(name: str = "planted_repeats.yaml") -> Planted:
    """Compare each comment with all rules of the file."""
    entries = read_yaml(FOLDER / name)
    rules, nearest = [one["rule"] for one in entries], Nearest(embedder())
    counts = dict.fromkeys(Planted.__slots__, 0)
    for place, one in enumerate(entries):
        for text in one["comments"]:
            counts["num"] += 1
            order, public = _compared(text, rules, nearest)
            counts["read"] += bool(order)
            counts["offered"] += place in order[:MOST_SUGGESTED]
            counts["first"] += order[:1] == [place]
            counts["public"] += place in public
            counts["wrong"] += bool(public) and place not in public
        for kind in ("contrary", "near"):
            counts[f"{kind}_in_public"] += bool(_compared(one[kind], rules, nearest)[1])
    return Planted(**counts)


def read_as_rules(split: Split) -> tuple[int, int, int, int]:
    """Return how many comments with a rule are read as one, of how many, and the same of those without."""
    held = [asked_for(CommentText(one.body)) is not None for one in comments_of(split) if one.holds_rule]
    other = [asked_for(CommentText(one.body)) is not None for one in comments_of(split) if not one.holds_rule]
    return sum(held), len(held), sum(other), len(other)


def _compared(text: str, rules: list[str], nearest: Nearest) -> tuple[list[int], list[int]]:
    """Return the rules that a comment may repeat, best first, and those that it is nearly equal to."""
    rule = asked_for(CommentText(text))
    if rule is None:
        return [], []
    scores = nearest.scores(rule.said, rules)
    order = sorted((place for place in range(len(rules)) if scores[place] >= SUGGESTED), key=lambda at: -scores[at])
    return order, [place for place in order[:10] if is_nearly_equal(rule.said, rules[place], scores[place])]
