"""Every format shows what a report says, and nothing a stranger says acts in it."""

from __future__ import annotations

import io
import json
import re

import cmarkgfm
import jsonschema
import pytest
from rich.console import Console

from assay.cli.schema import schema_text
from assay.memory_eval.render.rendering import FORMATS, rendered, show
from tests.memory_eval.reports import hostile, report, result, scored

WEAK = report(
    [
        *(result(f"a{number}", 1.0) for number in range(4)),
        *(result(f"t{number}", number / 10, "temporal_trap", answer=f"never {number}") for number in range(6)),
        result("m", None, "meta_memory"),
    ],
    baselines=[{"name": "bm25", "overall_score": 0.314, "category_scores": {"temporal_trap": 0.271}}],
    measured={"answer_p50_s": 0.3, "answer_p95_s": 2.0, "brier": 0.125, "ece": None, "tokens_in": 12345},
    memory_stats={"entries": 812, "levels": 3, "system": "mem0ai 2.2.1"},
    system="mem0ai 2.2.1",
    embedder="assay-hash v1",
    reader="assay-extract v2",
    notes=["something to know"],
)


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_what_a_person_needs_is_in_every_format(name: str):
    shown = re.sub(r"\s+", " ", rendered(WEAK, name)).replace("\\", "")
    assert "55.00%" in shown  # the mean of the ten that were graded
    for wanted in (
        "temporal_trap",
        "25.00%",
        "100.00%",
        "bm25",
        "31.4",
        "27.1",
        "12,345",
        "300 ms",
        "2.0 s",
        "0.125",
        "mem0ai 2.2.1",
        "assay-hash v1",
        "assay-extract v2",
        "To see a difference of 5 points between two runs: ",
    ):
        assert wanted in shown, wanted
    assert "seed 42" in shown
    assert "deterministic grading" in shown
    assert re.search(r"(?i)systematic weaknesses", shown)
    assert "meta_memory" in shown
    assert "the judge is not there" in shown
    assert "something to know" in shown
    assert re.search(r"95% interval.{0,20}? \d+\.\d to \d+\.\d%", shown)


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_the_five_worst_questions_are_shown_worst_first_with_what_was_expected_and_got(name: str):
    shown = rendered(WEAK, name)
    begin = re.search(r"(?i)worst 5 questions", shown)
    assert begin is not None
    places = [shown.index(f"What is t{number}?", begin.end()) for number in range(5)]
    assert places == sorted(places)
    assert "never 0" in shown[begin.end() :]
    assert "Expected" in shown[begin.end() :]


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_what_two_questions_say_is_not_called_a_systematic_weakness(name: str):
    results = [
        *(result(f"low{number}", 0.0, "aggregation") for number in range(9)),
        *(result(f"few{number}", 0.0, "abstention") for number in range(2)),
        *(result(f"wide{number}", float(number < 3), "meta_memory") for number in range(5)),
        *(result(f"good{number}", 1.0, "event_ordering") for number in range(5)),
    ]
    shown = re.sub(r"\s+|`", " ", rendered(report(results), name)).replace("\\", "")
    surely, _, maybe = shown[shown.lower().index("systematic weaknesses") :].partition("Below 70%")
    assert re.search(r"aggregation +0%", surely)
    assert "abstention" not in surely
    maybe = maybe[: maybe.index("meta_memory") + 20]
    assert re.search(r"abstention +0%, +meta_memory +60%", maybe)


def test_into_a_file_no_line_ends_in_blanks_and_what_was_not_measured_is_left_out():
    file = io.StringIO()
    graded = report(WEAK.results, learning_time_s=0.0, questioning_time_s=0.0, measured={"answer_words_mean": 5.6875})
    show(graded, Console(file=file, width=80))
    assert [line for line in file.getvalue().splitlines() if line != line.rstrip()] == []
    measured = file.getvalue().partition("MEASURED")[2]
    assert re.search(r"^grading +10 ms$", measured, re.MULTILINE)
    assert re.search(r"^answer words mean +5\.7$", measured, re.MULTILINE)
    assert "learning" not in measured
    assert "questioning" not in measured


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_in_which_nothing_was_graded_is_not_called_zero(name: str):
    shown = rendered(scored({"a": None, "b": None}), name)
    assert "0.00%" not in shown
    assert "not graded" in shown.lower() or name == "json"


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_nobody_is_sure_of_an_invalid_run(name: str):
    invalid = report(WEAK.results, valid=False, why_invalid="it died half-way")
    shown = rendered(invalid, name)
    assert "it died half-way" in shown
    assert "95% interval" not in shown


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_nothing_is_still_a_report(name: str):
    assert rendered(report([]), name)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_gives_the_same_text(name: str):
    assert rendered(WEAK, name) == rendered(WEAK, name)


# ------------------------------------------------------------------ hostile words


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_strangers_say_is_text_that_can_be_written(name: str):
    shown = rendered(hostile(), name)
    assert shown.encode("utf-8")
    assert "\x1b" not in shown
    assert "\x00" not in shown


def test_markdown_of_strangers_makes_no_links_mentions_or_markup():
    html = cmarkgfm.github_flavored_markdown_to_html(rendered(hostile(), "markdown"))
    assert "<a " not in html
    assert "<script" not in html
    outside_code = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "@octocat" not in outside_code
    assert "#12" not in outside_code
    # What a stranger says never ends a row: each has as many cells as the table has columns.
    for table in re.findall(r"<table>.*?</table>", html, re.DOTALL):
        rows = [len(re.findall(r"<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)]
        assert len(set(rows)) == 1, table


def test_a_bar_in_a_measure_does_not_end_its_cell_in_markdown():
    shown = rendered(scored({"a": 1.0}, memory_stats={"kind": "`graph|vectors`"}), "markdown")
    assert "<code>graph|vectors</code></td>" in cmarkgfm.github_flavored_markdown_to_html(shown)


def test_html_of_strangers_is_text_and_the_page_fetches_nothing():
    page = rendered(hostile(), "html")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert re.findall(r"(?:src|href|action)\s*=", page) == []
    assert "url(" not in page


# ------------------------------------------------------------------ for programs


@pytest.mark.parametrize("shown", [WEAK, hostile(), report([])], ids=["weak", "hostile", "none"])
def test_json_keeps_its_schema(shown):
    data = json.loads(rendered(shown, "json"), parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-report"))).validate(data)
    assert data["overall_score"] == shown.overall_score
    assert len(data["results"]) == len(shown.results)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_that_a_score_is_not_comparable(name: str):
    is_data = name == "json"
    assert ('"comparable": false' if is_data else "Not comparable") in rendered(report([result("q", 1.0)]), name)
    shown = rendered(report([result("q", 1.0)], seed=5317, comparable=True), name)
    assert "ot comparable" not in shown
    assert ('"seed": 5317' if is_data else "--seed 5317") in shown
