"""Fit the weights of `rule_matching/calibration.json` to the labelled pairs to tune on, and print their worth.

    python -m tests.github_app.advice.fitting                 figures, beside those of plainer ways to compare
    python -m tests.github_app.advice.fitting --write 0.76    and write weights and cut into the package
    python -m tests.github_app.advice.fitting --test          the shipped decision on the pairs to measure on

Topics are left out in turn, so that a figure is never of pairs whose topic was fitted to. The lexicon was written with
the pairs to tune on in view; only the pairs to measure on tell what it knows of topics nobody thought of.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app import rule_matching
from assay.github_app.rule_matching import CommentText, canonical_rule, compare_all, cut
from assay.github_app.rule_matching.canonical import gate
from assay.github_app.rule_matching.features import FEATURES, OPINIONS, Side, features, opinions, sides_of
from assay.github_app.rule_matching.network import alike
from tests.github_app.advice.conftest import labelled
from tests.repeats.labelled import Split, strangers_of

Numbers = NDArray[np.float64]
POSITIVE = {
    "axis_shared",
    "axis_best",
    "axis_share",
    "meaning",
    "rule_meaning",
    "letters",
    "words",
    "words_best",
    "contained",
    *OPINIONS,
}
NAMES = (*FEATURES, *OPINIONS)
NUM_STRANGERS = 350
"""Comments of two topics, fitted to beside the pairs: what a repository mostly compares."""

RIDGE = 10.0
FOLDS = 8
PRECISIONS = (0.80, 0.85, 0.90, 0.95)
EMBEDDER = EMBEDDERS["bundled"](EmbeddingSettings())


def fitted(table: Numbers, same: Numbers) -> tuple[Numbers, float]:
    """Logistic regression by gradient descent; no weight may have the sign that makes no sense."""
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    scaled = (table - mean) / spread
    positive = np.array([name in POSITIVE for name in NAMES])
    weights, intercept = np.zeros(table.shape[1]), 0.0
    for _ in range(3000):
        error = 1 / (1 + np.exp(-(scaled @ weights + intercept))) - same
        weights -= 0.3 * (scaled.T @ error + RIDGE * weights) / len(same)
        intercept -= 0.3 * float(error.mean())
        weights = np.where(positive, np.maximum(weights, 0), np.minimum(weights, 0))
    weights = weights / spread
    return weights, intercept - float(weights @ mean)


def left_out(table: Numbers, same: Numbers, topics: Sequence[str]) -> Numbers:
    """The score of each pair by weights that saw no pair of its topic."""
    names = sorted(set(topics))
    np.random.RandomState(0).shuffle(names)
    scores = np.zeros(len(same))
    for fold in range(FOLDS):
        held = np.isin(topics, names[fold::FOLDS])
        weights, intercept = fitted(table[~held], same[~held])
        scores[held] = 1 / (1 + np.exp(-(table[held] @ weights + intercept)))
    return scores


def recalls(scores: Numbers, same: Numbers, num_same: int) -> list[float]:
    """The most recall at each precision of `PRECISIONS`, over all cuts."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(same[order])
    precision = hits / np.arange(1, len(same) + 1)
    return [
        max((hits[at] / num_same for at in np.flatnonzero(precision >= least)), default=0.0) for least in PRECISIONS
    ]


def compared(rows: Sequence[dict[str, Any]]) -> tuple[Numbers, list[int]]:
    """The features of the pairs that hold a rule on both sides, and which those are."""
    rules = [(canonical_rule(CommentText(row["a"])), canonical_rule(CommentText(row["b"]))) for row in rows]
    kept = [place for place, (a, b) in enumerate(rules) if a is not None and b is not None]
    sides = sides_of([rule for place in kept for rule in rules[place] if rule is not None], EMBEDDER)
    return np.array([_numbers(a, b) for a, b in zip(sides[::2], sides[1::2], strict=True)], dtype=float), kept


def _numbers(a: Side, b: Side) -> tuple[float, ...]:
    numbers = features(a, b, EMBEDDER)
    return *numbers, *opinions(alike(a.rule.said, b.rule.said), dict(zip(FEATURES, numbers, strict=True)))


def strangers() -> list[dict[str, Any]]:
    """Pairs that have nothing to do with each other."""
    pairs = strangers_of(Split.tuning)
    chosen = pairs[:: len(pairs) // NUM_STRANGERS]
    return [{"a": a, "b": b, "same": False, "topic": f"strangers {place}"} for place, (a, b) in enumerate(chosen)]


def raw(rows: Sequence[dict[str, Any]]) -> Numbers:
    """The cosine of the comments as they are: what the first idea of this was."""
    a, b = (EMBEDDER.embed([row[side] for row in rows]) for side in ("a", "b"))
    return np.asarray((a * b).sum(axis=1), dtype=float)


def line(name: str, figures: Sequence[float]) -> str:
    return f"{name:34}" + "".join(f"{figure:8.2f}" for figure in figures)


def report(rows: Sequence[dict[str, Any]]) -> tuple[Numbers, Numbers]:
    """Print the figures on one file of pairs; gives what weights are fitted to: features and labels."""
    same = np.array([row["same"] for row in rows], dtype=float)
    num = int(same.sum())
    table, kept = compared(rows)
    print(f"{len(rows)} pairs, {num} the same; recall at precision", *PRECISIONS)
    full: Callable[[Numbers], Numbers] = lambda scores: _spread(scores, kept, len(rows))  # noqa: E731
    print(line("cosine of the comments", recalls(raw(rows), same, num)))
    print(line("words and letters", recalls(full(table[:, FEATURES.index("letters")]), same, num)))
    print(line("cosine of the canonical rules", recalls(full(table[:, FEATURES.index("rule_meaning")]), same, num)))
    found = compare_all([(CommentText(row["a"]), CommentText(row["b"])) for row in rows], EMBEDDER)
    print(line("this, weights as shipped", recalls(np.array([one.score for one in found]), same, num)))
    told = np.array([one.same for one in found])
    close = raw(rows) >= 0.85
    for name, says in (("cosine of the comments from 0.85", close), (f"as shipped, from {cut():g}", told)):
        hits = float(same[says].sum())
        print(f"{name}: precision {hits / max(1, int(says.sum())):.3f}, recall {hits / num:.3f}")
    more, others = compared(unlike := strangers())
    topics = [rows[place]["topic"] for place in kept] + [unlike[place]["topic"] for place in others]
    both, truth = np.vstack([table, more]), np.concatenate([same[kept], np.zeros(len(others))])
    scores = left_out(both, truth, topics)[: len(kept)]
    print(line("weights without its topic", recalls(full(scores), same, num)))
    return both, truth


def _spread(scores: Numbers, kept: Sequence[int], num: int) -> Numbers:
    found = np.full(num, -10.0)
    found[list(kept)] = scores
    return found


def main(arguments: Sequence[str]) -> None:
    rows = labelled("pairs_test.jsonl" if "--test" in arguments else "pairs_tuning.jsonl")
    table, same = report(rows)
    if "--write" in arguments:
        weights, intercept = fitted(table, same)
        named = {name: round(float(weight), 4) + 0.0 for name, weight in zip(NAMES, weights, strict=True)}
        content = {"cut": float(arguments[-1]), "gate": gate(), "intercept": round(intercept, 4), "weights": named}
        target = Path(str(rule_matching.__file__)).with_name("calibration.json")
        target.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
