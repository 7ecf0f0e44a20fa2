"""The job's summary: all of the report, inside GitHub's limit, and no block left open where it is cut."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.action.output.summary import (
    LEFT_FREE_BYTES,
    closed,
    fitted,
    in_words,
    report_text,
    tools_text,
    write_summary,
)
from assay.github.client.limits import MOST_JOB_SUMMARY_BYTES
from assay.validators import Counts, NotChecked, Outcome, Severity, ToolsResult
from tests.examples import num_examples
from tests.github_app.publish.reports import failing, finding, fine, with_findings
from tests.validators.render.github import shown_by_github
from tests.validators.render.hostile import HOSTILE, all_say
from tests.validators.render.sample import sample

PIECES = ("words", "", "```text", "```", "````markdown", "````", "~~~", "<details>", "</details>", "- a list", "ü" * 30)


def test_the_whole_report_is_there_with_what_the_job_could_not_do(tmp_path: Path):
    path = tmp_path / "summary"
    report = failing()
    assert write_summary(path, report_text(report, report.title, ("Not published: @somebody said no",)))
    text = path.read_text()
    assert text.startswith(f"# {report.title}")
    assert "Not published: `@somebody` said no" in text
    for part in ("## Fix these", "### Tier 1 — Tool Validation", "### Tier 3", "<summary>Not checked"):
        assert part in text


def test_nothing_is_left_out_that_a_check_run_would_have_no_room_for():
    findings = [finding(number, Severity.error, message="word " * 500) for number in range(1, 200)]
    text = report_text(with_findings(findings), "title")
    assert "left out here" not in text
    assert text.count("word " * 50) >= 30, "as many as a list holds"


def test_what_others_wrote_before_stays_and_counts(tmp_path: Path):
    path = tmp_path / "summary"
    path.write_bytes(b"x" * (MOST_JOB_SUMMARY_BYTES - 10_000) + b"\n")
    assert not write_summary(path, "a line of the report\n" * 2_000, rest="report.md")
    data = path.read_bytes()
    assert data.startswith(b"xxx")
    assert MOST_JOB_SUMMARY_BYTES - LEFT_FREE_BYTES - 30 < len(data) <= MOST_JOB_SUMMARY_BYTES - LEFT_FREE_BYTES
    assert data.decode().endswith("The whole text is in report.md._\n")
    assert not write_summary(path, "more\n" * 400)
    assert len(path.read_bytes()) <= MOST_JOB_SUMMARY_BYTES


def test_where_there_is_no_summary_nothing_is_written():
    assert not write_summary(None, "words")


@pytest.mark.parametrize("most", [300, 1_000, 2_000, 4_000])
def test_a_cut_report_folds_and_ends_as_it_should(most: int):
    text = report_text(sample(), "title")
    cut = fitted(text, most, "report.md").decode()
    assert len(cut.encode()) <= most
    assert cut.count("<details>") == cut.count("</details>")
    page = shown_by_github(cut)
    assert page.active() == []
    assert "Truncated:" in cmarkgfm.github_flavored_markdown_to_html(cut).split("</details>")[-1]


@settings(max_examples=num_examples(300))
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.integers(0, 700))
def test_wherever_it_is_cut_it_fits_and_nothing_stays_open(pieces: list[str], most: int):
    text = "\n".join(pieces) + "\n"
    data = fitted(text, most, "report.md")
    assert len(data) <= most
    shown = data.decode()
    if shown and shown != text.rstrip("\n") + "\n":
        assert shown.endswith("The whole text is in report.md._\n")
        assert closed(shown.splitlines(keepends=True)) == ""


@pytest.mark.parametrize("words", HOSTILE)
def test_no_words_of_strangers_act_in_it(words: str):
    assert shown_by_github(report_text(all_say(words), words, (words,))).active() == []
    run = sample().tools
    assert run is not None
    told = ToolsResult(runs=tuple(_saying(one, words) for one in run.runs), not_checked=(NotChecked(words, words),))
    assert shown_by_github(tools_text(told)).active() == []


def test_a_job_of_mode_tools_shows_a_row_for_each_command():
    tools = failing().tools
    assert tools is not None
    rows = [line for line in tools_text(tools).splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) == len(tools.runs)
    assert any(row.startswith("| ❌ | `uv run pytest -q` | failed (") for row in rows)
    assert "No command was run." in tools_text(ToolsResult())


def test_more_commands_than_anybody_reads_are_counted():
    tools = failing().tools
    assert tools is not None
    assert "and 900 more." in tools_text(ToolsResult(runs=(tools.runs[0],) * 1_000))


def test_every_outcome_has_its_word():
    run = failing().tools.runs[0]  # type: ignore[union-attr]
    text = tools_text(ToolsResult(runs=tuple(dataclasses.replace(run, outcome=one, excerpt=()) for one in Outcome)))
    assert text.count("`uv run pytest -q`") == len(Outcome)


def test_a_command_is_shown_with_its_counts_its_time_and_what_it_said():
    run = dataclasses.replace(
        failing().tools.runs[0],  # type: ignore[union-attr]
        counts=Counts(passed=12, failed=1),
        duration_s=4.25,
        reason="it fails on the base too",
        excerpt=("E   assert 1 == 2", "</details>```"),
    )
    text = tools_text(ToolsResult(runs=(run,)))
    told = "| ❌ | `uv run pytest -q` | failed (12 passed, 1 failed): it fails on the base too | 4.2 s |"
    assert told in text
    assert "\nE   assert 1 == 2\n" in text
    assert shown_by_github(text).active() == []
    passed = dataclasses.replace(run, outcome=Outcome.passed)
    assert in_words(passed) == "passed (12 passed, 1 failed)"


def test_a_report_with_nothing_to_say_is_short(tmp_path: Path):
    path = tmp_path / "summary"
    assert write_summary(path, report_text(fine(), fine().title))
    assert path.stat().st_size < 6_000


def _saying(run, words: str):
    return dataclasses.replace(run, command=words, reason=words, name=words)
