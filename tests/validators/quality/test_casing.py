"""Casings: told, and rewritten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.quality.naming.casing import Casing, casing_of, rewritten

WORDS = st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=2, max_size=5)


@pytest.mark.parametrize(
    ("name", "casing"),
    [
        ("get_data", Casing.snake),
        ("_get_data", Casing.snake),
        ("getData", Casing.camel),
        ("GetData", Casing.pascal),
        ("HTTPServer", Casing.pascal),
        ("GET_DATA", Casing.screaming),
        ("get-data", Casing.kebab),
        ("data", None),
        ("x", None),
        ("visit_Name", None),
        ("__init__", None),
        ("", None),
    ],
)
def test_a_name_tells_its_casing_or_nothing(name: str, casing: Casing | None):
    assert casing_of(name) is casing


@given(WORDS, st.sampled_from(list(Casing)), st.sampled_from(list(Casing)))
def test_a_rewritten_name_has_the_casing_asked_for(words: list[str], one: Casing, other: Casing):
    name = rewritten("_".join(words), one)
    assert casing_of(name) is one
    assert casing_of(rewritten(name, other)) is other


@given(st.text(max_size=50))
def test_any_text_has_a_casing_or_none(name: str):
    assert casing_of(name) in (*Casing, None)
