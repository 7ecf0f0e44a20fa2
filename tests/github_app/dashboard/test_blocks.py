"""Tables sort, and their data goes into files that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import html
import io
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.web.dashboard.access.signing_in import _PLACE
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import Cell, Column, Table, cell, csv_of, ordered
from assay.github_app.web.dashboard.content.figures import difference_in, duration, in_unit, number, percent
from assay.github_app.web.dashboard.rendering import coded

THEN = datetime(2026, 1, 1, tzinfo=UTC)
COLUMNS = (Column("name", "Name"), Column("num", "Number"), Column("at", "When"))
TABLE = Table(
    "table",
    "Table",
    COLUMNS,
    (("b", 2, THEN), (Cell("A", text="shown otherwise"), None, None), ("c", 10, THEN - timedelta(days=1))),
    "Nothing.",
)


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("name", "Abc"), ("-name", "cbA"), ("num", "bcA"), ("-num", "cbA"), ("at", "cbA"), ("-at", "bcA"),
        ("none", "bAc"), ("", "bAc"), ("-", "bAc"),
    ],
)  # fmt: skip
def test_a_table_sorts_by_what_its_cells_stand_for_and_what_is_unknown_is_last(sort: str, names: str):
    assert "".join(str(cell(row[0]).value) for row in ordered(TABLE, sort).rows) == names


def test_a_file_has_the_values_not_the_looks():
    lines = csv_of(TABLE).splitlines()
    assert lines[0] == "name,num,at"
    assert lines[2] == "A,,"
    assert lines[3] == "c,10,2025-12-31T00:00:00+00:00"


@given(st.text())
def test_no_text_in_a_file_is_a_formula_and_none_is_lost(text: str):
    table = Table("t", "T", (Column("one", "One"),), ((text,),), "")
    rows = list(csv.reader(io.StringIO(csv_of(table), newline="")))
    (found,) = rows[1] if len(rows) > 1 and rows[1] else ("",)
    assert not found.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert found.removeprefix("'") == text.removeprefix("'") or found == text


def test_weeks_and_months_between_are_there_too():
    assert spans.buckets(["2026-W53", "2027-W02"]) == ["2026-W53", "2027-W01", "2027-W02"]
    assert spans.buckets(["2026-02", "2025-11"]) == ["2025-11", "2025-12", "2026-01", "2026-02"]
    assert spans.buckets([]) == []


def test_figures_read_as_people_say_them():
    assert [percent(0.425), percent(None)] == ["42 %", "\N{EN DASH}"]
    assert [number(2.0), number(1234.5)] == ["2", "1,234.5"]
    assert [duration(59), duration(90), duration(7200), duration(200000)] == ["59 s", "1.5 min", "2.0 h", "2.3 days"]
    assert [difference_in(-0.1, "share"), difference_in(90, "s")] == ["\N{MINUS SIGN}10 points", "+1.5 min"]
    assert [in_unit(0.5, "share"), in_unit(60, "s"), in_unit(0.25, "rounds")] == ["50 %", "1.0 min", "0.25"]


@pytest.mark.parametrize("place", ["/", "/risk?repo=a/b", "/repos/a/b/pulls/7"])
def test_a_sign_in_leads_on_to_our_own_pages(place: str):
    assert _PLACE.fullmatch(place)


@pytest.mark.parametrize(
    "place", ["//evil.example", "/\\evil.example", "https://evil.example", "risk", "", "/\n/x", "/@x:y"]
)
def test_a_sign_in_leads_nowhere_else(place: str):
    assert not _PLACE.fullmatch(place)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run `make test` again", "run <code>make test</code> again"),
        ("`<b>` and </code><script>`", "<code>&lt;b&gt;</code> and &lt;/code&gt;&lt;script&gt;`"),
        ("one ` only", "one ` only"),
        ("`a\nb`", "`a\nb`"),
    ],
)
def test_backticks_are_code_and_all_else_is_escaped(text: str, shown: str):
    assert coded(text) == shown


@given(st.text(alphabet="`<>&\"'ab/\n"))
def test_no_text_brings_markup(text: str):
    plain = coded(text).replace("<code>", "").replace("</code>", "")
    assert not {"<", ">"} & set(plain)
    assert html.unescape(plain).replace("`", "") == text.replace("`", "")


def test_the_weeks_of_a_chart_are_those_of_its_period():
    assert spans.buckets(["2026-W30"], ("2026-W28", "2026-W32")) == [f"2026-W{week}" for week in range(28, 33)]
    assert spans.buckets([], ("2026-W28", "2026-W32")) == []
