"""A memory's results joined: what is read of the seeds' jobs, what it is compared with, and what is said."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cmarkgfm import github_flavored_markdown_to_html

from assay.action.memory.artifacts import NO_REPORT, Ours, earlier_reports, exam_reports, report_of_run
from assay.action.memory.baseline import Compared
from assay.action.memory.inputs import read_memory_inputs
from assay.action.memory.issue import LABEL, Said, bring_up_to_date, standing_issue
from assay.action.memory.publishing import Published, page_of
from assay.action.memory.report import changes_text, verdict_text
from assay.github.client import ArtifactFacts
from assay.github.errors import ActionMisused, GithubRefused
from assay.memory_eval import EvalReport, compare_reports, merge_reports, parsed_report
from tests.github_app.action.memory_runs import Store, Tracker, report, result


def test_each_seeds_report_is_read_and_what_is_none_is_told():
    store = Store()
    store.keep("assay-memory-1-data", report(1))
    store.keep("assay-memory-2-data", b'{"schema_version": "1.0", "overall_score": 7}')
    store.keep("assay-memory-3-data", report(1))
    store.keep("assay-memory-5-data", replace(report(5), results=[result(1, 2.5)]))
    store.keep("assay-memory-6-data", report(6), run=8)
    found = exam_reports(store, 7, (1, 2, 3, 4, 5, 6))
    assert [one.seed for one in found.reports] == [1]
    assert [line.split(":")[0] for line in found.missing] == ["seed 2", "seed 3", "seed 4", "seed 5", "seed 6"]
    assert "another exam" in found.missing[1]
    assert NO_REPORT in found.missing[2]
    assert "less than or equal to 1" in found.missing[3]


def test_a_secret_exams_report_is_one_of_a_random_seed():
    store = Store()
    secret = replace(report(77), comparable=True)
    store.keep("assay-memory-secret-1-data", secret)
    store.keep("assay-memory-secret-2-data", report(2))
    store.keep("assay-memory-secret-3-data", report(None))
    found = exam_reports(store, 7, ("secret-1", "secret-2", "secret-3", "secret-4"))
    assert [one.seed for one in found.reports] == [77]
    assert [line.split(":")[0] for line in found.missing] == ["secret-2", "secret-3", "secret-4"]
    assert "seed 2, which is not secret" in found.missing[0]


def test_of_several_attempts_the_newest_counts():
    store = Store()
    store.keep("assay-memory-1-data", report(1, 0.2))
    store.keep("assay-memory-1-data", report(1, 0.9))
    assert [one.overall_score for one in exam_reports(store, 7, (1,)).reports] == [0.9]


def test_only_the_default_branch_of_the_repository_itself_is_compared_with():
    store = Store()
    store.keep("assay-memory-report-data", report(None, 0.5), run=3)
    store.keep("assay-memory-report-data", report(None, 0.1), run=4, branch="topic")
    store.keep("assay-memory-report-data", report(None, 0.2), run=5, of=99)
    store.keep("assay-memory-report-data", b"{}", run=6)
    store.keep("assay-memory-report-data", report(None, 0.3), run=7)
    found = next(earlier_reports(store, Ours("assay-memory-report-data", "main", 1, 7), parsed_report), None)
    assert found is not None
    assert (found.report.overall_score, found.run_id) == (0.5, 3)
    assert next(earlier_reports(store, Ours("assay-memory-report-data", "main", 2, 3), parsed_report), None) is None


def test_the_report_of_a_run_is_believed_by_the_same_rules_as_the_last_one():
    store = Store()
    store.keep("assay-memory-report-data", report(None, 0.4), run=2)
    store.keep("assay-memory-report-data", report(None, 0.5), run=2)
    store.keep("another-report-data", report(None, 0.6), run=3)
    store.keep("assay-memory-report-data", report(None, 0.1), run=4, branch="topic")
    store.keep("assay-memory-report-data", report(None, 0.2), run=5, of=99)
    store.keep("assay-memory-report-data", b"{}", run=6)
    store.keep("assay-memory-report-data", report(None, 0.3), run=7)
    found = {
        run: report_of_run(store, run, Ours("assay-memory-report-data", "main", 1, 7), parsed_report)
        for run in range(1, 8)
    }
    assert {run: kept.report.overall_score for run, kept in found.items() if kept} == {2: 0.5}
    store.expire(2)
    assert report_of_run(store, 2, Ours("assay-memory-report-data", "main", 1, 7), parsed_report) is None


def test_a_run_that_was_deleted_has_no_report_and_other_refusals_are_told():
    class Refusing(Store):
        status = 404

        def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
            raise GithubRefused(self.status, "list the run's artifacts", "Not Found")

    store = Refusing()
    assert report_of_run(store, 2, Ours("assay-memory-report-data", "main", 1, 7), parsed_report) is None
    store.status = 403
    with pytest.raises(GithubRefused):
        report_of_run(store, 2, Ours("assay-memory-report-data", "main", 1, 7), parsed_report)


# ------------------------------------------------------------------ the issue


def brought(tracker: Tracker, name: str, text: str, *, is_open: bool, baseline_run: int | None = None) -> Said | None:
    return bring_up_to_date(
        tracker, name, text, standing_issue(tracker, name), is_open=is_open, baseline_run=baseline_run
    )


def test_one_issue_is_opened_updated_and_closed_again():
    tracker = Tracker()
    assert brought(tracker, "nightly", "as good as ever", is_open=False) is None
    done = [brought(tracker, "nightly", text, is_open=text != "good") for text in ("bad", "worse", "good")]
    assert [said.done for said in done if said] == ["opened", "updated", "closed"]
    ((issue, label, is_open),) = tracker.issues.values()
    assert (label, is_open) == (LABEL, False)
    assert issue.body.startswith("good")


def test_evaluations_of_other_names_have_issues_of_their_own():
    tracker = Tracker()
    tracker.create_issue("Something else", "it is about memory", LABEL)
    brought(tracker, "nightly", "bad", is_open=True)
    brought(tracker, "weekly", "bad", is_open=True)
    assert brought(tracker, "nightly", "good", is_open=False) is not None
    assert [is_open for *_, is_open in tracker.issues.values()] == [True, False, True]


def test_the_issue_keeps_the_run_whose_report_was_the_better_one():
    tracker = Tracker()
    brought(tracker, "nightly", "bad", is_open=True, baseline_run=16_000_000_123)
    standing = standing_issue(tracker, "nightly")
    assert standing is not None
    assert standing.baseline_run == 16_000_000_123


OLD_MARK = f"<!-- assay:memory:{hashlib.sha256(b'nightly').hexdigest()[:16]} -->"


@pytest.mark.parametrize(
    "before",
    [
        "",
        *(f"<!-- assay:memory:baseline-run:{told} -->\n" for told in ("0", "-5", "5 6", "", "x", "../5", "9" * 19)),
        "<!-- assay:memory:baseline-run:5 --> and more\n",
        "<!-- assay:memory:baseline-run:5 -->\nand more\n",
    ],
)
def test_an_issue_is_found_by_its_mark_also_where_no_run_or_none_that_can_be_is_told(before: str):
    tracker = Tracker()
    issue = tracker.create_issue("The agent's memory got worse", f"bad\n\n{before}{OLD_MARK}\r\n", LABEL)
    standing = standing_issue(tracker, "nightly")
    assert standing is not None
    assert (standing.issue, standing.baseline_run) == (issue, None)


# ------------------------------------------------------------------ what is said


def text_of(before: float, after: float, question: str = "Question?") -> str:
    def made(score: float) -> EvalReport:
        results = [result(number, score if number % 4 else 0.5, question=f"{question}{number}") for number in range(40)]
        return merge_reports([replace(report(42, score, 40), results=results)])

    now = made(after)
    comparison = compare_reports(made(before), now, ("the last report", "this run"))
    return f"{verdict_text(now, Compared(comparison))}\n\n{changes_text(comparison)}"


def test_a_memory_that_got_worse_is_called_so_with_figures_and_the_questions_that_lost():
    text = text_of(0.9, 0.3)
    assert "worse" in text
    assert "| `needle_in_haystack` | 80.0% | 35.0% | -45.0 |" in text
    assert "90.0% → 30.0%" in text


def test_questions_and_reasons_of_strangers_make_no_markup():
    text = text_of(0.9, 0.3, question="<img src=x> @everyone [go](http://evil) #1 ")
    page = page_of([text], Published(None, "refused: <b>@team</b>", "seed 3: <script>alert(1)</script> @octocat"))
    html = re.sub(r"<code>.*?</code>", "", github_flavored_markdown_to_html(page))
    assert re.findall(r"<img|<script|<b>|href=.http://evil|@everyone|@octocat|@team", html) == []


# ------------------------------------------------------------------ inputs


def asked(tmp_path: Path, **given: str) -> dict[str, str]:
    inputs = {"exams": "[1, 2]"} | {name.replace("_", "-"): value for name, value in given.items()}
    named = {f"ASSAY_ACTION_{name.upper().replace('-', '_')}": value for name, value in inputs.items()}
    return {"ASSAY_ACTION_WORK": str(tmp_path), "GITHUB_WORKSPACE": str(tmp_path)} | named


def test_inputs_are_read_with_their_defaults(tmp_path: Path):
    inputs = read_memory_inputs(asked(tmp_path))
    assert (inputs.exams, inputs.baseline, inputs.compares_with_last) == ((1, 2), None, True)
    assert (inputs.fail_under, inputs.artifact) == ({}, "assay-memory-report")
    assert read_memory_inputs(asked(tmp_path, baseline="kept/report.json")).baseline == tmp_path / "kept/report.json"
    assert not read_memory_inputs(asked(tmp_path, baseline="none")).compares_with_last


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("exams", value) for value in ("", "[]", "42", "[1, 1]", '["1"]', "[true]", "[1.5]", "{", f"[{2**70}]")),
        *(("exams", value) for value in ('["secret-"]', '["secret-1", 2]', '["secret-1", "secret-1"]', "[[1]]")),
        ("exams", str(list(range(101)))),
        *(("fail_under", value) for value in ("2", "-0.1", "nan", "much")),
        *(("baseline", value) for value in ("../report.json", "/etc/passwd")),
        ("artifact", "a/b"),
    ],
)
def test_a_wrong_input_is_one_line_that_names_it(tmp_path: Path, name: str, value: str):
    with pytest.raises(ActionMisused) as caught:
        read_memory_inputs(asked(tmp_path, **{name: value}))
    assert str(caught.value).startswith(f"action.invalid-input: input {name.replace('_', '-')}: ")
    assert "\n" not in str(caught.value)
