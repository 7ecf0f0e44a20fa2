"""Every format shows what a report says, and nothing a stranger says acts in it."""

from __future__ import annotations

import io
import json
import re

import cmarkgfm
import defusedxml.ElementTree
import jsonschema
import pytest
from rich.console import Console

from assay.cli.schema import schema_text
from assay.memory_eval.render.figures import seconds
from assay.memory_eval.render.register import FORMATS
from assay.memory_eval.render.terminal import show
from assay.memory_eval.report.intervals import with_intervals
from assay.memory_eval.report.measures import measured
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
    reader="assay-extract v1",
    notes=["something to know"],
)


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_what_a_person_needs_is_in_every_format(name: str):
    shown = re.sub(r"\s+", " ", FORMATS[name].render(with_intervals(WEAK)))
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
        "assay-extract v1",
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
    shown = FORMATS[name].render(WEAK)
    begin = re.search(r"(?i)worst 5 questions", shown)
    assert begin is not None
    places = [shown.index(f"What is t{number}?", begin.end()) for number in range(5)]
    assert places == sorted(places)
    assert "never 0" in shown[begin.end() :]
    assert "Expected" in shown[begin.end() :]


def test_the_terminal_keeps_to_the_known_layout():
    lines = FORMATS["terminal"].render(WEAK).splitlines()
    assert "CATEGORY BREAKDOWN" in lines
    assert re.search(r"^Category +Avg +Min +Max +Count", "\n".join(lines), re.MULTILINE)
    assert "WORST 5 QUESTIONS:" in lines
    assert "  [0.00%] What is t0?" in lines
    assert "    Expected: 42" in lines
    assert "    Got: never 0" in lines


def test_a_narrow_terminal_without_letters_of_its_own_still_shows_everything():
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii"), width=60, force_terminal=False)
    show(with_intervals(WEAK), console)
    console.file.flush()
    shown = raw.getvalue().decode("ascii")
    assert "temporal_trap" in shown
    assert "###" in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 60


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_what_two_questions_say_is_not_called_a_systematic_weakness(name: str):
    results = [
        *(result(f"low{number}", 0.0, "aggregation") for number in range(9)),
        *(result(f"few{number}", 0.0, "abstention") for number in range(2)),
        *(result(f"wide{number}", float(number < 3), "meta_memory") for number in range(5)),
        *(result(f"good{number}", 1.0, "event_ordering") for number in range(5)),
    ]
    shown = re.sub(r"\s+|`", " ", FORMATS[name].render(with_intervals(report(results))))
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
    assert re.search(r"^  grading +10 ms$", measured, re.MULTILINE)
    assert re.search(r"^  words per answer, mean +5\.7$", measured, re.MULTILINE)
    assert "learning" not in measured
    assert "questioning" not in measured


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0 ms"), (0.00002, "0.02 ms"), (0.0085, "8.5 ms"), (0.0123, "12 ms"), (4.2, "4.2 s")]
)
def test_short_times_are_told_as_far_as_they_say_something(value: float, shown: str):
    assert seconds(value) == shown


def test_a_perfect_run_has_no_worst_questions_and_no_weakness():
    for name in ("terminal", "markdown", "html"):
        shown = FORMATS[name].render(scored({"a": 1.0, "b": 1.0})).lower()
        assert "worst 5" not in shown
        assert "systematic weaknesses" not in shown


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_in_which_nothing_was_graded_is_not_called_zero(name: str):
    shown = FORMATS[name].render(scored({"a": None, "b": None}))
    assert "0.00%" not in shown
    assert "not graded" in shown.lower() or name == "json"


@pytest.mark.parametrize("name", ["terminal", "markdown", "html"])
def test_nobody_is_sure_of_an_invalid_run(name: str):
    invalid = report(WEAK.results, valid=False, why_invalid="it died half-way")
    shown = FORMATS[name].render(with_intervals(invalid))
    assert "it died half-way" in shown
    assert "95% interval" not in shown


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_nothing_is_still_a_report(name: str):
    assert FORMATS[name].render(report([]))


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_gives_the_same_text(name: str):
    assert FORMATS[name].render(WEAK) == FORMATS[name].render(WEAK)


# ------------------------------------------------------------------ hostile words


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_strangers_say_is_text_that_can_be_written(name: str):
    shown = FORMATS[name].render(hostile())
    assert shown.encode("utf-8")
    assert "\x1b" not in shown
    assert "\x00" not in shown


def test_markdown_of_strangers_makes_no_links_mentions_or_markup():
    html = cmarkgfm.github_flavored_markdown_to_html(FORMATS["markdown"].render(hostile()))
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
    shown = FORMATS["markdown"].render(scored({"a": 1.0}, memory_stats={"kind": "`graph|vectors`"}))
    assert "<code>graph|vectors</code></td>" in cmarkgfm.github_flavored_markdown_to_html(shown)


def test_html_of_strangers_is_text_and_the_page_fetches_nothing():
    page = FORMATS["html"].render(hostile())
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert re.findall(r"(?:src|href|action)\s*=", page) == []
    assert "url(" not in page


def test_the_html_page_is_well_formed_and_has_a_chart_of_each_kind():
    results = [
        result(f"q{number}", number % 2, confidence=number / 10, answer_time_s=number / 5, category=f"c{number % 3}")
        for number in range(10)
    ]
    page = FORMATS["html"].render(report(results, baselines=WEAK.baselines))
    assert page.count("<svg") == 3
    for figure in re.findall(r"<figure.*?</figure>", page, re.DOTALL):
        assert 'role="img"' in figure
        svg = re.search(r"<svg.*</svg>", figure, re.DOTALL)
        assert svg is not None
        defusedxml.ElementTree.fromstring(svg[0])
        assert "var(--" in svg[0]  # its colours are the page's, light or dark
    assert "prefers-color-scheme: dark" in page


def test_a_page_without_confidences_and_times_has_only_the_scores():
    assert FORMATS["html"].render(scored({"a": 1.0, "b": 0.0})).count("<svg") == 1


# ------------------------------------------------------------------ for programs


@pytest.mark.parametrize(
    "shown", [WEAK, hostile(), report([]), with_intervals(WEAK)], ids=["weak", "hostile", "none", "sure"]
)
def test_json_keeps_its_schema(shown):
    data = json.loads(FORMATS["json"].render(shown), parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-report"))).validate(data)
    assert data["overall_score"] == shown.overall_score
    assert len(data["results"]) == len(shown.results)


def test_json_lists_what_was_not_graded():
    data = json.loads(FORMATS["json"].render(WEAK))
    assert data["not_graded"] == [{"question_id": "m", "why": "the judge is not there"}]
    assert [one["score"] for one in data["results"]][-1] is None


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_that_a_score_is_not_comparable(name: str):
    is_data = name == "json"
    assert ('"comparable": false' if is_data else "Not comparable") in FORMATS[name].render(report([result("q", 1.0)]))
    shown = FORMATS[name].render(report([result("q", 1.0)], seed=5317, comparable=True))
    assert "ot comparable" not in shown
    assert ('"seed": 5317' if is_data else "--seed 5317") in shown


def test_the_picture_of_latency_speaks_of_the_same_calls_in_the_same_way_as_the_table():
    came = [result(f"q{number}", 1.0, answer_time_s=0.1 * number) for number in range(1, 5)]
    failed = [result(f"f{number}", None, answer_time_s=60.0, error="it took too long") for number in range(4)]
    told = report([*came, *failed], measured=measured([*came, *failed], {}, [], {}))
    shown = re.sub(r"\s+", " ", FORMATS["html"].render(told))
    assert "<dt>time per answer, median</dt><dd>250 ms</dd>" in shown
    assert "<dt>time per answer, 95th percentile</dt><dd>385 ms</dd>" in shown
    assert "Half of the answers took at most 250 ms, 95 % at most 385 ms." in shown


def test_too_few_answers_that_came_make_no_picture_of_latency():
    failed = [result(f"f{number}", None, answer_time_s=60.0, error="it took too long") for number in range(9)]
    assert "Half of the answers" not in FORMATS["html"].render(report([result("q", 1.0, answer_time_s=0.1), *failed]))
