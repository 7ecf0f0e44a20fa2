"""Whatever order a pull request's events come in, and however often: the same rows in the end."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from assay.github.events.model import Event, Person
from assay.github_app.outcomes import record
from assay.github_app.store import ChangedLines, Side, Store
from assay.github_app.store.database.columns import METADATA
from tests.examples import num_examples
from tests.github_app.outcomes.telling import checked, commented, pulled, pushed, reviewed, talked, threaded
from tests.github_app.remembering import after, line_comment, merged, pull, review, sha, store_at

TASK = "Task-Id: T-17\nPrompt-Version: shop-agent-3"
BOT = Person("copilot-swe-agent[bot]", 99, "Bot")
OPENED = pull(is_draft=True, body=TASK, author=BOT, head_ref="copilot/hats")
PUSHED = pull(body=TASK, author=BOT, head_ref="copilot/hats", head_sha=sha("d"), updated_at=after(minutes=10))
AT_ONCE = pull(
    body=TASK,
    author=BOT,
    head_ref="copilot/hats",
    head_sha=sha("c"),
    updated_at=after(minutes=10),
    num_added=5,
    num_removed=2,
)
EVER: dict[str, Any] = {"body": f"{TASK}\nMore", "author": BOT, "head_ref": "copilot/hats", "head_sha": sha("c")}
EDITED = pull(**EVER, updated_at=after(minutes=20))
LABELED = pull(**EVER, labels=("x",), updated_at=after(minutes=20))
MERGED = merged(after(minutes=30), **EVER, labels=("x",), num_added=9, num_removed=1)
ENDED = {"merged_at": after(minutes=30), "closed_at": after(minutes=30), "merged_by": None}
LATER = merged(after(minutes=40), **{**EVER, **ENDED})
FIX = merged(after(days=2), number=8, id=901, title="Fix hats", head_sha=sha("f"), merge_commit_sha=sha("9"))
BACK = merged(
    after(days=3),
    number=9,
    id=902,
    title='Revert "Sell hats"',
    body="Reverts octo/shop#7",
    head_ref="revert-7-hats",
    head_sha=sha("7"),
    merge_commit_sha=sha("8"),
)

LIFE: tuple[Event, ...] = (
    pulled("opened", OPENED),
    pulled("ready_for_review", pull(body=TASK, author=BOT, head_ref="copilot/hats", updated_at=after(minutes=5))),
    pulled("synchronize", PUSHED, sha("a")),
    pulled("synchronize", AT_ONCE, sha("d")),
    pulled("edited", EDITED),
    pulled("labeled", LABELED),
    reviewed(PUSHED, review(1, "changes_requested", after(minutes=8))),
    reviewed(EDITED, review(1, "dismissed", after(minutes=8)), "dismissed"),
    commented(PUSHED, line_comment(31, after(minutes=8), review_id=1)),
    commented(EDITED, line_comment(31, after(minutes=8), review_id=1, body="x", updated_at=after(minutes=9)), "edited"),
    talked(7, line_comment(40, after(minutes=9), path=None)),
    talked(7, line_comment(40, after(minutes=9), path=None, updated_at=after(minutes=12)), "deleted"),
    threaded(AT_ONCE, "resolved"),
    threaded(EDITED, "unresolved"),
    checked(head_sha=sha("c"), status="in_progress", conclusion=None, completed_at=None),
    checked(head_sha=sha("c")),
    pulled("closed", MERGED),
    pulled("labeled", LATER),
    pulled("closed", FIX),
    pulled("closed", BACK),
    pushed((sha("6"), f"Revert it\n\nThis reverts commit {sha('e')[:10]}.")),
)
"""A draft by an agent, two pushes within a second, a review, CI, the merge, a later fix, and two reverts."""

ARRIVED = {id(event): after(days=5, seconds=place) for place, event in enumerate(LIFE)}


def lived(store: Store, events: tuple[Event, ...]) -> dict[str, list[dict[str, Any]]]:
    """All rows after these events, without numbers that merely count arrivals."""
    places = [ChangedLines(Side.head, "hats.py", 3, 9)], [ChangedLines(Side.base, "hats.py", 8, 8)]
    store.changes.put(5, 7, sha("c"), places[0], after())
    store.changes.put(5, 8, sha("f"), places[1], after())
    for event in events:
        record(event, store, ARRIVED[id(event)])
    rows = {}
    with store._database.read() as connection:
        for table in METADATA.sorted_tables:
            found = [dict(row) for row in connection.execute(select(table)).mappings()]
            for row in found:
                for name in ("id",) if table.name == "task_events" else ("seen_at", "created_at", "updated_at"):
                    if table.name in ("task_events", "tasks") or name == "seen_at":
                        row.pop(name, None)
                if table.name == "pull_heads":
                    row["facts"] = {**row["facts"], "seen_at": None} if row["facts"] else None
            rows[table.name] = sorted(found, key=repr)
    return rows


orders = st.tuples(
    st.permutations(LIFE), st.lists(st.sampled_from(LIFE), max_size=12), st.randoms(use_true_random=False)
)


def shuffled(order: tuple[list[Event], list[Event], Any]) -> tuple[Event, ...]:
    """A permutation with some events told again, anywhere after."""
    events, again, chance = order
    told = list(events)
    for event in again:
        told.insert(chance.randint(0, len(told)), event)
    return tuple(told)


@pytest.fixture(scope="module")
def truth(empty_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The rows when everything comes in order."""
    file = tmp_path_factory.mktemp("truth") / "assay.sqlite"
    shutil.copyfile(empty_sqlite, file)
    with store_at(f"sqlite:///{file}") as store:
        return lived(store, LIFE)


def ends_the_same(empty_sqlite: Path, folder: Path, truth: dict[str, Any], order: Any) -> None:
    for beside in folder.iterdir():
        beside.unlink()
    shutil.copyfile(empty_sqlite, folder / "assay.sqlite")
    with store_at(f"sqlite:///{folder / 'assay.sqlite'}") as store:
        assert lived(store, shuffled(order)) == truth


@pytest.mark.soak
@settings(
    max_examples=num_examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(order=orders)
def test_any_order_with_repeats_ends_in_the_same_rows(empty_sqlite: Path, tmp_path: Path, truth, order):
    ends_the_same(empty_sqlite, tmp_path, truth, order)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(
    max_examples=num_examples(500), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(order=orders)
def test_any_of_many_orders_ends_in_the_same_rows(empty_sqlite: Path, tmp_path: Path, truth, order):
    ends_the_same(empty_sqlite, tmp_path, truth, order)


@pytest.mark.soak
@pytest.mark.postgres
@settings(
    max_examples=num_examples(3), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(order=orders)
def test_postgres_ends_in_the_very_same_rows(empty_postgres: str, postgres_server, truth, order):
    url = postgres_server.create_database(like=empty_postgres)
    with store_at(url) as store:
        assert lived(store, shuffled(order)) == truth
    postgres_server.drop_database(url)


def test_the_rows_say_what_happened(truth):
    (seven,) = [row for row in truth["pulls"] if row["number"] == 7]
    assert (seven["head_sha"], seven["is_merged"], seven["merged_by"]) == (sha("c"), True, "bo")
    assert (seven["opened_as_draft"], seven["ready_head"], seven["agent"]) == (True, sha("a"), "copilot")
    assert (seven["task_id"], seven["prompt_version"]) == ("T-17", "shop-agent-3")
    kinds = sorted((row["number"], row["kind"], row["cause"][:4]) for row in truth["outcomes"])
    assert kinds == [
        (7, "followed_by_fix", "#8"),
        (7, "merged", "cccc"),
        (7, "reverted", "#9"),
        (7, "reverted", "6666"),
        (8, "merged", "ffff"),
        (9, "merged", "7777"),
    ]
    sizes = {row["sha"]: (row["num_added"], row["num_removed"]) for row in truth["pull_heads"] if row["number"] == 7}
    assert sizes == {sha("a"): (None, None), sha("c"): (9, 1), sha("d"): (None, None)}
    assert truth["reviews"][0]["first_state"] == "changes_requested"
    assert truth["threads"][0]["is_resolved"] is False
    assert {row["kind"] for row in truth["task_events"]} >= {
        "pr_opened",
        "pr_ready_for_review",
        "head_pushed",
        "review_submitted",
        "review_dismissed",
        "comment_made",
        "thread_resolved",
        "thread_reopened",
        "check_completed",
        "pr_outcome_recorded",
    }
