"""What a perfect store loses by noise, by old values kept, by planted values, and by values not forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.memory_eval.holding.measuring import Measures
from assay.memory_eval.holding.reference import perfect_store, sentence_of
from assay.memory_eval.holding.stored import Stored
from assay.memory_eval.holding.told import ToldFact
from tests.memory_eval.holding.stores import Known, world

PER_CENT = (0, 5, 10, 25, 50, 75)


def noisy(known: Known, per_cent: int) -> tuple[list[Stored], float]:
    """Add this share of facts with a value that only other subjects have; return the expected precision, too."""
    draws = known.draws(f"noise {per_cent}")
    facts = [one for one in known.told.facts if one.status == "current" and isinstance(one.value, float | int)]
    values: dict[str, set[object]] = {}
    for one in known.told.facts:
        values.setdefault(one.attribute, set()).add(one.value)
    wrong = [
        replace(one, value=draws.one(others))
        for one in draws.some(facts, round(len(facts) * per_cent / 100))
        if (others := sorted(map(float, values[one.attribute] - _values_of(known, one.entity))))  # type: ignore[arg-type]
    ]
    store = [*perfect_store(known.told), *(Stored(sentence_of(one)) for one in wrong)]
    num_right = sum(one.status != "forgotten" for one in known.told.facts)
    return store, num_right / (num_right + len(wrong))


def _values_of(known: Known, entity: str) -> set[object]:
    return {one.value for one in known.told.facts if one.entity == entity}


def stale(known: Known, per_cent: int) -> tuple[list[Stored], float]:
    """Keep the old values of this share of the changed keys as if they held; return that share."""
    changed = list(known.told.changed)
    kept = set(known.draws(f"stale {per_cent}").some(changed, round(len(changed) * per_cent / 100)))
    facts = [one for one in known.told.facts if one.status != "forgotten"]
    store = [
        Stored(sentence_of(one), is_ended=one.status == "old" and not (one.key in changed and one.key in kept))
        for one in facts
    ]
    return store, len(kept) / len(changed)


def poisoned(known: Known, per_cent: int) -> tuple[list[Stored], float]:
    """Add this share of the planted values as facts; return the share."""
    planted = list(known.told.planted)
    taken = known.draws(f"poison {per_cent}").some(planted, round(len(planted) * per_cent / 100))
    wrong = [ToldFact(one.entity, one.attribute, one.value, 1, "current") for one in taken]
    return [*perfect_store(known.told), *(Stored(sentence_of(one)) for one in wrong)], len(taken) / len(planted)


def kept_on(known: Known, per_cent: int) -> tuple[list[Stored], float]:
    """Keep the values of this share of the requests to forget; return the share forgotten."""
    keys = list(known.told.forgotten)
    kept = set(known.draws(f"keep {per_cent}").some(keys, round(len(keys) * per_cent / 100)))
    again = [one for one in known.told.facts if one.key in kept and one.status == "forgotten"]
    store = [*perfect_store(known.told), *(Stored(sentence_of(one)) for one in again)]
    return store, 1 - len(kept) / len(keys)


def precision(measures: Measures) -> float:
    return measures.precision or 0.0


def staleness(measures: Measures) -> float:
    return measures.staleness.share or 0.0


def adopted(measures: Measures) -> float:
    return len(measures.contents.planted) / len(measures.told.planted)


def forgotten(measures: Measures) -> float:
    states = measures.forgotten.values()
    return sum(not one for one in states) / len(states)


Make = Callable[[Known, int], tuple[list[Stored], float]]
CURVES: dict[str, tuple[Make, Callable[[Measures], float], float]] = {
    "noise: precision": (noisy, precision, 0.03),
    "stale: share": (stale, staleness, 0.02),
    "poison: share adopted": (poisoned, adopted, 0.02),
    "not forgotten: share forgotten": (kept_on, forgotten, 0.02),
}
"""The store, the measure, and how far it may be from what was done to the store."""


@pytest.mark.parametrize("name", CURVES)
def test_what_was_done_to_a_store_is_what_is_measured(name: str):
    make, measure, most_off = CURVES[name]
    known = world(7)
    for per_cent in (0, 25, 75):
        store, expected = make(known, per_cent)
        assert measure(known.measured(store)) == pytest.approx(expected, abs=most_off)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("num_turns", [300, 1000])
@pytest.mark.parametrize("name", CURVES)
def test_the_curve_of(name: str, num_turns: int, capsys: pytest.CaptureFixture[str]):
    make, measure, most_off = CURVES[name]
    lines = []
    for per_cent in PER_CENT:
        figures, off = [], []
        for seed in range(60, 70):
            known = world(seed, num_turns)
            store, expected = make(known, per_cent)
            figures.append(measure(known.measured(store)))
            off.append(abs(figures[-1] - expected))
        assert max(off) <= most_off
        middle = sum(figures) / len(figures)
        lines.append(f"{per_cent:3} %  {min(figures):.3f} {middle:.3f} {max(figures):.3f}  {max(off):.3f}")
    with capsys.disabled():
        print(f"\n{name}, {num_turns} turns, ten seeds\n       least mean  most   off")
        print("\n".join(lines))
