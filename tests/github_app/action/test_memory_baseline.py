"""What a memory is compared with, run after run: the last report, a file, or what an open issue names."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.action.environment.job import Job
from assay.action.memory.baseline import NOT_REQUESTED
from assay.action.memory.report import NO_SCORE
from assay.github.errors import ActionMisused, GithubRefused
from assay.memory_eval import REPORT_FILES, EvalReport, merge_reports
from tests.github_app.action.memory_runs import Fake, Nightly, mixed, report


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    runs = Nightly(tmp_path)
    # Pictures take their time, and are looked at elsewhere.
    files = {kind: REPORT_FILES[kind] for kind in ("json", "markdown")}
    monkeypatch.setattr("assay.action.memory.report.REPORT_FILES", files)
    monkeypatch.setattr(Job, "repo", lambda _: contextlib.nullcontext(runs.repo))
    return runs


@pytest.mark.soak
def test_a_second_run_as_bad_as_the_first_leaves_the_issue_open(nightly: Nightly):
    told = [(nightly.run(score)["regression"], nightly.is_open) for score in (0.9, 0.3, 0.3, 0.25, 0.9, 0.9)]
    assert told == [
        ("unknown", []),
        ("true", [True]),
        ("true", [True]),
        ("true", [True]),
        ("false", [False]),
        ("false", [False]),
    ]


def test_once_the_issue_was_closed_the_next_run_is_compared_with_the_last_again(nightly: Nightly):
    for score in (0.5, 0.3, 0.9, 0.5):
        nightly.run(score)
    assert nightly.is_open == [False, True]


@pytest.mark.soak
def test_an_issue_that_a_person_closed_accepts_the_memory_as_it_is(nightly: Nightly):
    for score in (0.9, 0.3):
        nightly.run(score)
    nightly.repo.edit_issue(1, "", "fine by us", is_open=False)
    assert nightly.run(0.3)["regression"] == "false"
    assert nightly.is_open == [False]


@pytest.mark.soak
@pytest.mark.parametrize("what", ["expired", "of a topic", "of the earlier form", "no number", "of nobody"])
def test_where_the_better_report_cannot_be_had_the_issue_says_so_and_stays_open(nightly: Nightly, what: str):
    nightly.run(0.9)
    nightly.run(0.3)
    issue = nightly.repo.issues[1][0]
    if what == "expired":
        nightly.repo.expire(1)
    elif what == "of a topic":
        nightly.repo.keep("assay-memory-report-data", report(None, 0.1), run=77, branch="topic")
        nightly.repo.edit_issue(1, issue.title, issue.body.replace("baseline-run:1 ", "baseline-run:77 "))
    elif what == "of the earlier form":
        nightly.repo.edit_issue(1, issue.title, issue.body.replace("<!-- assay:memory:baseline-run:1 -->\n", ""))
    else:
        told = "12345" if what == "of nobody" else "1/../2"
        nightly.repo.edit_issue(1, issue.title, issue.body.replace("baseline-run:1 ", f"baseline-run:{told} "))
    for score in (0.3, 0.9):
        assert nightly.run(score)["regression"] == "unknown"
        ((body, is_open),) = nightly.issues
        assert is_open
        assert "stays open" in body
        assert "stays open" in nightly.summary
    assert nightly.run(0.2)["regression"] == "true"
    nightly.repo.edit_issue(1, "", "closed", is_open=False)
    assert nightly.run(0.2)["regression"] == "false"
    assert nightly.is_open == [False]


def test_a_better_report_that_was_made_in_another_way_is_as_good_as_gone(nightly: Nightly):
    nightly.repo.keep("assay-memory-report-data", merge_reports([mixed(0.9, world_version="0")]), run=100)
    for score in (0.9, 0.3):
        nightly.run(score)
    issue = nightly.repo.issues[1][0]
    nightly.repo.edit_issue(1, issue.title, issue.body.replace("baseline-run:1 ", "baseline-run:100 "))
    nightly.run(0.3)
    ((body, is_open),) = nightly.issues
    assert is_open
    assert "(world" in body


def test_issues_that_may_not_be_read_are_told_and_the_score_all_the_same(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise GithubRefused(403, "list the issues", "Resource not accessible")

    nightly.run(0.9)
    monkeypatch.setattr(Fake, "open_issues", refuse)
    # The last report counts.
    assert [nightly.run(0.3)["regression"] for _ in range(2)] == ["true", "false"]
    assert nightly.code == 0
    assert "github.refused" in nightly.summary
    assert nightly.issues == []


# ------------------------------------------------------------------ what it is compared with


def in_workspace(nightly: Nightly, before: EvalReport) -> None:
    (nightly.folder / "good.json").write_text(json.dumps(before.to_dict()))


@pytest.mark.parametrize("is_merged", [True, False])
def test_a_baseline_in_the_workspace_is_read_joined_or_of_one_seed(nightly: Nightly, is_merged: bool):
    in_workspace(nightly, merge_reports([mixed(0.9)]) if is_merged else mixed(0.9))
    told = [(nightly.run(score, baseline="good.json")["regression"], nightly.is_open) for score in (0.3, 0.3, 0.9)]
    assert told == [("true", [True]), ("true", [True]), ("false", [False])]


@pytest.mark.parametrize("what", ["none there", "no report", "a link"])
def test_a_baseline_that_cannot_be_read_is_one_line_that_names_the_input(nightly: Nightly, what: str):
    path = nightly.folder / "good.json"
    if what == "no report":
        path.write_text('{"overall_score": 1}')
    elif what == "a link":
        (nightly.folder / "real.json").write_text(json.dumps(mixed(0.9).to_dict()))
        path.symlink_to("real.json")
    with pytest.raises(ActionMisused, match="input baseline") as caught:
        nightly.run(0.9, baseline="good.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (mixed(0.9, world_version="0"), "the baseline was made with other settings (world_version)"),
        (
            mixed(0.9, grading="hybrid", grader_votes=5),
            "the baseline was made with other settings (grading, grader_votes)",
        ),
        (mixed(0.9, valid=False, why_invalid="it never answered"), "the baseline has no valid score"),
        (replace(mixed(0.9), seed=43), "share no graded question"),
    ],
)
def test_where_nothing_can_be_compared_the_summary_says_why_and_no_issue_is_opened(
    nightly: Nightly, before: EvalReport, why: str
):
    in_workspace(nightly, before)
    assert nightly.run(0.3, baseline="good.json")["regression"] == "unknown"
    assert why in nightly.summary.replace("\\", "").replace("&#95;", "_")
    assert nightly.issues == []


def test_without_a_baseline_nothing_is_compared(nightly: Nightly):
    nightly.run(0.9)
    assert nightly.run(0.3, baseline="none")["regression"] == "unknown"
    assert NOT_REQUESTED in nightly.summary


def test_a_run_that_says_nothing_of_the_memory_neither_opens_nor_closes(nightly: Nightly):
    nightly.run(0.9)
    nightly.run(0.3)
    broken = mixed(0.9, valid=False, why_invalid="it never answered")
    nightly.repo.keep("assay-memory-42-data", broken, run=3)
    assert nightly.run(None)["regression"] == "unknown"
    assert nightly.code == 3
    assert NO_SCORE in nightly.summary
    assert nightly.is_open == [True]
