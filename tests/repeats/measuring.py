"""What repeat detection does with the labelled pairs and with the planted repeats; a diagnostic, not the criterion.

The criterion is a replayed stream of a real project (`python -m tests.repeats replay`, docs/learning/repeats.md):
there nearly no pair says the same. Here each pair that does stands among `NEGATIVES` that do not.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.rule_matching import CommentText, Comparer, RuleIndex, asked_for, starts_rule, stated
from assay.github_app.rule_matching.decision import likeness
from tests.repeats.labelled import FOLDER, Split, pairs_of
from tests.tables import read_yaml

NEGATIVES = 50
SUGGESTED = 0.05


@cache
def embedder() -> Embedder:
    """The one that ships and needs no network."""
    return EMBEDDERS["bundled"](EmbeddingSettings())


@dataclass(frozen=True, slots=True)
class Planted:
    """What happens to the comments of a file of written repeats, among all of its rules."""

    num: int
    public: int
    wrong: int
    queued: int
    contrary_in_public: int
    near_in_public: int


def average_precision(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Mean precision at the rank of each hit."""
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    hits, total = 0, 0.0
    for rank, at in enumerate(order, start=1):
        if labels[at]:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def ranking(split: Split) -> Mapping[str, float]:
    """Average precision of the shipped comparison, and of the cosine of the comments as they stand."""
    pairs = pairs_of(split)
    draws = random.Random(split)
    texts = [text for pair in pairs for text in (pair.a, pair.b)]
    same = [(pair.a, pair.b) for pair in pairs if pair.same]
    other = [(pair.a, pair.b) for pair in pairs if not pair.same]
    while len(other) < NEGATIVES * len(same):
        a, b = draws.sample(texts, 2)
        if (a, b) not in same and (b, a) not in same:
            other.append((a, b))
    comparer, rules = Comparer(embedder()), {text: asked_for(CommentText(text)) for text in set(texts)}
    known = [text for text in sorted(rules) if rules[text] is not None]
    sides = dict(zip(known, comparer.sides([rule for text in known if (rule := rules[text])]), strict=True))
    rows = dict(zip(texts, embedder().embed(texts), strict=True))
    labels = [True] * len(same) + [False] * len(other)
    shipped = [likeness(sides[a], sides[b]).score if a in sides and b in sides else 0.0 for a, b in same + other]
    cosines = [float(np.dot(rows[a], rows[b])) for a, b in same + other]
    return {"shipped": average_precision(shipped, labels), "cosine": average_precision(cosines, labels)}


def planted(name: str = "planted_repeats.yaml") -> Planted:
    """Compare each comment with all rules of the file.

    `queued` counts public ones, and those that wait for a person with their rule among the three suggested.
    """
    entries = read_yaml(FOLDER / name)
    index = RuleIndex(Comparer(embedder()), [stated(one["rule"]) for one in entries])
    counts = dict.fromkeys(("num", "public", "wrong", "queued", "contrary_in_public", "near_in_public"), 0)
    for place, one in enumerate(entries):
        for text in one["comments"]:
            counts["num"] += 1
            rule = asked_for(CommentText(text))
            nearest = index.nearest(rule, k=3) if rule is not None else []
            if rule is None or not nearest:
                continue
            is_own, first = nearest[0][0] == place, nearest[0][1]
            suggested = any(at == place and found.score >= SUGGESTED for at, found in nearest)
            counts["public"] += is_own and first.same
            counts["wrong"] += first.same and not is_own
            counts["queued"] += suggested and (starts_rule(rule) or first.likely)
        for kind in ("contrary", "near"):
            rule = asked_for(CommentText(one[kind]))
            nearest = index.nearest(rule, k=1) if rule is not None else []
            counts[f"{kind}_in_public"] += bool(nearest and nearest[0][1].same)
    return Planted(**counts)
