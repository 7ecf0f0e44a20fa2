"""The word lists: enough of everything, nothing twice; and values in words."""

from __future__ import annotations

from importlib.resources import files

import pytest

from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.names import words
from assay.memory_eval.world.wording import in_words
from tests.conftest import ROOT

WORLD = files("assay.memory_eval.world")
LISTS = sorted(
    file.name.removesuffix(".json") for folder in WORLD.joinpath("vocabulary").iterdir() for file in folder.iterdir()
)
FEWEST = {
    "first_names": 250,
    "last_names": 320,
    "towns": 180,
    "cities": 90,
    "foods": 100,
    "hobbies": 100,
    "allergies": 60,
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_holds_each_word_once_and_no_stray_blanks(name: str):
    listed = words(name)
    assert len(set(listed)) == len(listed) >= FEWEST.get(name, 4)
    assert all(" ".join(word.split()) == word != "" for word in listed)


@pytest.mark.parametrize(
    ("attribute", "value", "spoken"),
    [
        ("budget", 2_450_000, "$2,450,000"),
        ("churn", 4.7, "4.7%"),
        ("response_time", 480, "480 ms"),
        ("signups", 12_345, "12,345 sign-ups"),
        ("extension", 4821, "4821"),
        ("birthday", "1984-03-09", "9 March 1984"),
        ("event_at", "2025-03-14 09:02", "14 March 2025, 09:02"),
        ("hobby", "judo", "judo"),
    ],
)
def test_a_value_is_said_as_a_careful_person_would(attribute: str, value: object, spoken: str):
    assert in_words(attribute, value) == spoken


def test_every_attribute_is_in_the_documents():
    page = (ROOT / "docs" / "memory" / "world.md").read_text("utf-8")
    assert [name for name in ATTRIBUTES if f"`{name}`" not in page] == []
