"""A delivery is stored once, handed out in order, tried again, and given up in the end."""

from __future__ import annotations

from datetime import datetime

import pytest

from assay.github_app.store import DeliveryRow, DeliveryState, Receipt, Store
from tests.github_app.remembering import after, take


def receive(store: Store, delivery_id: str, at: datetime, body: bytes = b"{}") -> Receipt:
    return store.deliveries.receive(delivery_id, "pull_request", "opened", "octo/shop", 7, 42, body, at)


def test_the_same_delivery_twice_is_one_row(store: Store):
    assert receive(store, "d1", after()) is Receipt.new
    assert receive(store, "d1", after(seconds=1)) is Receipt.known
    assert store.deliveries.counts()[DeliveryState.received] == 1


def test_the_body_comes_back_byte_for_byte(store: Store):
    body = bytes(range(256)) * 4
    receive(store, "d1", after(), body)
    row = store.deliveries.get("d1")
    assert row is not None
    assert (row.body, row.repository, row.number, row.installation_id, row.received_at) == (
        body,
        "octo/shop",
        7,
        42,
        after(),
    )


def test_deliveries_are_taken_oldest_first_and_by_one_taker(store: Store):
    for minute in (3, 1, 2):
        receive(store, f"d{minute}", after(minutes=minute))
    assert [row.id for row in take(store, 2, after(minutes=5))] == ["d1", "d2"]
    assert [row.id for row in take(store, 2, after(minutes=5))] == ["d3"]
    assert take(store, 2, after(minutes=5)) == ()


def test_what_a_dead_taker_held_is_handed_out_again_as_the_same_attempt(store: Store):
    receive(store, "d1", after())
    first = take(store, 1, after(minutes=1))
    again = take(store, 1, after(minutes=2, seconds=1), stale_s=60)
    assert [(row.id, row.attempt) for row in first + again] == [("d1", 1), ("d1", 1)]
    assert take(store, 1, after(minutes=3), stale_s=60) == ()


def test_a_taker_that_dies_before_every_job_is_enqueued_holds_nothing(store: Store):
    for minute in (1, 2):
        receive(store, f"d{minute}", after(minutes=minute))
    enqueued: list[str] = []

    def die_at_the_second(row: DeliveryRow) -> None:
        enqueued.append(row.id)
        if len(enqueued) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(store, 5, after(minutes=3), enqueue=die_at_the_second)
    assert enqueued == ["d1", "d2"]
    # The job of the first ran before the second taker came.
    store.deliveries.failed("d1", "GitHub could not answer", after(minutes=9), after(minutes=3))
    assert [(row.id, row.attempt) for row in take(store, 5, after(minutes=4))] == [("d2", 1)]
    assert [(row.id, row.attempt) for row in take(store, 5, after(minutes=9), stale_s=999)] == [("d1", 2)]


def test_a_failed_delivery_is_taken_again_when_its_time_has_come(store: Store):
    receive(store, "d1", after())
    take(store, 1, after())
    store.deliveries.failed("d1", "GitHub could not\x00 answer", after(minutes=2), after(minutes=1))
    store.deliveries.failed("d1", "said twice", after(minutes=2), after(minutes=1))
    assert take(store, 1, after(minutes=1, seconds=59)) == ()
    row = take(store, 1, after(minutes=2))[0]
    assert row.attempt == 2


def test_a_parked_delivery_waits_for_a_person_or_for_github(store: Store):
    for delivery_id in ("d1", "d2"):
        receive(store, delivery_id, after())
        take(store, 1, after())
        store.deliveries.park(delivery_id, "poison", after(minutes=1))
    assert {row.id for row in store.deliveries.parked()} == {"d1", "d2"}
    assert take(store, 5, after(hours=9)) == ()
    assert store.deliveries.release("d1", after(minutes=2))
    assert not store.deliveries.release("d1", after(minutes=2))
    assert receive(store, "d2", after(minutes=3)) is Receipt.again
    taken = take(store, 5, after(minutes=4))
    assert [(row.id, row.attempt) for row in taken] == [("d1", 2), ("d2", 2)]


def test_what_is_done_stays_done(store: Store):
    receive(store, "d1", after())
    take(store, 1, after())
    store.deliveries.done("d1", after(minutes=1))
    store.deliveries.failed("d1", "too late", after(minutes=2), after(minutes=2))
    store.deliveries.park("d1", "too late", after(minutes=2))
    assert receive(store, "d1", after(minutes=3)) is Receipt.known
    row = store.deliveries.get("d1")
    assert row is not None
    assert (row.state, row.error) == (DeliveryState.done, None)


def test_only_what_ended_long_ago_is_forgotten(store: Store):
    for number, end in enumerate(("done", "ignored", "parked", "failed", "received")):
        receive(store, end, after(seconds=number))
        if end != "received":
            take(store, 1, after())
    store.deliveries.done("done", after())
    store.deliveries.ignored("ignored", after())
    store.deliveries.park("parked", "poison", after())
    store.deliveries.failed("failed", "later", after(days=1), after())
    assert store.deliveries.purge(after(), after()) == 0
    assert [store.deliveries.purge(after(seconds=9), after()) for _ in range(3)] == [2, 1, 0]
    assert store.deliveries.oldest_waiting() == after(seconds=3)


def test_a_payload_is_small_and_kept_until_it_is_handled(store: Store):
    body = b'{"action": "opened", "repository": {"full_name": "octo/shop"}}' * 200
    for name in ("done", "ignored", "failed", "parked"):
        receive(store, name, after(), body)
        take(store, 1, after())
    assert len(store.deliveries.get("done").payload) < len(body) / 20  # type: ignore[union-attr]
    store.deliveries.done("done", after())
    store.deliveries.ignored("ignored", after())
    store.deliveries.failed("failed", "later", after(days=1), after())
    store.deliveries.park("parked", "poison", after())
    kept = {name: row.body for name in ("done", "ignored", "failed", "parked") if (row := store.deliveries.get(name))}
    assert kept == {"done": b"", "ignored": b"", "failed": body, "parked": body}
