"""A memory's results joined: what is read of the seeds' jobs, what it is compared with, and what is said."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cmarkgfm import github_flavored_markdown_to_html

from assay.github_app.action.memory_artifacts import last_report, seed_reports
from assay.github_app.action.memory_inputs import read_memory_inputs
from assay.github_app.action.memory_issue import LABEL, bring_up_to_date
from assay.github_app.action.memory_words import Joined, issue_text, page_text
from assay.github_app.errors import ActionMisused
from assay.github_app.events import Person
from assay.github_app.github import ArtifactFacts, IssueFacts
from assay.memory_eval import EvalReport, EvalResult, compare_reports, merge_reports


def result(number: int, score: float | None, **more: Any) -> EvalResult:
    given = {"question": f"Question {number}?", "category": "needle_in_haystack"} | more
    return EvalResult(
        question_id=f"q{number}", score=score, dimensions={}, expected="x", answer="y", reasoning="", **given
    )


def report(seed: int | None = 42, score: float = 0.8, num: int = 20, **more: Any) -> EvalReport:
    results = [result(number, score) for number in range(num)]
    given: dict[str, Any] = {"world_version": "1", "agent": "mine"} | more
    return EvalReport(
        num_turns=100, num_questions=num, total_facts_delivered=80, learning_time_s=1.0, questioning_time_s=1.0,
        grading_time_s=0.1, overall_score=score, category_breakdown=(), results=results, memory_stats={}, seed=seed,
        **given,
    )  # fmt: skip


def packed(content: bytes, name: str = "report.json") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


class Store:
    """The artifacts of a repository."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[ArtifactFacts, bytes]] = {}

    def keep(self, name: str, content: bytes | EvalReport, *, run: int = 7, branch: str = "main", of: int = 1) -> None:
        content = json.dumps(content.to_dict()).encode() if isinstance(content, EvalReport) else content
        archive, number = packed(content), len(self.kept) + 1
        digest = f"sha256:{hashlib.sha256(archive).hexdigest()}"
        facts = ArtifactFacts(number, name, len(archive), False, run, None, digest, branch, of)
        self.kept[number] = (facts, archive)

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        return tuple(one for one, _ in self.kept.values() if one.run_id == run_id and name in (None, one.name))

    def artifacts_named(self, name: str) -> Iterator[ArtifactFacts]:
        yield from (one for one, _ in reversed(self.kept.values()) if one.name == name)

    def artifact_archive(self, artifact_id: int, most_bytes: int) -> bytes:
        return self.kept[artifact_id][1]


def test_each_seeds_report_is_read_and_what_is_none_is_told():
    store = Store()
    store.keep("assay-memory-1-data", report(1))
    store.keep("assay-memory-2-data", b'{"schema_version": "1.0", "overall_score": 7}')
    store.keep("assay-memory-3-data", report(1))
    store.keep("assay-memory-5-data", replace(report(5), results=[result(1, 2.5)]))
    store.keep("assay-memory-6-data", report(6), run=8)
    found = seed_reports(store, 7, (1, 2, 3, 4, 5, 6))
    assert [one.seed for one in found.reports] == [1]
    assert [line.split(":")[0] for line in found.missing] == ["seed 2", "seed 3", "seed 4", "seed 5", "seed 6"]
    assert "another seed" in found.missing[1]
    assert "left no report" in found.missing[2]
    assert "between 0 and 1" in found.missing[3]


def test_of_several_attempts_the_newest_counts():
    store = Store()
    store.keep("assay-memory-1-data", report(1, 0.2))
    store.keep("assay-memory-1-data", report(1, 0.9))
    assert [one.overall_score for one in seed_reports(store, 7, (1,)).reports] == [0.9]


def test_only_the_default_branch_of_the_repository_itself_is_compared_with():
    store = Store()
    store.keep("assay-memory-report-data", report(None, 0.5), run=3)
    store.keep("assay-memory-report-data", report(None, 0.1), run=4, branch="topic")
    store.keep("assay-memory-report-data", report(None, 0.2), run=5, of=99)
    store.keep("assay-memory-report-data", b"{}", run=6)
    store.keep("assay-memory-report-data", report(None, 0.3), run=7)
    found = last_report(store, 7, "assay-memory-report-data", "main", 1)
    assert found is not None
    assert found.overall_score == 0.5
    assert last_report(store, 3, "assay-memory-report-data", "main", 2) is None


# ------------------------------------------------------------------ the issue


class Tracker:
    """The issues of a repository."""

    def __init__(self) -> None:
        self.issues: dict[int, tuple[IssueFacts, str, bool]] = {}

    def open_issues(self, label: str) -> Iterator[IssueFacts]:
        yield from (issue for issue, named, is_open in self.issues.values() if is_open and named == label)

    def create_issue(self, title: str, body: str, label: str) -> IssueFacts:
        number = len(self.issues) + 1
        issue = IssueFacts(number, title, body, Person("github-actions[bot]", 9, "Bot"), f"https://x/{number}")
        self.issues[number] = (issue, label, True)
        return issue

    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts:
        issue = replace(self.issues[number][0], title=title, body=body)
        self.issues[number] = (issue, self.issues[number][1], is_open)
        return issue


def test_one_issue_is_opened_updated_and_closed_again():
    tracker = Tracker()
    assert bring_up_to_date(tracker, "nightly", "as good as ever", is_worse=False) is None
    done = [bring_up_to_date(tracker, "nightly", text, is_worse=text != "good") for text in ("bad", "worse", "good")]
    assert [said.done for said in done if said] == ["opened", "updated", "closed"]
    ((issue, label, is_open),) = tracker.issues.values()
    assert (label, is_open) == (LABEL, False)
    assert issue.body.startswith("good")


def test_evaluations_of_other_names_have_issues_of_their_own():
    tracker = Tracker()
    tracker.create_issue("Something else", "it is about memory", LABEL)
    bring_up_to_date(tracker, "nightly", "bad", is_worse=True)
    bring_up_to_date(tracker, "weekly", "bad", is_worse=True)
    assert bring_up_to_date(tracker, "nightly", "good", is_worse=False) is not None
    assert [is_open for *_, is_open in tracker.issues.values()] == [True, False, True]


# ------------------------------------------------------------------ what is said


def joined(before: float, after: float, question: str = "Question?") -> Joined:
    def made(score: float) -> EvalReport:
        results = [result(number, score if number % 4 else 0.5, question=f"{question}{number}") for number in range(40)]
        return merge_reports([replace(report(42, score, 40), results=results)])

    now = made(after)
    return Joined(now, compare_reports(made(before), now, ("the last report", "this run")), "", ())


def test_a_memory_that_got_worse_is_called_so_with_figures_and_the_questions_that_lost():
    found = joined(0.9, 0.3)
    assert found.regression == "true"
    text = issue_text(found, "https://run")
    assert "worse" in text
    assert "| `needle_in_haystack` | 80.0% | 35.0% | -45.0 |" in text
    assert "90.0% → 30.0%" in text
    assert joined(0.6, 0.6).regression == "false"


def test_questions_and_reasons_of_strangers_make_no_markup():
    found = joined(0.9, 0.3, question="<img src=x> @everyone [go](http://evil) #1 ")
    missing = replace(found, missing=("seed 3: <script>alert(1)</script> @octocat",))
    for text in (issue_text(found, "https://run"), page_text(missing, None, "refused: <b>@team</b>")):
        page = github_flavored_markdown_to_html(text)
        outside_code = re.sub(r"<code>.*?</code>", "", page)
        assert not {"<img", "<script", "<b>", 'href="http://evil', "@everyone", "@octocat", "@team"} & set(
            re.findall(r"<img|<script|<b>|href=.http://evil|@everyone|@octocat|@team", outside_code)
        )


# ------------------------------------------------------------------ inputs


def asked(tmp_path: Path, **given: str) -> dict[str, str]:
    inputs = {"seeds": "[1, 2]", "issue": "true"} | {name.replace("_", "-"): value for name, value in given.items()}
    named = {f"ASSAY_ACTION_{name.upper().replace('-', '_')}": value for name, value in inputs.items()}
    return {"ASSAY_ACTION_WORK": str(tmp_path), "GITHUB_WORKSPACE": str(tmp_path)} | named


def test_inputs_are_read_with_their_defaults(tmp_path: Path):
    inputs = read_memory_inputs(asked(tmp_path))
    assert (inputs.seeds, inputs.baseline, inputs.compares_with_last) == ((1, 2), None, True)
    assert (inputs.fail_under, inputs.opens_issue, inputs.artifact) == (None, True, "assay-memory-report")
    assert read_memory_inputs(asked(tmp_path, baseline="kept/report.json")).baseline == tmp_path / "kept/report.json"
    assert not read_memory_inputs(asked(tmp_path, baseline="none")).compares_with_last


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("seeds", value) for value in ("", "[]", "42", "[1, 1]", '["1"]', "[true]", "[1.5]", "{", f"[{2**70}]")),
        ("seeds", str(list(range(101)))),
        *(("fail_under", value) for value in ("2", "-0.1", "nan", "much")),
        *(("baseline", value) for value in ("../report.json", "/etc/passwd")),
        ("issue", "yes"),
        ("artifact", "a/b"),
    ],
)
def test_a_wrong_input_is_one_line_that_names_it(tmp_path: Path, name: str, value: str):
    with pytest.raises(ActionMisused) as caught:
        read_memory_inputs(asked(tmp_path, **{name: value}))
    assert str(caught.value).startswith(f"input {name.replace('_', '-')}: ")
    assert "\n" not in str(caught.value)
