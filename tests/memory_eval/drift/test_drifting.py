"""What became of a memory: kept, changed, removed on record, gone, and when that is a finding."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from cmarkgfm import github_flavored_markdown_to_html

from assay.memory_eval import ExamUsageError, WorldUnreadable, parsed_drift, rendered
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.drift.comparing import drift_of
from assay.memory_eval.drift.record import Key, record_of
from assay.memory_eval.report.drift import Drift, Record
from tests.memory_eval.drift.memories import FORMS, KEY, SECRET, START, WEEK, Memory

LATER = START + WEEK
PEOPLE = [f"{first} {last}" for first in ("Ada", "Bo", "Cy", "Dee", "Eva") for last in ("Lund", "Reyes", "Orr", "Park")]
TEXTS = [f"The phone extension of {name} is {4000 + 17 * place}." for place, name in enumerate(PEOPLE)] + [
    f"The office of {name} is room B-{100 + place}." for place, name in enumerate(PEOPLE)
]
PREFERENCES = [
    f"prefers {what} {where}"
    for what in ("tea", "short answers", "quiet rooms", "green pens", "rye bread")
    for where in ("in the morning", "when working", "on long trips", "with guests", "at home", "outdoors")
]
PAIR = f"{PREFERENCES[0]} and {PREFERENCES[1]}"


def live(*texts: str, **ids: str) -> list[Entry]:
    return [Entry(text, f"m{place}", "memory", created=START) for place, text in enumerate(texts)] + [
        Entry(text, name, "memory", created=START) for name, text in ids.items()
    ]


def gone(text: str, name: str) -> Entry:
    return Entry(text, name, "memory", created=START, state="history", valid_to=LATER)


def record(entries: list[Entry], requests: tuple[str, ...] = (), key: Key = KEY) -> Record:
    return record_of(Snapshot("simulated", tuple(entries), 1), key, requests=requests, taken_at=LATER)


def counts(drift: Drift) -> tuple[int, int, int, int]:
    """Kept, changed, removed on record, gone."""
    assert drift.entries is not None
    one = drift.entries
    return one.num_kept, one.num_changed, one.num_on_record, one.num_gone


def found(drift: Drift) -> dict[str, int]:
    return {sign.name: sign.count for sign in drift.findings}


OLD = record(live(*TEXTS))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(TEXTS, (40, 0, 0, 0), id="the same"),
        pytest.param([*TEXTS[:38], f"{TEXTS[38]}\n{TEXTS[39]}"], (40, 0, 0, 0), id="merged"),
        pytest.param([*TEXTS[:39], "Room: B-119 (office of Eva Park)"], (40, 0, 0, 0), id="reworded"),
        pytest.param([*reversed(TEXTS)], (40, 0, 0, 0), id="other ids"),
        pytest.param([*TEXTS, "Ada Lund likes tea."], (40, 0, 0, 0), id="grown"),
        pytest.param([*TEXTS[:39], "The office of Eva Park is room C-7."], (39, 1, 0, 0), id="another value"),
        pytest.param(["Something else altogether.", *TEXTS[1:]], (39, 1, 0, 0), id="other words, same id"),
    ],
)
def test_what_another_entry_holds_or_says_otherwise_is_not_gone(texts: list[str], expected: tuple[int, ...]):
    drift = drift_of(OLD, record(live(*texts)))
    assert (drift.verdict, counts(drift), drift.findings) == ("no findings", expected, ())


@pytest.mark.parametrize(
    ("new", "requests", "expected"),
    [
        pytest.param(live(*PREFERENCES[:27]), (), (27, 0, 0, 3), id="three lost"),
        pytest.param(live(*PREFERENCES[:29]), (), (29, 0, 0, 1), id="one lost"),
        pytest.param(live(PAIR, *PREFERENCES[2:29]), (), (29, 0, 0, 1), id="two merged and one lost"),
        pytest.param([*live(*PREFERENCES[:28]), gone(PREFERENCES[29], "m29")], (), (28, 0, 1, 1), id="one deleted"),
        pytest.param(live(*PREFERENCES), (), (30, 0, 0, 0), id="the same"),
        pytest.param(live(PAIR, *PREFERENCES[2:]), (), (30, 0, 0, 0), id="two merged"),
        pytest.param([*live(*PREFERENCES[:29]), gone(PREFERENCES[29], "m29")], (), (29, 0, 1, 0), id="on record"),
        pytest.param(live(*PREFERENCES[:29]), (PREFERENCES[29],), (29, 0, 1, 0), id="on request"),
        pytest.param(live(*PREFERENCES[:29]), ("m29",), (29, 0, 1, 0), id="on request by id"),
        pytest.param(live(*PREFERENCES[:29], new="writes in blue ink"), (), (29, 0, 0, 1), id="lost, and one new"),
    ],
)
def test_an_entry_that_nothing_explains_is_a_finding_whatever_it_says(
    new: list[Entry], requests: tuple[str, ...], expected: tuple[int, int, int, int]
):
    drift = drift_of(record(live(*PREFERENCES)), record(new, requests))
    assert counts(drift) == expected
    assert found(drift) == ({"entries gone": expected[3]} if expected[3] else {})
    assert drift.share_kept == (expected[0] + expected[1]) / (30 - expected[2])


REVERSALS = (
    ("Ada Lund is allergic to shellfish.", "Ada Lund is not allergic to shellfish."),
    ("Bo Reyes likes Chinese food.", "Bo Reyes hates Chinese food."),
    ("Never commit to the main branch directly.", "Commit to the main branch directly."),
    ("Cy Orr prefers tea over coffee.", "Cy Orr doesn't like tea over coffee."),
    ("Dee Park has access to the vault.", "Dee Park has no access to the vault."),
    ("Eva Lund is drinking green tea.", "Eva Lund is no longer drinking green tea."),
    ("Ask before deleting files.", "Do not ask before deleting files."),
    ("The backup cannot be restored from the console.", "The backup can be restored from the console."),
)


@pytest.mark.parametrize(("before", "after"), REVERSALS)
@pytest.mark.parametrize("has_same_id", [True, False])
def test_a_reversal_is_a_finding_with_or_without_its_id(before: str, after: str, has_same_id: bool):
    new = live(*TEXTS, **{"a" if has_same_id else "b": after})
    drift = drift_of(record(live(*TEXTS, a=before)), record(new))
    assert (found(drift), counts(drift)) == ({"reversed": 1}, (40, 1, 0, 0))
    on_record = record([*live(*TEXTS, a=after), gone(before, "a")])
    assert found(drift_of(record(live(*TEXTS, a=before)), on_record)) == {}


def test_a_statement_given_to_another_name_is_a_finding():
    old = [f"The hobby of {name} is {hobby}." for name, hobby in zip(PEOPLE, PREFERENCES, strict=False)]
    moved = [f"The hobby of {name} is {hobby}." for name, hobby in zip(PEOPLE[::-1], PREFERENCES, strict=False)]
    assert found(drift_of(record(live(*old)), record(live(*moved)))) == {"other subject": 20}


def test_copies_that_became_one_entry_and_an_entry_that_expired_are_not_gone():
    ended = replace(live("is in Oslo this week")[0], id="trip", valid_to=LATER)
    old = record([*live(*PREFERENCES), *live(PREFERENCES[0], PREFERENCES[0])[1:], ended])
    assert counts(drift_of(old, record(live(*PREFERENCES))))[3] == 0


def test_the_first_record_has_no_verdict():
    drift = drift_of(None, OLD)
    assert (drift.verdict, drift.entries, drift.share_kept) == ("no verdict", None, None)


def test_what_was_deleted_or_replaced_and_is_live_again_under_its_id_is_a_finding():
    old = record([*live(*TEXTS[:39]), gone(TEXTS[39], "m39")])
    assert found(drift_of(old, OLD)) == {"back": 1}
    replaced = record([*live("The phone extension of Ada Lund is 9999.", *TEXTS[1:]), gone(TEXTS[0], "m0")])
    assert found(drift_of(replaced, OLD)) == {"back": 1}
    assert found(drift_of(old, record(live(*TEXTS[:39], new=TEXTS[39])))) == {}


def test_requests_are_checked_in_live_entries_and_in_history():
    lines = ("m0", TEXTS[39], "Bo Lund extension 4068", "nothing like it")
    drift = drift_of(OLD, record([*live(*TEXTS[:39]), gone(TEXTS[39], "m39")], lines))
    assert found(drift) == {"not forgotten": 2, "still in history": 1}


def test_a_secret_of_a_deleted_entry_is_a_finding_while_the_store_has_it():
    old = record(live(*TEXTS, secret=SECRET))
    assert found(drift_of(old, record([*live(*TEXTS), gone(SECRET, "secret")]))) == {"secret kept": 1}
    deleted = record([*live(*TEXTS), gone(SECRET, "secret")])
    assert found(drift_of(deleted, record(live(*TEXTS, other=f"Note: {SECRET}")))) == {"secret kept": 1}


def test_records_of_different_keys_are_not_compared():
    with pytest.raises(ExamUsageError, match="different keys"):
        drift_of(record(live(*TEXTS), key=Key("another", is_secret=True)), OLD)


# ------------------------------------------------------------------ files


def test_a_record_is_read_back_and_has_no_text():
    drift = drift_of(OLD, record(live(*TEXTS[:30]), ("m0",)))
    text = rendered(drift, "json")
    assert parsed_drift(text.encode(), "x") == drift
    assert not any(word in text for word in ("Ada", "Lund", "extension", "B-119"))


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 2},
        {"record": {}},
        {"record.taken_at": "yesterday"},
        {"record.taken_at": "2026-01-01T00:00:00"},
        {"record.entries": [["a", "b", "live", None, [], [["x", "", False]]]]},
        {"record.entries": [["a", "b", "dead", None, [], []]]},
        {"verdict": "fine"},
    ],
    ids=str,
)
def test_a_damaged_record_is_refused(change: dict[str, Any]):
    data = json.loads(rendered(drift_of(None, OLD), "json"))
    for name, value in change.items():
        first, _, rest = name.partition(".")
        (data[first] if rest else data)[rest or first] = value
    with pytest.raises(WorldUnreadable) as caught:
        parsed_drift(json.dumps(data).encode(), "x")
    assert caught.value.code == "drift.unreadable"


def test_every_format_has_the_findings_and_escapes_the_memory():
    hostile = replace(OLD, notes=("<script>alert(1)</script> [x](https://example.com)",))
    drift = drift_of(OLD, record(live(*TEXTS[:30])))
    for name in ("terminal", "markdown", "html"):
        assert "entries gone" in rendered(drift, name)
    page = rendered(drift_of(None, hostile), "html")
    text = github_flavored_markdown_to_html(rendered(drift_of(None, hostile), "markdown"))
    assert "<script" not in page + text
    assert 'href="https://example.com"' not in text


# ------------------------------------------------------------------ over time


@pytest.mark.parametrize("form", FORMS)
def test_quiet_weeks_and_weeks_of_growth_have_no_finding_and_a_loss_has_one(form: str):
    memory = Memory(3, form)
    before = memory.record()
    for week in range(8):
        memory.quiet_week() if week < 5 else memory.week_of_growth()
        now = memory.record()
        drift = drift_of(before, now)
        assert not drift.has_findings, (week, drift.why)
        before = now
    memory.lose(0.05)
    assert set(found(drift_of(before, memory.record()))) == {"entries gone"}
