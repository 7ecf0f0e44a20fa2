"""Precision and recall of the matcher on entries written by a language model, labelled by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.memory_eval import Turn
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.told import Stored, told_of
from assay.statistics import Interval, interval_of_rate
from tests.tables import read_yaml

CASES = Path(__file__).parents[2] / "cases" / "memory"
STYLES = "abcde"


class Least(NamedTuple):
    """Bounds a little below the measured figures: of all pairs, and of each style."""

    precision: float
    recall: float
    precision_of_style: float
    recall_of_style: float


SAMPLES = {
    "matcher_entries.yaml": Least(0.965, 0.965, 0.9, 0.91),
    "matcher_entries_2.yaml": Least(0.975, 0.94, 0.88, 0.87),
}


class Pair(NamedTuple):
    """A labelled pair; `weight` is the number of pairs of its style and stratum that it stands for."""

    style: str
    weight: float
    holds: bool
    found: bool
    entry: str


class Share(NamedTuple):
    """An estimated share, its interval at the effective number of pairs, and the number of pairs."""

    value: float
    interval: Interval | None
    num: int


@cache
def pairs(sample: str) -> list[Pair]:
    """Return the pairs with the matcher's verdicts; the matcher of each world knows the facts of its pairs."""
    cases = read_yaml(CASES / sample)
    weights = {
        (style, stratum): size / drawn
        for style, strata in cases["sampled"].items()
        for stratum, (size, drawn) in strata.items()
    }
    return [
        Pair(entry["style"], weights[entry["style"], stratum], holds, found, entry["text"])
        for entries in _by_world(cases["entries"])
        for entry, (*_, holds, stratum), found in _judged(entries)
    ]


def _by_world(entries: Iterable[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    worlds: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        worlds.setdefault(entry["world"], []).append(entry)
    return worlds.values()


def _judged(entries: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[Any], bool]]:
    keys = dict.fromkeys(tuple(pair[:3]) for entry in entries for pair in entry["pairs"])
    facts = [
        {"entity": entity, "attribute": attribute, "value": value, "source": None, "valid_from": "2020-01-01"}
        for entity, attribute, value in keys
    ]
    told = told_of([Turn(number, "A turn.", 1, "own", [fact]) for number, fact in enumerate(facts, start=1)])
    places = {(one.entity, one.attribute, one.value): place for place, one in enumerate(told.facts)}
    matcher = Matcher(told)
    for entry in entries:
        held = {place for held in matcher.read(Stored(entry["text"], entry.get("about"))) for place in held.facts}
        for pair in entry["pairs"]:
            yield entry, pair, places[tuple(pair[:3])] in held


def share(rows: Iterable[Pair], is_hit: Callable[[Pair], bool]) -> Share:
    """Return the weighted share of hits; unequal weights count as fewer pairs (Kish's effective sample size)."""
    rows = list(rows)
    total = sum(one.weight for one in rows)
    value = sum(one.weight for one in rows if is_hit(one)) / total
    num = total**2 / sum(one.weight**2 for one in rows)
    return Share(value, interval_of_rate(value * num, num), len(rows))


def precision(rows: Iterable[Pair]) -> Share:
    return share((one for one in rows if one.found), lambda one: one.holds)


def recalled(rows: Iterable[Pair]) -> Share:
    return share((one for one in rows if one.holds), lambda one: one.found)


def test_the_pairs_are_many_and_of_all_styles():
    rows = pairs("matcher_entries.yaml")
    assert len(rows) >= 500
    assert {one.style for one in rows} == set(STYLES)
    assert min(sum(one.found for one in rows if one.style == style) for style in STYLES) >= 35
    assert len({one.entry for one in rows}) >= 150


@pytest.mark.parametrize(("sample", "least"), SAMPLES.items())
def test_the_matcher_agrees_with_the_labels_of_entries_written_by_a_model(sample: str, least: Least):
    rows = pairs(sample)
    assert precision(rows).value >= least.precision, [one.entry for one in rows if one.found and not one.holds]
    assert recalled(rows).value >= least.recall, [one.entry for one in rows if one.holds and not one.found]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("sample", "least"), SAMPLES.items())
def test_the_matcher_reads_every_style(sample: str, least: Least, style: str):
    rows = [one for one in pairs(sample) if one.style == style]
    assert precision(rows).value >= least.precision_of_style
    assert recalled(rows).value >= least.recall_of_style


@pytest.mark.bench
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_matcher_by_style(sample: str):
    """Print the table of docs/memory/memory-figures.md."""
    print(f"\n{sample}: {len(pairs(sample))} pairs\nstyle  precision  recall")
    for style in [*STYLES, STYLES]:
        rows = [one for one in pairs(sample) if one.style in style]
        print(style, _shown(precision(rows)), _shown(recalled(rows)))


def _shown(one: Share) -> str:
    assert one.interval is not None
    return f"{one.value:.3f} ({one.interval.low:.3f} to {one.interval.high:.3f}; {one.num} pairs)"
