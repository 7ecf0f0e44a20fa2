"""What people decided and what we said: holds, waivers, fix cycles, alerts, what stands on GitHub, outcomes."""

from __future__ import annotations

from assay.github_app.store import OutcomeKind, PublishedRow, Store, WaiverKind
from tests.github_app.remembering import after, sha


def test_a_hold_stands_until_somebody_releases_it_for_that_head(store: Store):
    placed = store.holds.place(5, 7, sha("a"), "high", ["dependents"], after())
    assert placed.is_active
    same = store.holds.place(5, 7, sha("a"), "critical", ["schema"], after(minutes=1))
    assert (same.turn, same.level, same.reasons, same.placed_at) == (1, "critical", ("schema",), after())
    released = store.holds.release(5, 7, sha("a"), "bo", "we know", after(minutes=2))
    assert released is not None
    assert (released.released_by, released.release_reason, released.is_active) == ("bo", "we know", False)
    assert store.holds.release(5, 7, sha("a"), "cy", "me too", after(minutes=3)) is None
    assert store.holds.current(5, 7, sha("b")) is None


def test_a_released_hold_is_placed_again_only_by_a_person_or_at_another_level(store: Store):
    store.holds.place(5, 7, sha("a"), "high", ["x"], after())
    store.holds.release(5, 7, sha("a"), "bo", "ok", after(minutes=1))
    assert not store.holds.place(5, 7, sha("a"), "high", ["x"], after(minutes=2)).is_active
    by_hand = store.holds.place(5, 7, sha("a"), "high", ["asked"], after(minutes=3), by="cy")
    assert (by_hand.is_active, by_hand.turn, by_hand.placed_by) == (True, 2, "cy")
    store.holds.release(5, 7, sha("a"), "bo", "ok", after(minutes=4))
    assert store.holds.place(5, 7, sha("a"), "critical", ["worse"], after(minutes=5)).turn == 3
    assert [hold.turn for hold in store.holds.history(5, 7)] == [1, 2, 3]


def test_a_waiver_is_replaced_by_a_later_one_and_can_be_taken_back(store: Store):
    assert store.waivers.put(5, 7, "f1", WaiverKind.fp, "bo", "no bug", sha("a"), after(minutes=1))
    assert not store.waivers.put(5, 7, "f1", WaiverKind.accept, "cy", "late", sha("a"), after())
    assert store.waivers.put(5, 7, "f1", WaiverKind.accept, "cy", "we live with it", sha("b"), after(minutes=2))
    waiver = store.waivers.of(5, 7)["f1"]
    assert (waiver.kind, waiver.by, waiver.head_sha) == (WaiverKind.accept, "cy", sha("b"))
    assert store.waivers.of(5, 8) == {}
    assert store.waivers.remove(5, 7, "f1")
    assert not store.waivers.remove(5, 7, "f1")


def test_fix_cycles_are_counted_once_per_head(store: Store):
    assert store.cycles.add(5, 7, "risk", sha("a"), "print", None, "codex", after())
    assert not store.cycles.add(5, 7, "risk", sha("a"), "print", 99, "codex", after())
    assert store.cycles.add(5, 7, "risk", sha("b"), "print", 100, "codex", after(minutes=1))
    assert [(c.head_sha[0], c.comment_id) for c in store.cycles.of(5, 7, "risk")] == [("a", 99), ("b", 100)]
    assert store.cycles.of(5, 7, "tool-validation") == ()


def test_an_alert_is_sent_once_unless_it_could_not_be_sent(store: Store):
    assert store.alerts.once("critical", "5#7", after())
    assert not store.alerts.once("critical", "5#7", after())
    store.alerts.take_back("critical", "5#7")
    assert store.alerts.once("critical", "5#7", after())


def test_what_stands_on_github_is_known_and_never_older_than_known(store: Store):
    assert store.published.get(5, 7) == PublishedRow()
    row = PublishedRow(sha("a"), 1, 2, (3, 4), "risk:high", {"digest": "x\x00"})
    assert store.published.put(5, 7, row, after(minutes=1))
    assert not store.published.put(5, 7, PublishedRow(), after())
    assert store.published.get(5, 7) == row


def test_an_outcome_is_kept_once_per_cause_with_the_fuller_account(store: Store):
    put = store.outcomes.put
    assert put(5, 7, OutcomeKind.merged, sha("a"), after(), detail={"merged_by": "bo"})
    assert not put(5, 7, OutcomeKind.merged, sha("a"), after())
    assert put(5, 7, OutcomeKind.reverted, sha("a"), after(days=1), cause=sha("d"))
    assert put(5, 7, OutcomeKind.reverted, sha("a"), after(days=2), cause="#9")
    kinds = [(row.kind, row.cause[:2]) for row in store.outcomes.of(5, 7)]
    assert kinds == [("merged", "aa"), ("reverted", "dd"), ("reverted", "#9")]
    assert store.outcomes.of(5, 7)[0].detail == {"merged_by": "bo"}
