"""Typed values and facts of texts, by their form alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval.drift.facts import Fact, marked, parts_of
from assay.memory_eval.drift.marks import Key, split_marks
from assay.memory_eval.drift.values import names_within, read_text
from tests.examples import num_examples


def facts_of(text: str, about: str | None = None) -> list[Fact]:
    return [fact for part in parts_of(text, about, names_within([text])) for fact in part.facts]


@pytest.mark.parametrize(
    ("text", "kind", "key", "subject"),
    [
        ("Bo Reyes works at Northwind.", "name", "name:northwind", ("bo", "reye")),
        ("The deadline of Project Atlas is 3 May 2025.", "date", "date:2025-05-03", ("project", "atla")),
        ("Project Atlas: due 2025-05-03", "date", "date:2025-05-03", ("project", "atla")),
        ("The budget of Project Atlas is $2,450,000.", "number", "number:USD:2450000", ("project", "atla")),
        ("Dee Park has the badge X5512209.", "identifier", "id:x5512209", ("dee", "park")),
        ("Dee Park reads dee.park@example.com daily.", "identifier", "id:dee.park@example.com", ("dee", "park")),
        ("Dee Park runs `make soak` first.", "identifier", "id:make soak", ("dee", "park")),
        ('Ada Lund said "never on Fridays".', "quote", "quote:never on fridays", ("ada", "lund")),
        ("The API runs on port 8080.", "number", "number::8080", ("api",)),
    ],
)
def test_a_value_has_a_kind_a_key_and_a_subject(text: str, kind: str, key: str, subject: tuple[str, ...]):
    (fact,) = facts_of(text)
    assert (fact.value.kind, fact.value.keys[0], fact.subject) == (kind, key, subject)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The latency of api-7 is 480 ms.", "api-7: latency 0.48 s"),
        ("Project Atlas is due on 3 May 2025.", "Project Atlas: due May 3, 2025"),
        ("Project Atlas costs $1,591,000.", "Project Atlas: 1.591 million USD"),
    ],
)
def test_the_same_value_in_another_form_has_the_same_key(one: str, other: str):
    first, second = ({key for value in read_text(text).values for key in value.keys} for text in (one, other))
    assert first & second


def test_a_subject_on_record_comes_before_names_in_the_text():
    (fact,) = facts_of("Ada Lund (person): works at Northwind", about="Ada Lund")
    assert (fact.subject, fact.value.keys) == (("ada", "lund"), ("name:northwind",))


def test_without_a_subject_the_words_around_the_value_are_its_context():
    (fact,) = facts_of("prefers a font size of 14 in the editor")
    assert (fact.subject, set(fact.context)) == ((), {"prefer", "font", "size", "editor"} | set(fact.context))
    assert marked(fact, Key("k", is_secret=False)).need >= 2


@pytest.mark.parametrize("text", ["Prefers tea.", "The weather was fine.", "", "   ", "I like it, and so do you."])
def test_what_has_no_typed_value_has_no_fact(text: str):
    assert facts_of(text) == []


def test_marks_are_short_and_hashes_are_of_the_key():
    one, other = Key("one", is_secret=False), Key("other", is_secret=True)
    assert {len(mark) for mark in split_marks(one.marks(["ada", "lund", "ada"]))} == {3}
    assert one.hashed("value", "x") != other.hashed("value", "x")
    assert one.hashed("value", "x") != one.hashed("text", "x")
    assert (one.salt, other.salt) == ("one", "")


@given(st.text(max_size=400), st.none() | st.text(max_size=40))
@settings(max_examples=num_examples(80))
def test_any_text_is_read_and_values_are_where_they_say(text: str, about: str | None):
    key = Key("k", is_secret=False)
    for part in parts_of(text, about, frozenset()):
        for fact in part.facts:
            assert 0 <= fact.start < len(fact.sentence)
            assert "___" in fact.cloze
            mark = marked(fact, key)
            assert mark.value
            assert len(mark.subject) % 3 == 0
