"""A report is read back from its JSON as it was, and nothing that is no report is taken for one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, TypeAdapter
from typing_extensions import is_typeddict

from assay.validators.changes.change import path_of, shown
from assay.validators.errors import ReportUnreadable
from assay.validators.render.json import document, render
from assay.validators.report.model import ValidationReport
from assay.validators.report.read import read_report, read_tools
from tests.tables import read_yaml
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say

words = st.text(st.characters(codec="utf-8"), max_size=6)
paths = st.binary(min_size=1, max_size=6).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: words,
    bool: st.booleans(),
    int: st.integers(-64, 255),
    float: st.floats(allow_nan=False, allow_infinity=False),
    NoneType: st.none(),
    Any: words | st.none() | st.lists(st.integers(), max_size=1),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Every value of a type of the report, whose fields JSON holds."""
    kind, args = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return paths if isinstance(args[1], AfterValidator) else limited(TypeAdapter(hint).json_schema())
    if kind in (Union, UnionType):
        return st.one_of(*map(values, args))
    if kind in (tuple, list):
        return st.lists(values(args[0]), max_size=1).map(kind)
    if kind is Mapping:
        return st.dictionaries(words, values(args[1]), max_size=1)
    if hint in PLAIN:
        return PLAIN[hint]
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    hints = get_type_hints(hint, include_extras=True)
    held = [name for name in hints if not any(getattr(mark, "exclude", False) for mark in get_args(hints[name]))]
    own = {name: values(hints[name]) for name in held}
    return st.fixed_dictionaries(own) if is_typeddict(hint) else st.builds(hint, **own)


def limited(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Every value of a limited field."""
    least, most = schema.get("minimum"), schema.get("maximum")
    match schema:
        case {"const": word}:
            return st.just(word)
        case {"enum": several}:
            return st.sampled_from(several)
        case {"pattern": pattern}:
            return st.from_regex(pattern, fullmatch=True)
        case {"type": "array", "items": items, "minItems": size, "maxItems": _}:
            return st.lists(limited(items), min_size=size, max_size=size)
        case {"type": "integer"}:
            return st.integers(least, most)
        case _:
            return st.floats(least, most, allow_nan=False, allow_infinity=False)


@given(values(ValidationReport))
def test_what_was_rendered_is_read_back_as_it_was(report: ValidationReport):
    assert read_report(render(report).encode()) == report
    if report.tools is not None:
        assert read_tools(document(report.tools)) == report.tools


@given(paths)
def test_every_path_git_can_hold_is_read_back_from_how_it_is_shown(path: str):
    assert path_of(shown(path)) == path


@given(st.text(max_size=30))
def test_text_that_is_no_shown_path_stays_as_it_is_or_shows_the_same(text: str):
    assert path_of(text) == text or shown(path_of(text)) == text


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_a_report_of_hostile_words_reads_and_renders_to_the_same_text(said: str):
    text = render(all_say(said))
    assert render(read_report(text)) == text


@pytest.mark.parametrize(
    "case", read_yaml(Path(__file__).parent / "unreadable_reports.yaml"), ids=lambda case: case["what"]
)
def test_what_is_no_report_is_refused_in_one_line(case: dict[str, Any]):
    if "text" in case:
        data: bytes | str = _repeated(case["text"]).encode("latin-1")
    else:
        found = node = json.loads(render(sample.sample()))
        for step in case["at"][:-1]:
            node = node[step]
        node[case["at"][-1]] = _repeated(case["put"])
        data = json.dumps(found)
    with pytest.raises(ReportUnreadable, match=case["says"]) as refused:
        read_report(data)
    assert refused.value.code == "report.unreadable"
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


def _repeated(given: Any) -> Any:
    return given["repeat"] * given["times"] if isinstance(given, dict) and "repeat" in given else given
