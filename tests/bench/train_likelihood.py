"""Train the model of `assay/validators/risk/likelihood/weights.json`.

    python -m tests.bench.train_likelihood LABELS REPOSITORY... [--check]

LABELS is a folder of `*.csv.gz` with the columns repo, sha, human, source, bug_inducing, bug_known_at, reverted,
revert_known_at and head_at; each REPOSITORY a bare clone whose folder is named `<owner>+<name>`, or that has one
named `repo` in it. `--check` prints the evaluation only. Every figure is of a repository that was left out when the
weights were fitted, or of the newest 30 % of changes after fitting on the others.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood import model as shipped
from assay.validators.risk.likelihood.evaluate import auc, same_size_auc
from assay.validators.risk.likelihood.kept_past import KeptPast
from assay.validators.risk.likelihood.model import COUNTED, NAMES, Features, Model, Rate, Scorer
from assay.validators.risk.likelihood.past import YEAR_S
from assay.validators.risk.likelihood.replay import Replay, ScoredChange
from assay.validators.vcs.landed import RepositoryHistory
from assay.validators.vcs.repository import Repository

Array = NDArray[np.float64]
CUTS = (50.0, 80.0, 95.0)
"""Percentiles at which medium, high and critical begin. Of 35-50 / 70-80 / 94-96, all about equal by ratio and rising
rates, the highest: medium then means more fixes than average, and high and critical are at most 28 % of changes, which
grow over the years."""
RIDGE = 5.0
PER_REPOSITORY = 1500.0
"""Weight of a repository in the fit, whatever its number of changes."""
MOST_CHANGES = 14_000
TARGET = Path(shipped.__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Judged:
    """Past change with its score and what became of it within a year."""

    score: float
    level: RiskLevel
    added: int
    churn: int
    fixed: bool
    reverted: bool


@dataclass(frozen=True)
class History:
    """Replayed changes of one repository that have a label and a full year after them."""

    name: str
    features: tuple[Features, ...]
    is_ordinary: tuple[bool, ...]
    rows: tuple[int, ...]
    """Indices of the labelled ones."""
    percentiles: Array
    """Rows by features, -0.5 to 0.5; yes-or-no features 0 or 1."""
    fixed: Array
    reverted: Array
    added: Array
    churn: Array
    flags: Array
    seconds: float


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("labels", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--check", action="store_true", help="print the evaluation, write nothing")
    options = parser.parse_args(arguments)
    console = Console(width=150)
    histories = histories_of(options.labels, options.repositories, console)
    console.print(table_of("Each repository by weights fitted on the others", leave_one_out(histories)))
    title = "The newest 30 % of each repository by weights fitted on the older 70 % of all"
    console.print(table_of(title, time_split(histories)))
    weights = fit(histories)
    data = _described(histories, weights)
    console.print_json(json.dumps({name: data[name] for name in ("weights", "rates", "rollback_rates")}))
    if not options.check:
        TARGET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def histories_of(folder: Path, repositories: Sequence[Path], console: Console) -> list[History]:
    """Return the replayed histories of these repositories, with the labels in a folder."""
    labels, histories = _labels(folder), []
    for path in repositories:
        one = _history(path, labels)
        console.print(f"{one.name}: {len(one.features)} changes scored in {one.seconds:.1f} s")
        histories.append(one)
    return histories


def _labels(folder: Path) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for file in sorted(folder.glob("*.csv.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                found.setdefault(row["repo"], {})[row["sha"]] = row
    return found


def _history(path: Path, labels: dict[str, dict[str, dict[str, str]]]) -> History:
    folder = path / "repo" if (path / "repo").is_dir() else path
    name = path.name.replace("+", "/", 1)
    known = labels[name]
    with Repository(folder) as repository:
        tip = repository.resolve("refs/heads/" + _branch(folder))
        began = time.monotonic()
        history = RepositoryHistory(repository, tip, tip, tip)
        past = KeptPast(history)
        changes = past.changes(history.line(MOST_CHANGES)[::-1])
        replay = Replay(_model(np.zeros(len(NAMES))))
        replay.run(changes, past)
        found = list(replay.scored())
        seconds = time.monotonic() - began
    percentiles, rows, kept = [], [], []
    for at, one in enumerate(found):
        row = known.get(one.change.sha)
        if row is not None and one.score.num_compared >= shipped.NUM_AT_LEAST and _counts(row, one):
            percentiles.append([one.score.percentiles[name] / 100 - (name in COUNTED) / 2 for name in NAMES])
            rows.append(at)
            kept.append(row)
    labelled = [found[at] for at in rows]
    return History(
        name=name,
        features=tuple(one.score.features for one in found),
        is_ordinary=tuple(one.is_ordinary for one in found),
        rows=tuple(rows),
        percentiles=np.array(percentiles),
        fixed=np.array(
            [_within(row, "bug_inducing", "bug_known_at", one) for row, one in zip(kept, labelled, strict=True)]
        ),
        reverted=np.array(
            [_within(row, "reverted", "revert_known_at", one) for row, one in zip(kept, labelled, strict=True)]
        ),
        added=np.array([float(one.text.added) for one in labelled]),
        churn=np.array([float(one.text.churn) for one in labelled]),
        flags=np.array([float(len(one.flags)) for one in labelled]),
        seconds=seconds,
    )


def _branch(folder: Path) -> str:
    return (folder / "HEAD").read_text().strip().removeprefix("ref: refs/heads/")


def _counts(row: dict[str, str], one: ScoredChange) -> bool:
    return row["human"] == "1" and row["source"] == "1" and one.change.time <= int(row["head_at"]) - YEAR_S


def _within(row: dict[str, str], what: str, at: str, one: ScoredChange) -> float:
    return float(row[what] == "1" and int(row[at]) - one.change.time <= YEAR_S)


def fit(histories: Sequence[History]) -> Array:
    """Return the weights of a ridge logistic regression with an intercept for each repository (Newton's method)."""
    own = np.concatenate([np.tile(np.eye(len(histories))[at], (len(one.fixed), 1)) for at, one in enumerate(histories)])
    x = np.c_[np.concatenate([one.percentiles for one in histories]), own]
    y = np.concatenate([one.fixed for one in histories])
    weight = np.concatenate([np.full(len(one.fixed), PER_REPOSITORY / len(one.fixed)) for one in histories])
    ridge = np.r_[np.full(len(NAMES), RIDGE), np.full(len(histories), 1e-6)]
    b = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ b))
        step = np.linalg.solve(
            (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(ridge), x.T @ (weight * (y - p)) - ridge * b
        )
        b += step
        if np.abs(step).max() < 1e-9:
            break
    return b[: len(NAMES)]


def _model(weights: Array) -> Model:
    """Return a model of these weights, whose rates are not known yet."""
    none = Rate(0.0, 0)
    return Model(
        weights=dict(zip(NAMES, map(float, weights), strict=True)),
        cuts=CUTS,
        quantiles=(0.0,) * 101,
        rates={str(level): none for level in RiskLevel},
        average=0.1,
        rollback_rates=(none,) * 4,
        rollback_average=0.01,
        repositories=(),
    )


def judged(history: History, weights: Array) -> list[Judged]:
    """Return the labelled changes of a repository with score and level by these weights."""
    scorer = Scorer(_model(weights))
    labelled = {at: index for index, at in enumerate(history.rows)}
    found = []
    for at, features in enumerate(history.features):
        score = scorer.score(features)
        if at in labelled:
            index = labelled[at]
            found.append(
                Judged(
                    score=score.score,
                    level=scorer.model.level(score.percentile),
                    added=int(history.added[index]),
                    churn=int(history.churn[index]),
                    fixed=bool(history.fixed[index]),
                    reverted=bool(history.reverted[index]),
                )
            )
        if history.is_ordinary[at]:
            scorer.add(score)
    return found


Rows = Sequence[tuple[str, list[Judged]]]
"""Repositories and their labelled changes."""


def leave_one_out(histories: Sequence[History]) -> Rows:
    """Return each repository scored by weights fitted on the others."""
    return [(one.name, judged(one, fit([other for other in histories if other is not one]))) for one in histories]


def time_split(histories: Sequence[History], share: float = 0.7) -> Rows:
    """Return the newer changes of each repository, scored by weights fitted on the older ones of all."""
    weights = fit([_cut(one, share) for one in histories])
    return [(one.name, judged(one, weights)[int(share * len(one.fixed)) :]) for one in histories]


def _cut(one: History, share: float) -> History:
    end = int(share * len(one.fixed))
    return History(**{**vars(one), "percentiles": one.percentiles[:end], "fixed": one.fixed[:end]})


@dataclass(frozen=True)
class Figures:
    """How well scores and levels rank the changes that needed a fix, and their rates from low to critical."""

    num: float
    score: float
    label: float
    added: float
    churn: float
    same_size: float
    in_top_tenth: float
    rates: tuple[float, ...]
    share_critical: float

    @property
    def is_rising(self) -> bool:
        return all(a < b for a, b in pairwise(self.rates))


def figures_of(changes: Sequence[Judged]) -> Figures:
    """Return the figures of labelled changes."""
    fixed = [one.fixed for one in changes]
    scores, churn = [one.score for one in changes], [float(one.churn) for one in changes]
    top = sorted(changes, key=lambda one: -one.score)[: max(1, len(changes) // 10)]
    return Figures(
        num=len(changes),
        score=auc(fixed, scores),
        label=auc(fixed, [float(one.level.rank) for one in changes]),
        added=auc(fixed, [float(one.added) for one in changes]),
        churn=auc(fixed, churn),
        same_size=same_size_auc(fixed, scores, churn),
        in_top_tenth=sum(one.fixed for one in top) / max(1, sum(fixed)),
        rates=tuple(_rates(changes)),
        share_critical=sum(one.level is RiskLevel.critical for one in changes) / len(changes),
    )


def mean_of(figures: Sequence[Figures]) -> Figures:
    """Return the mean of the repositories' figures."""
    names = ("num", "score", "label", "added", "churn", "same_size", "in_top_tenth", "share_critical")
    means = {name: float(np.mean([getattr(one, name) for one in figures])) for name in names}
    return Figures(**means, rates=tuple(map(float, np.mean([one.rates for one in figures], axis=0))))


def table_of(title: str, rows: Rows) -> Table:
    """Return the figures as a table, with their mean and those of all changes together."""
    columns = ("n", "score", "label", "added", "churn", "same size", "top 10 %", *RiskLevel, "share", "rising")
    table = Table("repository", *columns, title=title)
    figures = [(name, figures_of(changes)) for name, changes in rows]
    together = figures_of([change for _, changes in rows for change in changes])
    for name, one in (*figures, ("mean", mean_of([one for _, one in figures])), ("all", together)):
        ranked = (one.score, one.label, one.added, one.churn, one.same_size, one.in_top_tenth)
        values = (*ranked, *one.rates, one.share_critical)
        table.add_row(name, f"{one.num:.0f}", *(f"{value:.3f}" for value in values), "yes" if one.is_rising else "no")
    return table


def _rates(changes: Sequence[Judged]) -> list[float]:
    by_level = [[one.fixed for one in changes if one.level is level] for level in RiskLevel]
    return [sum(some) / max(1, len(some)) for some in by_level]


def _described(histories: Sequence[History], weights: Array) -> dict[str, object]:
    """Return the model as JSON; rates are those of repositories left out of the fit."""
    changes = [
        change for one in histories for change in judged(one, fit([other for other in histories if other is not one]))
    ]
    added = np.concatenate([np.quantile(one.added, np.linspace(0, 1, 101))[None] for one in histories]).mean(axis=0)
    flags = np.concatenate([one.flags for one in histories])
    reverted = np.concatenate([one.reverted for one in histories])
    return {
        "repositories": [one.name for one in histories],
        "weights": {name: round(float(value), 4) for name, value in zip(NAMES, weights, strict=True)},
        "cuts": list(CUTS),
        "quantiles": [round(float(value), 1) for value in added],
        "rates": {
            str(level): {
                "share": round(rate, 4),
                "num": sum(one.level is level for one in changes),
            }
            for level, rate in zip(RiskLevel, _rates(changes), strict=True)
        },
        "average": round(sum(one.fixed for one in changes) / len(changes), 4),
        "rollback_rates": [
            {
                "share": round(float(reverted[flags == count].mean()) if (flags == count).any() else 0.0, 4),
                "num": int((flags == count).sum()),
            }
            for count in range(4)
        ],
        "rollback_average": round(float(reverted.mean()), 4),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
