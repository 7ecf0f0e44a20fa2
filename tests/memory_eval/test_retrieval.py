"""Entries are found by words and by meaning, offline, the same each time, whatever they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval.adapters.extracting.retrieval import Index, Kind, words_of
from tests.examples import num_examples

KINDS: tuple[Kind, ...] = ("bm25", "embeddings", "both")
ENTRIES = [
    "Ada Lund is allergic to peanuts.",
    "Project Atlas is due on 3 May 2025.",
    "Ada Lund keeps a cat called Pixel.",
    "web-03 runs on 10.0.3.4 with 64 GB of RAM.",
    "The revenue of the north branch was $2,450,000.",
]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_said_is_found_by_what_is_asked(kind: Kind):
    index = Index(ENTRIES, kind)
    assert [index.search(text, 1)[0][0] for text in ("Who is allergic to peanuts?", "When is Atlas due?")] == [0, 1]
    assert index.search("How much RAM does web-03 have?", 1)[0][0] == 3


def test_meaning_finds_what_shares_no_word():
    index = Index(["The soup was delicious.", "Her kitten sleeps all day."], "embeddings")
    assert index.search("pets, feline", 1)[0][0] == 1
    assert Index(index._entries, "bm25").search("pets, feline") == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_that_grew_finds_as_one_that_was_whole_from_the_start(kind: Kind):
    grown = Index([], kind)
    assert grown.search("Ada", 5) == []
    for entry in ENTRIES:
        grown.add(entry)
        grown.search("allergic cat", 3)
    assert grown.search("allergic cat", 5) == Index(ENTRIES, kind).search("allergic cat", 5)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_alike_the_later_comes_first(kind: Kind):
    index = Index(["Atlas is due in May."] * 3, kind)
    assert [place for place, _ in index.search("Atlas due", 3)] == [2, 1, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_in_nothing_and_for_nothing(kind: Kind):
    assert Index([], kind).search("Ada") == []
    assert Index(["", " ", "?!"], kind).search("Ada") == []
    assert Index(ENTRIES, kind).search("") == []
    assert Index(ENTRIES, kind).search("Ada", 0) == []


def test_words_are_compared_without_their_plurals_and_names_also_by_their_parts():
    assert words_of("The policies of Ada\N{RIGHT SINGLE QUOTATION MARK}s web-03") == [
        "policy", "ada", "ada", "web-03", "web", "03",
    ]  # fmt: skip
    assert words_of("on 10.0.3.4 for $2,450,000") == ["10.0.3.4", "2,450,000"]


@pytest.mark.parametrize("kind", KINDS)
def test_one_huge_entry_costs_no_more_than_a_long_one(kind: Kind):
    index = Index([*ENTRIES, "word " * 1_000_000, "x" * 5_000_000], kind)
    assert index.search("allergic to peanuts", 1)[0][0] == 0


@settings(max_examples=num_examples(60))
@given(st.lists(st.text(st.characters(), max_size=60), max_size=6), st.text(st.characters(), max_size=60))
def test_any_text_at_all_can_be_kept_and_asked_for(entries: list[str], text: str):
    for kind in KINDS:
        found = Index(entries, kind).search(text, 3)
        assert found == Index(entries, kind).search(text, 3)
        assert all(0 <= place < len(entries) and score > 0 for place, score in found)
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
