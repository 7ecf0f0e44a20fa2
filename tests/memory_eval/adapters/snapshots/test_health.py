"""What is said twice, is empty, old or contradicted is counted; what only looks so is not."""

from __future__ import annotations

from datetime import date

from assay.memory_eval.adapters.snapshots.health import health_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot


def health(*entries: Entry) -> dict[str, int | None]:
    return health_of(Snapshot("text", entries, 0))


def entry(text: str, about: str | None = "Ada", day: date | None = None) -> Entry:
    return Entry(text, "m:1", "item", about, day)


def test_the_same_thing_said_twice_is_counted_once():
    assert health(entry("Likes tea."), entry("likes  tea"), entry("likes coffee"))["num_duplicate"] == 1


def test_two_values_for_one_thing_s_attribute_contradict():
    assert health(entry("Ada: pet: cat"), entry("Ada: the pet is a dog"))["num_contradictory"] == 2
    assert health(entry("Ada: pet: cat"), entry("Ada: Pet: Cat."))["num_contradictory"] == 0
    assert health(entry("Ada: pet: cat"), entry("Bo: pet: dog", "Bo"))["num_contradictory"] == 0
    assert health(entry("Ada: pet: cat"), entry("Ada: hobby: chess"))["num_contradictory"] == 0


def test_a_newer_value_replaces_and_does_not_contradict():
    old, new = entry("Ada: role: intern", day=date(2024, 1, 1)), entry("Ada: role: lead", day=date(2025, 1, 1))
    assert health(old, new)["num_contradictory"] == 0
    assert health(old, new)["num_stale"] == 1


def test_old_is_counted_from_the_newest_and_unknown_where_no_day_is_told():
    assert health(entry("a", day=date(2020, 1, 1)), entry("b", day=date(2020, 3, 1)))["num_stale"] == 0
    assert health(entry("a"))["num_stale"] is None


def test_the_first_day_of_the_calendar_is_a_day():
    assert health(entry("a", day=date(1, 1, 1)))["num_stale"] == 0


def test_empty_entries_are_counted_and_say_nothing_else():
    assert health(entry(" "), entry("")) == {
        "num_duplicate": 0,
        "num_empty": 2,
        "num_contradictory": 0,
        "num_stale": None,
    }
