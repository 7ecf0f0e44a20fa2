"""Facts are found in any wording, and not where they are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval import Turn
from assay.memory_eval.graders.reading.plain_text import plain_value
from assay.memory_eval.holding.closing import ending_of
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.measuring import measured_store
from assay.memory_eval.holding.told import Stored, perfect_store, told_of
from tests.examples import num_examples
from tests.memory_eval.holding.stores import FORMS, Known, recall, world
from tests.tables import read_yaml

PAIRS = Path(__file__).parents[2] / "cases" / "memory" / "matcher.yaml"
PLAIN = settings(max_examples=num_examples(100), deadline=None)
NAMES = st.sampled_from(["Ada Lund", "Project Jade Magpie", "kestrel-07", "Nagpur branch Q1 2026", "INC-4127"])
AMOUNTS = st.integers(1_000, 10**9)
DAYS = st.dates(date(1950, 1, 1), date(2099, 12, 31))
FILLER = st.lists(st.sampled_from("yesterday we met, about lunch and the weather".split()), max_size=8).map(" ".join)


def _fact(entity: str, attribute: str, value: Any) -> dict[str, Any]:
    return {"entity": entity, "attribute": attribute, "value": value, "source": None, "valid_from": "2025-01-01"}


def holds(entity: str, attribute: str, value: Any, text: str) -> bool:
    """Whether a text holds the only fact of a small world."""
    matcher = Matcher(told_of([Turn(1, "A turn.", 1, "own", [_fact(entity, attribute, value)])]))
    return bool(matcher.facts_in(text))


# ------------------------------------------------------------------ labels


def labelled() -> list[tuple[bool, bool, str]]:
    """Each hand-labelled pair: the label, what the matcher says, and the entry."""
    rows = read_yaml(PAIRS)["pairs"]
    stated = dict.fromkeys((entity, attribute, str(value)) for entity, attribute, value, _, _ in rows)
    values = {(entity, attribute, str(value)): value for entity, attribute, value, _, _ in rows}
    turns = [
        Turn(number, "A turn.", 1, "own", [_fact(one[0], one[1], values[one])]) for number, one in enumerate(stated, 1)
    ]
    told = told_of(turns)
    matcher = Matcher(told)
    places = {(*one.key, str(one.value)): place for place, one in enumerate(told.facts)}
    return [
        (label, places[entity, attribute, str(value)] in matcher.facts_in(entry), entry)
        for entity, attribute, value, label, entry in rows
    ]


def test_the_matcher_agrees_with_the_hand_labels(record_property):
    rows = labelled()
    right = sum(label and found for label, found, _ in rows)
    precision = right / sum(found for _, found, _ in rows)
    recalled = right / sum(label for label, _, _ in rows)
    record_property("precision", precision)
    record_property("recall", recalled)
    assert len(rows) >= 60
    assert precision >= 0.92, [entry for label, found, entry in rows if found and not label]
    assert recalled >= 0.95, [entry for label, found, entry in rows if label and not found]


# ------------------------------------------------------------------ simulated stores


@pytest.mark.parametrize("form", FORMS)
def test_few_absent_facts_are_found_when_half_is_removed(form: str):
    precision, absent_found = half_removed(form, (7, 8, 9))
    assert absent_found <= (0.045 if form == "turns verbatim" else 0.015)
    assert precision >= (0.96 if form == "turns verbatim" else 0.98)


@pytest.mark.bench
def test_the_matcher_on_twenty_worlds():
    """Print the table of docs/memory/memory-figures.md."""
    print("\nrecall, complete  precision, half removed  absent, yet found  form")
    for form, make in FORMS.items():
        complete = [recall(known.measured(make(known))) for known in map(world, range(20))]
        precision, absent_found = half_removed(form, range(20))
        print(f"{sum(complete) / 20:.4f}  {precision:.4f}  {absent_found:.2%}  {form}")


def half_removed(form: str, seeds: Iterable[int]) -> tuple[float, float]:
    """Precision, and the share of absent facts that are found, in stores without half of their entries."""
    false = absent = held = 0
    for seed in seeds:
        known = world(seed)
        draws, store = known.draws("half"), FORMS[form](known)
        by_text = [{place for held in known.matcher.read(one) for place in held.facts} for one in store]
        kept = draws.some(list(range(len(store))), len(store) // 2)
        stated = {place for number in kept for place in _stated(known, store, number, form)}
        found = set[int]().union(*(by_text[number] for number in kept))
        absent += len(known.told.facts) - len(stated)
        false += len(found - stated)
        held += len(found)
    return 1 - false / held, false / absent


def _stated(known: Known, store: Sequence[Stored], number: int, form: str) -> set[int]:
    if form == "turns verbatim":
        return set(known.told.in_turn.get(number + 1, ()))
    if form == "one document an entity":
        return {place for place, one in enumerate(known.told.facts) if one.entity == store[number].about}
    return {number}


# ------------------------------------------------------------------ properties


@PLAIN
@given(NAMES, AMOUNTS, FILLER, FILLER)
def test_an_amount_is_found_in_every_form(name, amount, before, after):
    forms = [
        f"${amount:,}",
        f"{amount} USD",
        f"USD {amount:,}",
        f"${amount / 1e6:.10g} million",
        f"${amount / 1e3:.10g}k",
    ]
    for form in forms:
        assert holds(name, "budget", amount, f"{before} {name}: {form} {after}")
        assert holds(name, "budget", amount, f"{form} for {name} {after}")


@PLAIN
@given(NAMES, AMOUNTS, AMOUNTS)
def test_another_amount_is_not_found(name, amount, other):
    assert holds(name, "budget", amount, f"{name} has ${other:,}") is (amount == other)


@PLAIN
@given(NAMES, DAYS, FILLER)
def test_a_day_is_found_in_every_form(name, day, filler):
    forms = [
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%d/%m/%Y}",
        f"{day:%d.%m.%Y}",
    ]
    for form in forms:
        assert holds(name, "deadline", day.isoformat(), f"{name} is due on {form}. {filler}")


@PLAIN
@given(DAYS, DAYS)
def test_another_day_is_not_found(day, other):
    found = holds("Ada Lund", "birthday", day.isoformat(), f"Ada Lund was born on {other:%d %B %Y}.")
    assert found is (day == other)


@PLAIN
@given(st.text(max_size=400))
def test_no_text_breaks_the_matcher(text):
    assert holds("Ada Lund", "budget", 12, text) in (True, False)
    assert holds("Ada Lund", "budget", 12, f"Ada Lund: {text}") in (True, False)


@PLAIN
@given(FILLER, st.sampled_from(["Ada Lind", "Ad Lund", "Lund", "Ada", "Adam Lundt"]))
def test_a_near_twin_is_not_the_subject(filler, twin):
    assert not holds("Ada Lund", "hobby", "ice swimming", f"{twin} likes ice swimming {filler}")


@PLAIN
@given(st.integers(1, 10**6))
def test_a_number_of_another_unit_is_not_found(number):
    assert holds("kestrel-07", "uptime", number, f"kestrel-07 is up for {number:,} days")
    assert not holds("kestrel-07", "uptime", number, f"kestrel-07 serves {number:,} people")
    assert not holds("kestrel-07", "uptime", number, f"kestrel-07 is {number}% full")


# ------------------------------------------------------------------ several subjects in one text


def held_in(text: str, *facts: tuple[str, str, Any]) -> set[tuple[str, Any]]:
    """The (entity, value) that a text holds of a small world."""
    matcher = Matcher(told_of([Turn(number, "A turn.", 1, "own", [_fact(*one)]) for number, one in enumerate(facts)]))
    return {(matcher.told.facts[place].entity, matcher.told.facts[place].value) for place in matcher.facts_in(text)}


HOSTS = [(name, "os", system) for name in ("heron-1", "otter-2") for system in ("Debian 13", "NetBSD 10")]


@pytest.mark.parametrize(
    "text",
    [
        "## Hosts\n- heron-1: Debian 13\n- otter-2: NetBSD 10\n- swift-3: unknown",
        "heron-1 runs Debian 13\notter-2 runs NetBSD 10",
        "Hosts\n2026-01-02 heron-1\n* Debian 13\n2026-01-03 otter-2\n* NetBSD 10",
        "word " * 200 + "\n- heron-1: Debian 13\n- otter-2: NetBSD 10",
    ],
)
def test_a_line_lends_no_value_to_its_neighbour(text: str):
    assert held_in(text, *HOSTS) == {("heron-1", "Debian 13"), ("otter-2", "NetBSD 10")}


def test_a_title_belongs_to_every_line():
    facts = ("Ada Lund", "hobby", "ice swimming"), ("Ada Lund", "mentor", "Bo Berg"), ("Bo Berg", "team", "Search")
    text = "Ada Lund\n- Bo Berg is her mentor\n- ice swimming\n- Bo Berg sits in Search"
    assert held_in(text, *facts) == {(entity, value) for entity, _, value in facts}


# ------------------------------------------------------------------ ended values


@pytest.mark.parametrize(
    ("text", "ended", "current"),
    [
        ("budget of x: formerly $1.59m, now $1.656m", "1.59m", "1.656m"),
        ("x is data scientist; compliance officer until 22 oct", "compliance officer", "data scientist"),
        ("budget was raised from $1,591,000 to $1,656,000", "1,591,000", "1,656,000"),
        ("headcount went from 31 people to 40 people", "31", "40"),
        ("the role reads data scientist instead of compliance officer.", "compliance officer", "data scientist"),
        ("version 2.18.9 (until 9 february), then 2.18.14", "2.18.9", "2.18.14"),
        ("team: research → release", "research", "release"),
        ("team procurement from may; before that it was internal audit.", "internal audit", "procurement"),
        ("is 31 people; 33 people was a slip", "33", "31"),
        ("lead: gloria xu (was leila reddy)", "leila reddy", "gloria xu"),
        ("the role of x is chef. the previous role of x was cook", "cook", "chef"),
        ("port ~~80~~ 443", "80", "443"),
    ],
)
def test_the_end_of_a_value_is_read(text: str, ended: str, current: str):
    plain = plain_value(text)
    for value, expected in ((ended, True), (current, False)):
        begin = plain.index(value)
        ending = ending_of(plain, (begin, begin + len(value)), Stored(text), "2029-01-01")
        assert ending.is_closed is expected, value


# ------------------------------------------------------------------ hand-written worlds


def own(entity: str, attribute: str, value: Any, day: str | None = None) -> dict[str, Any]:
    return {"entity": entity, "attribute": attribute, "value": value, "source": None, "valid_from": day}


def test_a_hand_written_world_may_hold_anything():
    first = [own("Ada", "likes", ["tea", "milk"]), own("Ada", "old", True), own("Ada", "budget", 5), own("Bo", "", "x")]
    later = [own("Ada", "budget", 7, "2025-01-01"), own("!!!", "w", "???"), own("Ada", "height", "tall")]
    planted = [own("Zed", "planted_value", "nonsense"), own("Zed", "planted_value", "budget=lots")]
    told = told_of([Turn(1, "One.", 0, "own", first), Turn(2, "Two.", 0, "own", [*later, *planted])])
    matcher = Matcher(told)
    assert [told.facts[place].value for place in matcher.facts_in("Ada drinks milk, has $7, and is tall.")] == [
        "milk",
        7,
        "tall",
    ]
    assert told.changed == [("Ada", "budget")]
    measures = measured_store(matcher, perfect_store(told))
    assert (measures.changed_held, measures.misleading) == ([("Ada", "budget")], {})
