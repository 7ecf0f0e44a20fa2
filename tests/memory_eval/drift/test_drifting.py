"""What became of a memory: kept, updated, deleted, lost, and when that is a finding."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from cmarkgfm import github_flavored_markdown_to_html

from assay.memory_eval import ExamUsageError, drift_html, drift_json, drift_markdown, drift_text, parsed_drift
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.drift.drifting import drift_of
from assay.memory_eval.drift.marks import Key
from assay.memory_eval.drift.recording import record_of
from assay.memory_eval.report.drift import Drift, EntryCounts, Point, Record
from tests.memory_eval.drift.memories import FORMS, KEY, SECRET, START, WEEK, Memory

LATER = START + WEEK
PEOPLE = [f"{first} {last}" for first in ("Ada", "Bo", "Cy", "Dee", "Eva") for last in ("Lund", "Reyes", "Orr", "Park")]
TEXTS = [f"The phone extension of {name} is {4000 + 17 * place}." for place, name in enumerate(PEOPLE)] + [
    f"The office of {name} is room B-{100 + place}." for place, name in enumerate(PEOPLE)
]


def live(*texts: str, **ids: str) -> list[Entry]:
    return [Entry(text, f"m{place}", "memory", created=START) for place, text in enumerate(texts)] + [
        Entry(text, name, "memory", created=START) for name, text in ids.items()
    ]


def gone(text: str, name: str) -> Entry:
    return Entry(text, name, "memory", created=START, state="history", valid_to=LATER)


def record(entries: list[Entry], requests: tuple[str, ...] = (), key: Key = KEY) -> Record:
    return record_of(Snapshot("simulated", tuple(entries), 1), key, requests=requests, taken_at=LATER)


def counts(drift: Drift) -> dict[str, int]:
    assert drift.kept is not None
    kept = drift.kept
    return {"kept": kept.num_kept, "updated": kept.num_updated, "deleted": kept.num_deleted, "lost": kept.num_lost}


def found(drift: Drift) -> dict[str, int]:
    return {sign.name: sign.count for sign in drift.findings}


OLD = record(live(*TEXTS))


def test_the_same_memory_has_no_finding():
    drift = drift_of(OLD, record(live(*TEXTS)))
    assert (drift.verdict, counts(drift)) == ("no findings", {"kept": 40, "updated": 0, "deleted": 0, "lost": 0})


@pytest.mark.parametrize(
    "texts",
    [
        [*TEXTS[:38], f"{TEXTS[38]}\n{TEXTS[39]}"],
        [*TEXTS[:39], "Room: B-119 (Eva Park)"],
        [*reversed(TEXTS)],
        [*TEXTS, "Ada Lund likes tea.", "The lease of Cy Orr ends on 3 May 2029."],
    ],
    ids=["merged", "reworded", "other ids", "grown"],
)
def test_a_fact_that_another_entry_holds_is_kept(texts: list[str]):
    drift = drift_of(OLD, record(live(*texts)))
    assert (drift.verdict, counts(drift)["kept"], drift.signs) == ("no findings", 40, ())


def test_another_value_of_the_same_thing_is_an_update_by_id_or_by_words():
    drift = drift_of(OLD, record(live("The phone extension of Ada Lund is 9999.", *TEXTS[1:])))
    assert counts(drift) == {"kept": 39, "updated": 1, "deleted": 0, "lost": 0}
    moved = live("Something else without values.", *TEXTS[1:], new="Ada Lund has the phone extension 9999.")
    assert counts(drift_of(OLD, record(moved)))["updated"] == 1


def test_a_deletion_on_record_or_on_request_is_no_loss():
    drift = drift_of(OLD, record([*live(*TEXTS[:39]), gone(TEXTS[39], "m39")]))
    assert counts(drift) == {"kept": 39, "updated": 0, "deleted": 1, "lost": 0}
    for line in ("m39", TEXTS[39], "Eva Park room B-119"):
        drift = drift_of(OLD, record(live(*TEXTS[:39]), (line,)))
        assert (counts(drift)["deleted"], drift.verdict) == (1, "no findings"), line


def test_one_fact_lost_of_forty_is_for_review_and_four_are_a_finding():
    emptied = [f"Entry {'abcd'[place]} was cleared." for place in range(4)]
    one = drift_of(OLD, record(live(*TEXTS[:39], emptied[0])))
    assert (one.verdict, [(sign.name, sign.count) for sign in one.reviews]) == ("no findings", [("lost", 1)])
    four = drift_of(OLD, record(live(*TEXTS[:36], *emptied)))
    assert (four.verdict, found(four)) == ("findings", {"lost": 4})
    assert four.kept is not None
    assert four.kept.least_shown is not None
    assert four.kept.least_shown <= 4


def test_below_thirty_facts_there_is_no_verdict_about_lost_facts():
    drift = drift_of(
        record(live(*TEXTS[:29])), record(live(*TEXTS[:15], *(f"Cleared {word}." for word in PREFERENCES)))
    )
    assert (drift.verdict, counts(drift)["lost"], drift.findings) == ("no verdict", 14, ())


PREFERENCES = [
    f"prefers {what} {where}"
    for what in ("tea", "short answers", "quiet rooms", "green pens", "rye bread")
    for where in ("in the morning", "when working", "on long trips", "with guests", "at home", "outdoors")
]
"""Entries without a number, date, identifier, name or quote: no fact of them can be compared."""
PAIR = f"{PREFERENCES[0]} and {PREFERENCES[1]}"


@pytest.mark.parametrize(
    ("new", "requests", "num_held", "num_gone"),
    [
        pytest.param(live(*PREFERENCES[:27]), (), 27, 3, id="three lost"),
        pytest.param(live(*PREFERENCES[:29]), (), 29, 1, id="one lost"),
        pytest.param(live(PAIR, *PREFERENCES[2:29]), (), 29, 1, id="two merged and one lost"),
        pytest.param([*live(*PREFERENCES[:28]), gone(PREFERENCES[29], "m29")], (), 28, 1, id="one deleted, one lost"),
        pytest.param(live(*PREFERENCES), (), 30, 0, id="the same"),
        pytest.param(live(*reversed(PREFERENCES)), (), 30, 0, id="in another order"),
        pytest.param(live(*(f"likes {one[8:]} best" for one in PREFERENCES)), (), 0, 0, id="reworded"),
        pytest.param(live(PAIR, *PREFERENCES[2:]), (), 30, 0, id="two merged"),
        pytest.param([*live(*PREFERENCES[:29]), gone(PREFERENCES[29], "m29")], (), 29, 0, id="deleted on record"),
        pytest.param(live(*PREFERENCES[:29]), (PREFERENCES[29],), 29, 0, id="deleted on request"),
        pytest.param(live(*PREFERENCES, "writes in blue ink"), (), 30, 0, id="grown"),
    ],
)
def test_fewer_entries_without_a_record_are_a_finding_whatever_they_say(
    new: list[Entry], requests: tuple[str, ...], num_held: int, num_gone: int
):
    drift = drift_of(record(live(*PREFERENCES)), record(new, requests))
    num_now = sum(entry.state == "live" for entry in new)
    share = 1 - num_gone / 30
    assert drift.entries == EntryCounts(30, num_now, 0, num_held, num_gone, share)
    assert found(drift) == ({"entries gone": num_gone} if num_gone else {})
    assert drift.verdict == ("findings" if num_gone else "no verdict")
    assert (drift.share_kept, drift.history[-1].kept) == (share, share)


def test_a_merged_entry_that_is_all_value_is_not_gone():
    log = '"SEC-21823","payroll-db","type:failed login"'
    counted = drift_of(
        record(live(log, *PREFERENCES)), record(live(f"{log}\n{PREFERENCES[0]}", *PREFERENCES[1:]))
    ).entries
    assert counted is not None
    assert (counted.num_held, counted.num_gone) == (31, 0)


def test_copies_that_became_one_entry_and_an_entry_that_expired_are_not_gone():
    ended = replace(live("is in Oslo this week")[0], id="trip", valid_to=LATER)
    old = record([*live(*PREFERENCES), *live(PREFERENCES[0], PREFERENCES[0])[1:], ended])
    counted = drift_of(old, record(live(*PREFERENCES))).entries
    assert counted is not None
    assert (counted.num_before, counted.num_now, counted.num_gone) == (32, 30, 0)


def test_kept_is_the_smaller_of_facts_and_entries():
    old = record(live(*TEXTS, *PREFERENCES))
    entries_lost = drift_of(old, record(live(*TEXTS)))
    assert (counts(entries_lost)["kept"], found(entries_lost)) == (40, {"entries gone": 30})
    assert entries_lost.share_kept == pytest.approx(4 / 7)
    facts_lost = drift_of(old, record(live(*TEXTS[:20], *PREFERENCES, *("Cleared." for _ in range(20)))))
    assert (found(facts_lost), facts_lost.share_kept) == ({"lost": 20}, 0.5)


def test_the_first_record_has_no_verdict():
    assert (drift_of(None, OLD).verdict, drift_of(None, OLD).kept) == ("no verdict", None)


def test_a_value_that_went_back_is_a_finding():
    changed = "The phone extension of Ada Lund is 9999."
    old = record(live(changed, *TEXTS[1:]))
    assert found(drift_of(old, OLD, OLD)) == {"gone back": 1}
    current = drift_of(old, old, OLD)
    assert current.updated is not None
    assert (current.verdict, current.updated.num_current) == ("no findings", 1)
    # A store that records the replaced text needs no older snapshot.
    recorded = record([*live(changed, *TEXTS[1:]), gone(TEXTS[0], "m0")])
    assert found(drift_of(recorded, OLD)) == {"gone back": 1}


def test_what_was_deleted_and_is_live_again_is_a_finding():
    old = record([*live(*TEXTS[:39]), gone(TEXTS[39], "m39")])
    assert found(drift_of(old, OLD)) == {"undeleted": 1}
    reworded = record(live(*TEXTS[:39], other="Eva Park sits in room B-119."))
    assert found(drift_of(old, reworded)) == {"undeleted": 1}
    again = [*live(*TEXTS[:39]), replace(gone(TEXTS[39], "new"), state="live", valid_to=None, created=LATER + WEEK)]
    told = drift_of(old, record(again))
    assert (told.verdict, [sign.name for sign in told.reviews]) == ("no findings", ["stated again"])


def test_a_deleted_copy_of_a_live_entry_is_no_finding():
    old = record([*live(*TEXTS), gone(TEXTS[0], "copy")])
    assert drift_of(old, OLD).findings == ()


def test_requests_are_checked_in_live_entries_and_in_history():
    drift = drift_of(OLD, record([*live(*TEXTS[:39]), gone(TEXTS[39], "m39")], ("m0", TEXTS[39], "nothing like it")))
    assert found(drift) == {"not forgotten": 1, "still in history": 1}


def test_a_secret_that_stays_after_its_deletion_or_comes_back_is_a_finding():
    old = record(live(*TEXTS, secret=SECRET))
    kept = drift_of(old, record([*live(*TEXTS), gone(SECRET, "secret")]))
    assert found(kept) == {"secret kept": 1}
    assert found(drift_of(OLD, record(live(*TEXTS, other=f"Note: {SECRET}")), old)) == {"secret back": 1}
    # In a memory too small for a verdict about losses, too.
    small = drift_of(record(live(secret=SECRET)), record([gone(SECRET, "secret"), *live("Ada Lund.")]))
    assert (small.verdict, found(small)) == ("findings", {"secret kept": 1})


def test_health_is_compared_and_only_for_review():
    drift = drift_of(OLD, record(live(*TEXTS, other=SECRET)))
    assert (drift.verdict, [(sign.name, sign.count) for sign in drift.reviews]) == ("no findings", [("secret", 1)])


def test_records_of_another_key_are_refused():
    with pytest.raises(ExamUsageError) as refused:
        drift_of(OLD, record(live(*TEXTS), key=Key("another", is_secret=True)))
    assert refused.value.code == "drift.other-key"


def test_the_json_has_no_text_of_the_memory_and_is_read_back():
    drift = drift_of(OLD, record(live(*TEXTS[:36], secret=SECRET), ("Ada Lund",)))
    text = drift_json(drift)
    assert parsed_drift(text.encode(), "here") == drift
    words = {word.strip(".:").casefold() for line in (*TEXTS, SECRET) for word in line.split()}
    kept = json.dumps(json.loads(text)["record"]).casefold()
    assert [word for word in words if len(word) > 3 and not word.isdigit() and word in kept] == []


def test_a_record_of_the_version_before_is_read_as_long_as_it_has_its_fields():
    data = json.loads(drift_json(drift_of(OLD, OLD))) | {"schema_version": 1}
    data["kept"] |= {"ages": [{"name": "older", "num_facts": 1, "num_kept": 1}]}
    del data["entries"]
    read = parsed_drift(json.dumps(data).encode(), "here")
    assert (read.record, read.entries) == (OLD, None)
    with pytest.raises(ExamUsageError) as refused:
        parsed_drift(json.dumps(data | {"schema_version": 3}).encode(), "here")
    assert refused.value.code == "drift.unreadable"


HOSTILE = "<img src=x> [a](https://evil.example) @team | `x` \x1b[31m"


def test_text_of_a_record_is_escaped_in_every_form():
    hostile = replace(OLD, format=HOSTILE, notes=(HOSTILE,), health={HOSTILE: 0}, retriever=HOSTILE)
    new = replace(hostile, health={HOSTILE: 3})
    drift = drift_of(hostile, new, history=[Point(HOSTILE, 1, 1, 1.0, 1.0, 1, "findings")])
    for text in (drift_markdown(drift), drift_html(drift), drift_text(drift)):
        assert "\x1b" not in text
    html = github_flavored_markdown_to_html(drift_markdown(drift)) + drift_html(drift)
    assert "<img" not in html
    assert 'href="https://evil' not in html


@pytest.mark.parametrize(
    "change",
    [
        {"taken_at": "yesterday"},
        {"asked": [["a", 0]]},
        {"notes": ["x"] * 100},
        {"entries": [["a", "b", "live", "then", None, False, "abc", [], [], []]]},
        {"entries": [["a", "b", "live", None, None, False, "abcd", [], [], []]]},
        {"entries": [["a", "b", "live", None, None, False, "abc", [], [], [["date", [], "", "", "", 0, False]]]]},
        {"entries": [["a", "b", "asleep", None, None, False, "abc", [], [], []]]},
        {"entries": "all"},
    ],
)
def test_a_record_that_no_run_wrote_is_refused(change: dict[str, Any]):
    data = json.loads(drift_json(drift_of(None, OLD)))
    assert parsed_drift(json.dumps(data).encode(), "here").record == OLD
    data["record"] |= change
    with pytest.raises(ExamUsageError) as refused:
        parsed_drift(json.dumps(data).encode(), "here")
    assert refused.value.code == "drift.unreadable"


def test_the_history_grows_by_one_run_and_keeps_the_last():
    first = drift_of(None, OLD)
    second = drift_of(OLD, OLD, history=first.history)
    assert [point.kept for point in second.history] == [None, 1.0]
    assert len(drift_of(OLD, OLD, history=second.history * 80).history) == 100


def test_a_quiet_week_and_one_of_growth_have_no_finding_and_a_loss_has():
    memory = Memory(1)
    old = memory.record()
    for step in (memory.quiet_week, memory.week_of_growth):
        step()
        new = memory.record()
        assert (drift_of(old, new).verdict, drift_of(old, new).findings) == ("no findings", ())
        old = new
    memory.lose(0.05)
    assert list(found(drift_of(old, memory.record()))) == ["entries gone", "lost"]


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("form", FORMS)
def test_false_alarms_and_losses_found_over_many_runs(form: str):
    """20 quiet weeks, 10 weeks of growth, 20 losses of 5 %: print what was said, and count."""
    quiet = growth = 0
    losses, lost_facts = [], []
    for seed in range(1, 5):
        memory = Memory(seed, form)
        old, earlier = memory.record(), None
        for week in range(8):
            (memory.quiet_week if week < 5 else memory.week_of_growth)()
            new = memory.record()
            alarm = drift_of(old, new, earlier).has_findings
            quiet, growth = quiet + (alarm and week < 5), growth + (alarm and week >= 5)
            earlier, old = old, new
        kept = dict(memory.live)
        for _ in range(5):
            memory.live = dict(kept)
            memory.lose(0.05)
            drift = drift_of(old, memory.record(), earlier)
            losses.append("lost" in found(drift))
            assert "entries gone" in found(drift)
            assert drift.kept is not None
            lost_facts.append(drift.kept.num_lost / drift.kept.num_facts)
    shown = f"{100 * sum(lost_facts) / len(lost_facts):.1f} % of facts"
    print(f"\n{form:20}: quiet {quiet}/20, growth {growth}/12, 5 % lost found {sum(losses)}/20 ({shown})")
    assert (quiet, growth) == (0, 0)
    assert sum(losses) >= (20 if form in ("one fact an entry", "reworded") else 18)
