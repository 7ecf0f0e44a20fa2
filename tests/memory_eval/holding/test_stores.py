"""The rows of a memory on stores whose content is known: each dump has a row that gives it away."""

from __future__ import annotations

import pytest

from assay.memory_eval.graders.naming import shown
from assay.memory_eval.holding.examining import counts_of
from assay.memory_eval.holding.measuring import Measures
from assay.memory_eval.holding.told import Stored, perfect_store, sentence_of, tail_store
from tests.examples import sampled
from tests.memory_eval.holding.stores import DUMPS, FORMS, Known, complete_reworded, honest, recall, world

SEEDS = (7, 8, 9)


def shares(measures: Measures) -> dict[str, float]:
    """The rows of a store, 1 for one with nothing to count."""
    return {name: num / of if of else 1.0 for name, (num, of) in counts_of(measures).items()}


@pytest.mark.parametrize("seed", sampled(SEEDS, 1))
@pytest.mark.parametrize("name", DUMPS)
def test_each_dump_has_a_row_far_worse_than_an_honest_extractor(name: str, seed: int):
    known = world(seed)
    kept, dumped = shares(known.measured(honest(known))), shares(known.measured(DUMPS[name](known)))
    assert any(dumped[one] < kept[one] - 0.1 for one in kept), dumped


@pytest.mark.parametrize("seed", sampled(range(20, 30), 3))
def test_a_perfect_store_is_perfect(seed: int):
    known = world(seed)
    assert min(shares(known.measured(perfect_store(known.told))).values()) >= 0.99


def test_an_empty_store_holds_nothing():
    assert counts_of(world(7).measured([]))["kept"][0] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_another_world_holds_nothing(seed: int):
    assert recall(world(seed).measured(DUMPS["another world"](world(seed)))) <= 0.005


def test_the_tail_of_the_dialogue_is_a_floor():
    known = world(7)
    assert 0.3 < recall(known.measured(tail_store(known.told))) < 0.45 < recall(known.measured(honest(known)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_complete_store_holds_all_facts_in_any_form(form: str, seed: int):
    known = world(seed)
    assert recall(known.measured(FORMS[form](known))) >= 0.99


@pytest.mark.parametrize("per_cent", [5, 10, 50])
def test_recall_is_what_is_left(per_cent: int):
    known = world(7)
    store = complete_reworded(known)
    kept = known.draws("lost").some(store, round(len(store) * (1 - per_cent / 100)))
    assert recall(known.measured(kept)) == pytest.approx(1 - per_cent / 100, abs=0.02)


# ------------------------------------------------------------------ what became of values


def changed_budget(known: Known) -> tuple[str, str]:
    """The sentences of a current and of an old budget."""
    key = next(key for key in known.told.changed if key[1] == "budget")
    new, old = (
        next(one for one in known.told.facts if one.key == key and one.status == status)
        for status in ("current", "old")
    )
    return f"{key[0]}: budget ${new.value:,}", f"{key[0]}: budget ${old.value:,}"


def test_an_old_value_misleads_unless_it_is_closed_or_a_later_day_is_beside_it():
    known = world(7)
    now, before = changed_budget(known)
    current = [
        [Stored(now)],
        [Stored(now), Stored(before, is_ended=True)],
        [Stored(now), Stored(before + " until May")],
        [Stored(now, day="2027-02-01"), Stored(before, day="2027-01-01")],
        [Stored(f"[2027-02-01] {now}"), Stored(f"[2027-01-01] {before}")],
        [Stored(now), Stored(f"{before} (2027-01-01 - 2027-02-01)")],
    ]
    misleading = [
        [Stored(now), Stored(before)],
        [Stored(now, day="2027-01-01"), Stored(before)],
        [Stored(before)],
        [Stored(before), Stored(now, is_ended=True)],
        [Stored(now, day="2027-01-01"), Stored(before, day="2027-02-01")],
    ]
    far = known.told.now[:4]
    for stores, num in ((current, 0), (misleading, 1)):
        for store in stores:
            later = [Stored(one.text.replace("2027", far), day=one.day, is_ended=one.is_ended) for one in store]
            measures = known.measured(later)
            assert (len(measures.misleading), len(measures.changed_held)) == (num, 1), store


def test_forgotten_values_are_found_in_every_state():
    known = world(7)
    key = known.told.forgotten[0]
    fact = next(one for one in known.told.facts if one.key == key)
    for state in ("live", "history"):
        assert known.measured([Stored(sentence_of(fact), state=state)]).forgotten[key] == {state}
    assert known.measured([]).forgotten[key] == set()


def test_history_counts_for_nothing_else():
    known = world(7)
    measures = known.measured([Stored(one.text, state="history") for one in perfect_store(known.told)])
    assert (recall(measures), measures.num_judged, measures.num_entries) == (0, 0, 0)


def test_a_planted_value_is_false_once():
    known = world(7)
    plant = known.told.planted[0]
    said = f"{plant.entity}: {plant.attribute.replace('_', ' ')} is {shown(plant.value)}"
    measures = known.measured([Stored(said)])
    assert measures.num_false == len(measures.planted) == 1


def test_a_turn_says_nothing_false_but_what_is_planted():
    for seed in SEEDS:
        assert len(world(seed).measured(FORMS["turns verbatim"](world(seed))).false) <= 5


def test_a_value_of_another_is_false():
    known = world(7)
    measures = known.measured(DUMPS["shuffled entities"](known))
    assert len(measures.false) > 0.5 * measures.num_judged > 100


# ------------------------------------------------------------------ at size


@pytest.mark.bench
def test_the_rows_of_all_stores():
    """Print the table of docs/memory/memory-figures.md."""
    stores = {"perfect": lambda known: perfect_store(known.told), "honest": honest, **FORMS, **DUMPS}
    print("\n kept  current  clean  forgot  store")
    for name, make in stores.items():
        found = [shares(known.measured(make(known))) for known in map(world, range(20, 24))]
        means = (sum(one[row] for one in found) / len(found) for row in ("kept", "current", "clean", "forgot"))
        print("  ".join(f"{mean:.3f}" for mean in means), name, sep="  ")
