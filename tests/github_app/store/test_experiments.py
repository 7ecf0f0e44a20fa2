"""Experiments, and who ran under which prompt, are kept the same on both databases."""

from __future__ import annotations

import threading

import pytest

from assay.github_app.store import DeclaredBy, ExperimentRow, Store, Variant
from tests.github_app.remembering import REPOSITORY, after, pull

HERE = REPOSITORY.id
WORDS = ExperimentRow(
    HERE, "words", "kinder words", "salt", (Variant("a", 0.5), Variant("b", 0.5, "v2")),
    "merged", after(), "ada", None, None, None,
)  # fmt: skip


def test_an_experiment_comes_back_as_it_was(store: Store):
    assert store.experiments.create(WORDS)
    assert not store.experiments.create(WORDS)
    assert store.experiments.get(HERE, "words") == WORDS
    assert store.experiments.of([HERE]) == store.experiments.of() == (WORDS,)
    assert store.experiments.of([HERE + 1]) == ()
    assert WORDS.variant("b") == Variant("b", 0.5, "v2")
    assert store.experiments.end(HERE, "words", after(days=1), by="bo", conclusion="b")
    assert not store.experiments.end(HERE, "words", after(days=2), by="cy", conclusion="a")
    ended = store.experiments.get(HERE, "words")
    assert ended is not None
    assert (ended.ended_at, ended.ended_by, ended.conclusion) == (after(days=1), "bo", "b")


def test_a_task_has_one_variant_whoever_asks_at_once(store: Store):
    store.experiments.create(WORDS)
    given: list[str] = []

    def ask(variant: str) -> None:
        given.append(store.experiments.assign(HERE, "words", "t1", variant, after()))

    asking = [threading.Thread(target=ask, args=(variant,)) for variant in "abab"]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(set(given)) == 1
    (kept,) = store.experiments.assignments(HERE, "words")
    assert kept.variant == given[0]
    assert store.experiments.of_task(HERE, "t1") == {"words": given[0]}


def test_nothing_is_assigned_where_nothing_is_tried(store: Store):
    with pytest.raises(LookupError):
        store.experiments.assign(HERE, "words", "t1", "a", after())
    store.experiments.create(WORDS)
    store.experiments.end(HERE, "words", after(), by=None, conclusion="")
    with pytest.raises(LookupError):
        store.experiments.assign(HERE, "words", "t1", "a", after())


def test_who_ran_under_which_prompt(store: Store):
    for number, version in ((3, "v1"), (1, "v1"), (2, "v2")):
        store.pulls.see(pull(number=number), REPOSITORY, after())
        store.pulls.declare(HERE, number, DeclaredBy.api, after(), prompt_version=version)
    store.pulls.see(pull(number=4), REPOSITORY, after())
    store.tasks.put(HERE, "t1", after(), prompt_version="v2")
    store.tasks.put(HERE, "t2", after())
    assert store.prompt_versions.pulls_under(HERE) == {"v1": (1, 3), "v2": (2,)}
    assert store.prompt_versions.tasks_under(HERE) == {"v2": 1}
