"""Experiments: who gets which variant, what they are compared by, and when the sample cannot decide."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from datetime import timedelta

import pytest

from assay.github.events.model import PullFacts
from assay.github_app.outcomes import see_pull
from assay.github_app.outcomes.experiments import (
    NoExperiment,
    assign,
    compared,
    create,
    end,
    hashed,
    variant_at,
)
from assay.github_app.outcomes.metrics.comparing import Moved
from assay.github_app.store import DeclaredBy, ExperimentRow, Store, TaskStatus, Variant
from assay.statistics import interval_of_rate
from tests.github_app.remembering import REPOSITORY, after, pull

HERE = REPOSITORY.id
TWO = (Variant("a", 1), Variant("b", 1))


@pytest.fixture(autouse=True)
def salt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draw each time."""
    monkeypatch.setattr("assay.github_app.outcomes.experiments.secrets.token_hex", lambda _: "salt")


def begun(store: Store, *variants: Variant, metric: str = "merged") -> ExperimentRow:
    """An experiment."""
    return create(store, HERE, "words", variants or TWO, after(), metric=metric)


def ended_task(
    store: Store,
    task_id: str,
    minutes: int,
    status: TaskStatus,
    tokens: int | None = None,
    duration_s: float | None = None,
) -> None:
    """A harness tells how a task ended."""
    at = after(minutes=minutes)
    store.tasks.put(HERE, task_id, at, status=status, status_at=at, num_tokens_in=tokens, duration_s=duration_s)


def test_a_task_keeps_its_variant_and_shares_are_kept(small_store: Store):
    begun(small_store, Variant("a", 3), Variant("b", 1))
    first = {f"t{i}": assign(small_store, HERE, "words", f"t{i}", after()).name for i in range(400)}
    again = {task: assign(small_store, HERE, "words", task, after(days=1)).name for task in first}
    assert first == again
    assert 70 <= Counter(first.values())["b"] <= 130
    experiment = small_store.experiments.get(HERE, "words")
    assert experiment is not None
    assert first == {task: variant_at(experiment.variants, hashed(experiment.salt, task)).name for task in first}


def test_a_hash_spreads_evenly_and_depends_on_the_salt():
    places = [hashed("salt", f"task-{i}") for i in range(2000)]
    assert all(0 <= place < 1 for place in places)
    assert 0.47 < sum(places) / len(places) < 0.53
    assert hashed("salt", "task-1") == int(hashlib.sha256(b"salt\0task-1").hexdigest()[:16], 16) // 2**11 / 2**53
    assert hashed("salt", "t") != hashed("other", "t")
    assert variant_at((Variant("a", 0.5), Variant("b", 0.5)), 0.9999999).name == "b"
    assert variant_at((Variant("a", 1 / 3), Variant("b", 1 / 3), Variant("c", 1 / 3)), 1 - 2**-53).name == "c"


def test_the_prompt_of_a_variant_is_the_tasks(small_store: Store):
    small_store.prompt_versions.put(HERE, "v2", "api", {"prompt": "x"}, after())
    begun(small_store, Variant("a", 1), Variant("b", 1, "v2"))
    for number in range(9):
        given = assign(small_store, HERE, "words", f"t{number}", after())
        task = small_store.tasks.get(HERE, f"t{number}")
        assert given.prompt_version == ("v2" if given.name == "b" else None)
        assert (task and task.prompt_version) == given.prompt_version


@pytest.mark.parametrize(
    ("variants", "more", "said"),
    [
        ((Variant("a", 1),), {}, "2 to 6 variants"),
        ((Variant("a", 1), Variant("a", 1)), {}, "a unique name"),
        ((Variant("a", 1), Variant("B!", 1)), {}, "a unique name"),
        ((Variant("a", 1), Variant("b", 0.01)), {}, "at least 5%"),
        ((Variant("a", 1), Variant("b", -1)), {}, "at least 5%"),
        ((Variant("a", 1), Variant("b", float("inf"))), {}, "at least 5%"),
        ((Variant("a", 1), Variant("b", 1, "v9")), {}, "no prompt version v9"),
        (TWO, {"metric": "luck"}, "the metric is one of"),
        (TWO, {"name": "Two words"}, "a name has"),
    ],
)
def test_an_experiment_that_makes_no_sense_is_refused(small_store: Store, variants, more, said: str):
    name = more.pop("name", "words")
    with pytest.raises(NoExperiment, match=said):
        create(small_store, HERE, name, variants, after(), **more)
    assert small_store.experiments.of() == ()


def test_there_is_one_experiment_of_a_name_and_nothing_is_assigned_after_its_end(small_store: Store):
    begun(small_store)
    with pytest.raises(NoExperiment, match="already"):
        begun(small_store)
    kept = assign(small_store, HERE, "words", "t1", after())
    assert end(small_store, HERE, "words", after(hours=1), by="ada", conclusion="b it is")
    assert not end(small_store, HERE, "words", after(hours=2), by="bo", conclusion="no")
    assert assign(small_store, HERE, "words", "t1", after(hours=3)) == kept
    with pytest.raises(NoExperiment, match="has ended"):
        assign(small_store, HERE, "words", "t2", after(hours=3))
    with pytest.raises(NoExperiment, match=r"experiment\.unknown"):
        assign(small_store, HERE, "other", "t2", after(hours=3))
    row = small_store.experiments.get(HERE, "words")
    assert row is not None
    assert (row.ended_by, row.conclusion) == ("ada", "b it is")


def test_a_task_whose_end_is_known_is_not_drawn_for(small_store: Store):
    begun(small_store)
    ended_task(small_store, "t1", 5, TaskStatus.failed)
    with pytest.raises(NoExperiment, match=r"experiment\.too-late"):
        assign(small_store, HERE, "words", "t1", after(hours=1))


def run_tasks(store: Store, num: int, fails: dict[str, float], seed: int = 1) -> None:
    """Tasks that fail by variant with these chances, and take as many tokens as they please."""
    rng = random.Random(seed)
    for i in range(num):
        variant = assign(store, HERE, "words", f"t{i}", after(minutes=i)).name
        status = TaskStatus.failed if rng.random() < fails[variant] else TaskStatus.completed
        ended_task(store, f"t{i}", i + 1, status, tokens=rng.randint(100, 900), duration_s=rng.random() * 60)


def test_a_variant_that_fails_less_is_better(small_store: Store):
    experiment = begun(small_store, metric="failed")
    run_tasks(small_store, 200, {"a": 0.6, "b": 0.2})
    found = compared(small_store, experiment)
    first, other = found.of("failed")
    assert sum(found.num_assigned.values()) == first.num + other.num == 200
    assert (first.difference, first.moved) == (None, None)
    assert other.moved is Moved.better
    assert None not in (first.value, other.value, other.difference)
    assert other.difference == pytest.approx((other.value or 0) - (first.value or 0))
    wilson = interval_of_rate(round((other.value or 0) * other.num), other.num)
    assert wilson is not None
    assert (other.low, other.high) == (wilson.low, wilson.high)
    tokens = found.of("tokens")
    assert tokens[1].moved is Moved.unclear
    assert all(one.median is not None and one.low is not None for one in tokens)


def test_a_sample_that_cannot_decide_says_so(small_store: Store):
    experiment = begun(small_store, metric="failed")
    assert compared(small_store, experiment).of("failed")[1].moved is Moved.too_few
    run_tasks(small_store, 90, {"a": 0.45, "b": 0.4}, seed=2)
    other = compared(small_store, experiment).of("failed")[1]
    assert other.moved is Moved.unclear
    assert other.difference_low is not None
    assert other.difference_high is not None
    assert other.difference_low < 0 < other.difference_high


def test_a_merge_counts_when_it_comes_and_a_task_without_a_pull_request_when_it_fails(small_store: Store):
    experiment = begun(small_store, Variant("a", 19), Variant("b", 1))
    variants = {}
    for number, task_id in ((1, "t1"), (2, "t2"), (3, "t3")):
        variants[task_id] = assign(small_store, HERE, "words", task_id, after()).name
        opened = pull(number=number, created_at=after(minutes=1), updated_at=after(minutes=1))
        small_store.pulls.see(opened, REPOSITORY, after(minutes=1))
        small_store.pulls.declare(HERE, number, DeclaredBy.api, after(minutes=1), task_id=task_id)
    variants["t4"] = assign(small_store, HERE, "words", "t4", after()).name
    ended_task(small_store, "t4", 9, TaskStatus.timed_out)
    ended_task(small_store, "t1", 9, TaskStatus.completed)
    for number, is_merged in ((1, True), (2, False)):
        _closed(small_store, number, is_merged)
    values = {"t1": 1, "t2": 0, "t4": 0}
    for one in compared(small_store, experiment).of("merged"):
        known = [value for task_id, value in values.items() if variants[task_id] == one.variant]
        assert (one.num, one.value) == (len(known), sum(known) / len(known) if known else None)


def _closed(store: Store, number: int, is_merged: bool) -> None:
    at = after(hours=1)
    facts: PullFacts = pull(
        number=number, state="closed", is_merged=is_merged, closed_at=at, merged_at=at if is_merged else None,
        created_at=after(minutes=1), updated_at=at + timedelta(seconds=1),
    )  # fmt: skip
    see_pull(store, REPOSITORY, facts, at)


def test_each_further_variant_is_compared_with_the_first(small_store: Store):
    experiment = begun(small_store, *(Variant(name, 1) for name in "abc"), metric="failed")
    run_tasks(small_store, 30, {"a": 0.5, "b": 0.5, "c": 0.5})
    found = compared(small_store, experiment).of("failed")
    assert [(one.variant, one.moved is None) for one in found] == [("a", True), ("b", False), ("c", False)]
