"""Fit the gate and the weights of the comparison to labelled comments of public projects.

    python -m tests.repeats.fitting FOLDER [--write]

FOLDER holds the streams (`tests.repeats.streams`), tests/cases/learning/streams the labels: `advice.csv` says of a
comment whether it states a lasting rule (r), asks for something in this place only (o) or asks for nothing (n),
`rules.csv` whether a comment asks for what a rule says (y), does not (n) or asks for the contrary (c). Prints
figures by ten-fold cross-validation; `--write` writes gate.json and calibration.json.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.rule_matching import gate as gating
from assay.github_app.rule_matching.canonical import asked_for, rule_of, stated
from assay.github_app.rule_matching.comment_text import CommentText, prose
from assay.github_app.rule_matching.features import FEATURES, features, sides_of
from assay.github_app.rule_matching.gate import word_groups, words_of
from assay.github_app.rule_matching.intents import content_words
from assay.github_app.rule_matching.polarity import read
from assay.github_app.rule_matching.weights import Rarity, calibration
from assay.github_app.rule_matching.wording import imperative
from tests.conftest import ROOT
from tests.repeats.labelled import Split, comments_of
from tests.repeats.streams import FITTED, name_of, read_stream
from tests.tables import read_yaml

LABELS = ROOT / "tests" / "cases" / "learning" / "streams"
LEAST_COMMENTS = 8
"""Fewest labelled comments with a group of words for it to have a weight."""

WRITTEN_COUNT = 0.2
"""How much a written comment counts in the gate, beside one of a real stream."""

FOLDS = 10
HOST = "astral-sh/uv"
"""Project whose word frequencies written repeats are weighed with."""

Array = NDArray[np.float64]


def logistic(x: Array, y: Array, penalty: float, weigh: Array | None = None) -> Array:
    """Weights (the intercept last, without penalty) of a logistic regression, by Newton's method.

    `weigh` is how much each row counts, by default 1.
    """
    counts = np.ones(len(y)) if weigh is None else weigh
    ones = np.hstack([x, np.ones((len(x), 1))])
    ridge = np.full(ones.shape[1], penalty)
    ridge[-1] = 1e-6
    weights = np.zeros(ones.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(ones @ weights, -30, 30)))
        slope = ones.T @ (counts * (p - y)) + ridge * weights
        bend = (ones * (counts * p * (1 - p))[:, None]).T @ ones + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-7:
            break
    return weights


def held_out(x: Array, y: Array, penalty: float, groups: Sequence[str], weigh: Array | None = None) -> Array:
    """The log odds of each row by weights fitted without its fold; one group is never in two folds."""
    folds = {name: place % FOLDS for place, name in enumerate(sorted(set(groups)))}
    fold = np.array([folds[name] for name in groups])
    found = np.zeros(len(y))
    for one in range(FOLDS):
        counts = None if weigh is None else weigh[fold != one]
        weights = logistic(x[fold != one], y[fold != one], penalty, counts)
        found[fold == one] = np.hstack([x[fold == one], np.ones((int((fold == one).sum()), 1))]) @ weights
    return found


def figures(score: Array, y: Array) -> str:
    """Average precision, area under the curve, and recall at three precisions."""
    order = np.argsort(-score, kind="stable")
    hits = y[order].cumsum()
    precision, recall = hits / np.arange(1, len(y) + 1), hits / y.sum()
    ap = float((precision * y[order]).sum() / y.sum())
    ranks = np.empty(len(y))
    ranks[np.argsort(score, kind="stable")] = np.arange(len(y))
    num = y.sum()
    auc = (ranks[y == 1].sum() - num * (num - 1) / 2) / (num * (len(y) - num))
    at = [
        max((r for r, p in zip(recall[10:], precision[10:], strict=True) if p >= q), default=0) for q in (0.9, 0.8, 0.7)
    ]
    return f"AP {ap:.3f}  AUC {auc:.3f}  recall at .9/.8/.7: {at[0]:.2f} {at[1]:.2f} {at[2]:.2f}"


def bodies(folder: Path) -> Mapping[tuple[str, str], dict[str, Any]]:
    """The comments of the fitted projects by project and name."""
    return {(project, name_of(one["body"])): one for project in FITTED for one in read_stream(folder, project)}


def rarity_of(project: str, said: Mapping[tuple[str, str], dict[str, Any]]) -> Rarity:
    """The weights of words in a project's advice."""
    found = Rarity()
    for (of, _), one in said.items():
        rule = asked_for(CommentText(one["body"])) if of == project else None
        if rule is not None:
            found.add(dict(content_words(read(rule.said))))
    return found


def rows(name: str) -> list[dict[str, str]]:
    with (LABELS / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def fit_gate(said: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, float]:
    labelled = [row for row in rows("advice.csv") if (row["project"], row["comment"]) in said]
    texts = [prose(said[row["project"], row["comment"]]["body"]) for row in labelled]
    y = np.array([float(row["label"] == "r") for row in labelled])
    others = [(text, 1.0) for one in written("written_repeats.yaml") for text in one["comments"]]
    others += [(one.body, float(one.holds_rule)) for one in comments_of(Split.tuning)]
    texts += [prose(text) for text, _ in others]
    y = np.concatenate([y, np.array([label for _, label in others])])
    groups = [set(word_groups(words_of(text))) for text in texts]
    counts = Counter(group for found in groups for group in found)
    names = sorted(group for group, num in counts.items() if num >= LEAST_COMMENTS)
    place = {name: at for at, name in enumerate(names)}
    x = np.zeros((len(texts), len(names)))
    for at, (text, found) in enumerate(zip(texts, groups, strict=True)):
        for group in found & place.keys():
            x[at, place[group]] = 1 / np.sqrt(1 + len(words_of(text)))
    weigh, real = np.where(np.arange(len(y)) < len(labelled), 1.0, WRITTEN_COUNT), slice(0, len(labelled))
    all_scores = held_out(x, y, 1 / 3, texts, weigh)
    score, fitted_y = all_scores[real], y
    y = y[real]
    print(f"gate: {len(y)} comments, {int(y.sum())} with a rule, {len(names)} groups of words: {figures(score, y)}")
    for share in (0.5, 0.6, 0.7, 0.8, 0.9):
        cut = float(np.quantile(score[y == 1], 1 - share))
        taken = score >= cut
        print(f"  at {cut:+.2f}: {share:.0%} of rules, {(taken & (y == 0)).sum() / (y == 0).sum():.0%} of the others")
    weights = logistic(x, fitted_y, 1 / 3, weigh)
    return {"": round(float(weights[-1]), 3)} | {
        name: round(float(weight), 2) for name, weight in zip(names, weights, strict=False) if round(float(weight), 2)
    }


def fit_comparison(said: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    labelled = [row for row in rows("rules.csv") if (row["project"], row["comment"]) in said]
    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    pairs, judged = [], []
    for row in labelled:
        comment = prose(said[row["project"], row["comment"]]["body"])
        asked = asked_for(CommentText(said[row["project"], row["comment"]]["body"])) or rule_of(
            comment, None, f"Rule: {imperative(comment)}"
        )
        text = f"Rule: {row['rule'].rstrip('.')}"
        pairs.append((stated(row["rule"]), asked))
        judged.append(row)
        if row["source"]:
            source = said.get((row["project"], row["source"]))
            if source is not None:
                pairs.append((rule_of(prose(source["body"]), None, text), asked))
                judged.append(row)
    sides = sides_of([one for pair in pairs for one in pair], embedder)
    rarities = {project: rarity_of(project, said) for project in FITTED}
    x = np.array(
        [
            features(sides[2 * at], sides[2 * at + 1], rarities[row["project"]].weight_of)
            for at, row in enumerate(judged)
        ]
    )
    y = np.array([float(row["label"] == "y") for row in judged])
    written_x, written_y, written_of = written_pairs("written_repeats.yaml", embedder, rarities[HOST])
    x, y = np.vstack([x, written_x]), np.concatenate([y, written_y])
    judged += [{"rule": rule, "source": "written"} for rule in written_of]
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    scaled = (x - middle) / spread
    score = held_out(scaled, y, 10.0, [row["rule"] for row in judged])
    kinds = np.array([row["source"] and ("written" if row["source"] == "written" else "nearest") for row in judged])
    for what in ("nearest", "", "written"):
        part = kinds == what
        print(
            f"comparison, {what or 'joins'}: {int(part.sum())} pairs, {int(y[part].sum())} right:",
            figures(score[part], y[part]),
        )
        for at, name in enumerate(FEATURES):
            print(f"  {name} alone: {figures(x[part, at], y[part])}")
    weights = logistic(scaled, y, 10.0)
    odds, joins = 1 / (1 + np.exp(-score)), kinds == ""
    planted = planted_scores(embedder, rarities[HOST], (weights, middle, spread))
    for cut in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.85):
        taken = joins & (odds >= cut)
        found = sum(right and top >= cut for top, right in planted["said"]) / len(planted["said"])
        wrong = sum(not right and top >= cut for top, right in planted["said"]) / len(planted["said"])
        others = sum(top >= cut for top, _ in planted["other"])
        print(
            f"  at {cut}: joins {y[taken].mean():.2f} right, {taken[joins & (y == 1)].mean():.2f} of the right ones; "
            f"planted {found:.2f} found, {wrong:.3f} to a wrong rule; "
            f"{others} of {len(planted['other'])} contrary or near"
        )
    own = weights[:-1] / spread
    return {
        "intercept": round(float(weights[-1] - (own * middle).sum()), 4),
        "weights": {name: round(float(one), 4) for name, one in zip(FEATURES, own, strict=True)},
    }


def written_pairs(name: str, embedder: Embedder, rarity: Rarity) -> tuple[Array, Array, list[str]]:
    """Features, labels and rules of written repeats: each rule with its comments, its contrary, what is near to it, and
    each comment with the nearest other rule."""
    entries = written(name)
    rules = sides_of([stated(one["rule"]) for one in entries], embedder)
    x, y, of = [], [], []
    for place, one in enumerate(entries):
        for text, label in [*((said, 1) for said in one["comments"]), (one["contrary"], 0), (one["near"], 0)]:
            asked = asked_for(CommentText(text))
            if asked is None:
                continue
            side = sides_of([asked], embedder)[0]
            numbers = [features(side, rule, rarity.weight_of) for rule in rules]
            x.append(numbers[place])
            y.append(float(label))
            nearest = max((at for at in range(len(rules)) if at != place), key=lambda at: numbers[at][0])
            x.append(numbers[nearest])
            y.append(0.0)
            of += [one["rule"]] * 2
    return np.array(x), np.array(y), of


def planted_scores(
    embedder: Embedder, rarity: Rarity, fitted: tuple[Array, Array, Array]
) -> dict[str, list[tuple[float, bool]]]:
    """Best score of each planted repeat over all planted rules, and whether the rule is its own; never fitted to."""
    weights, middle, spread = fitted
    entries = written("planted_repeats.yaml")
    rules = sides_of([stated(one["rule"]) for one in entries], embedder)
    found: dict[str, list[tuple[float, bool]]] = {"said": [], "other": []}
    for place, one in enumerate(entries):
        for kind, texts in (("said", one["comments"]), ("other", [one["contrary"], one["near"]])):
            for text in texts:
                asked = asked_for(CommentText(text))
                if asked is None:
                    found[kind].append((0.0, False))
                    continue
                side = sides_of([asked], embedder)[0]
                x = (np.array([features(side, rule, rarity.weight_of) for rule in rules]) - middle) / spread
                odds = 1 / (1 + np.exp(-(np.hstack([x, np.ones((len(x), 1))]) @ weights)))
                found[kind].append((float(odds.max()), int(odds.argmax()) == place))
    return found


def written(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_yaml(LABELS.parent / name)
    return found


def main(folder: Path, *, write: bool) -> None:
    target = Path(str(files("assay.github_app.rule_matching")))
    said = bodies(folder)
    gate = fit_gate(said)
    if write:
        lines = ",\n".join(f" {json.dumps(name)}: {weight}" for name, weight in gate.items())
        (target / "gate.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
        gating._weights.cache_clear()
        gating.holds_rule.cache_clear()
    fitted = fit_comparison(said)
    print(json.dumps(fitted))
    if write:
        table = {**calibration(), **fitted}
        (target / "calibration.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), write="--write" in sys.argv)
