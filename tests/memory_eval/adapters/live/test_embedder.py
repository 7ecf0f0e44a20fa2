"""The embedder without a model."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.live.embedder import EMBEDDER, SIZE, embedded


def likeness(one: str, two: str) -> float:
    return sum(a * b for a, b in zip(embedded(one), embedded(two), strict=True))


@given(st.text())
def test_every_text_has_a_vector_of_length_one(text: str):
    vector = embedded(text)
    assert len(vector) == SIZE
    assert math.sqrt(sum(number * number for number in vector)) == pytest.approx(1.0)


def test_the_same_version_gives_the_same_numbers():
    found = {place: round(number, 6) for place, number in enumerate(embedded("Ada Lund lives in Oslo.")) if number}
    assert (EMBEDDER, found) == ("assay-hash v1, 512 dimensions", NUMBERS)


def test_the_text_about_the_same_is_nearest():
    texts = ("Bo Reyes drives a blue van.", "Ada Lund lived in Oslo until May.", "The budget of Atlas is $2,450,000.")
    asked = "Where does Ada Lund live?"
    assert max(texts, key=lambda text: likeness(asked, text)) == texts[1]
    assert likeness("the budget of atlas", texts[2]) > 0.5


NUMBERS = {
    30: -0.105605,
    34: -0.42242,
    78: -0.42242,
    94: -0.42242,
    116: 0.42242,
    120: -0.070403,
    139: 0.070403,
    253: 0.21121,
    316: -0.070403,
    325: 0.070403,
    360: 0.42242,
    371: 0.052803,
    378: -0.052803,
    417: 0.070403,
    426: 0.105605,
    454: 0.052803,
    476: 0.052803,
    503: -0.070403,
}
