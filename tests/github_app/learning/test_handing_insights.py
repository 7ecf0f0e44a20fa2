"""Insights handed back: to whom is written down once, and counts in the task's memory and in the metrics."""

from __future__ import annotations

from assay.github_app.learning.handout.delivery import MEMORY, deliver_insights, memory_state, rules_for
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.metrics import metrics
from assay.github_app.store import DeclaredBy, InsightType, Store
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.remembering import REPOSITORY, after, pull

ID, TASK, RULE = REPOSITORY.id, "01J0000000000000000000TASK", "0000000000a1"


def learned(store: Store, text: str) -> str:
    row, _ = store.insights.put(ID, InsightType.note, text, after(), source="api", seen_at=after())
    return row.id


def measured(store: Store, task_id: str | None = TASK) -> PullMeasures:
    """The figures of the pull request 9, made for the task."""
    store.pulls.see(pull(number=9, created_at=after(hours=2)), REPOSITORY, after(hours=2))
    if task_id:
        store.pulls.declare(ID, 9, DeclaredBy.trailer, after(hours=2), task_id=task_id)
    (found,) = measures(store)
    return found


def state(store: Store) -> str | None:
    task = store.tasks.get(ID, TASK)
    return task.memory_state if task else None


def test_an_insight_is_handed_to_a_task_once_for_each_way(small_store: Store):
    first, second = learned(small_store, "the tests need a database"), learned(small_store, "use Node 22")
    for hours in (1, 2):
        deliver_insights(small_store, ID, [first, second, first], task_id=TASK, how="mcp", at=after(hours=hours))
    deliver_insights(small_store, ID, [first], number=9, how="api", at=after(hours=3))
    found = small_store.insights.handouts(ID, task_id=TASK)
    assert {(one.insight_id, one.how, one.at) for one in found} == {
        (first, "mcp", after(hours=1)),
        (second, "mcp", after(hours=1)),
    }
    (pulled,) = small_store.insights.handouts(ID, number=9)
    assert (pulled.insight_id, pulled.reader, pulled.task_id) == (first, "pull:9", None)
    assert small_store.insights.handouts(ID + 1) == ()


def test_an_insight_that_is_purged_was_handed_to_nobody(small_store: Store):
    first = learned(small_store, "the tests need a database")
    deliver_insights(small_store, ID, [first], task_id=TASK, how="mcp", at=after())
    assert small_store.insights.purge(first)
    assert small_store.insights.handouts(ID) == ()


def test_the_memory_of_a_task_is_its_rules_and_its_insights(small_store: Store):
    put_rule(small_store, RULE, "use the log, not `print`", over=["print"])
    rules_for(small_store, ID, [], task_id=TASK, how="mcp", at=after())
    with_rules = state(small_store)
    assert with_rules is not None
    assert with_rules.startswith(MEMORY)
    deliver_insights(small_store, ID, [learned(small_store, "use Node 22")], task_id=TASK, how="mcp", at=after())
    assert state(small_store) not in (None, with_rules)
    assert memory_state({"a": "x"}) == memory_state({"a": "x"}, {}) != memory_state({"a": "x"}, {"b": "y"})


def test_what_its_harness_declared_stays(small_store: Store):
    small_store.tasks.put(ID, TASK, after(), memory_state="snapshot-7")
    deliver_insights(small_store, ID, [learned(small_store, "use Node 22")], task_id=TASK, how="mcp", at=after())
    assert state(small_store) == "snapshot-7"


def test_the_metric_counts_them_for_the_task_and_for_the_pull_request(small_store: Store):
    ids = [learned(small_store, text) for text in ("use Node 22", "the tests need a database", "ask for a review")]
    deliver_insights(small_store, ID, ids[:2], task_id=TASK, how="mcp", at=after())
    deliver_insights(small_store, ID, ids[1:], number=9, how="api", at=after())
    deliver_insights(small_store, ID, ids, task_id="another", how="mcp", at=after())
    found = measured(small_store)
    assert (found.num_insights_handed, found.num_rules_handed, found.hydration) == (3, 0, "insights")
    (row,) = metrics([found], names=["insights_handed"])
    assert (row.value, row.n, row.unit) == (3.0, 1, "insights")


def test_a_maker_who_was_handed_nothing_is_not_in_it(small_store: Store):
    found = measured(small_store, None)
    assert (found.num_insights_handed, found.hydration) == (0, "none")
    (row,) = metrics([found], names=["insights_handed"])
    assert (row.value, row.n) == (None, 0)
