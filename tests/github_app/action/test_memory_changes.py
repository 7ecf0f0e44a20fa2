"""Runs of a schedule that watch a production memory: its baseline, its issue, its summary and what the App gets."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cmarkgfm import github_flavored_markdown_to_html

from assay.action.environment.job import Job
from assay.action.memory.artifacts import RECORD_ARTIFACT
from assay.action.memory.report import memory_report
from assay.github.errors import ActionMisused, ValidationFailed
from assay.github.external_results.memory_payload import body_of_changes, read_posted_memory
from assay.memory_eval import Drift, drift_of, rendered
from assay.memory_eval.drift.record import Key
from assay.memory_eval.report.drift import Record
from tests.github_app.action.jobs import environment as job_environment
from tests.github_app.action.memory_runs import Fake
from tests.memory_eval.drift.test_drifting import PREFERENCES, TEXTS, live, record


class Weekly:
    """Runs with the record of a memory each, and what they publish."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.repo, self.run_id = folder, Fake(), 0
        self.summary = ""

    def run(self, recorded: Record | bytes | None, *, run_id: int = 0, **given: str) -> dict[str, str]:
        self.run_id = run_id or self.run_id + 1
        here = self.folder / str(self.run_id)
        here.mkdir()
        if recorded is not None:
            content = recorded if isinstance(recorded, bytes) else rendered(drift_of(None, recorded), "json").encode()
            self.repo.keep(RECORD_ARTIFACT, content, run=self.run_id)
        inputs = {"EXAMS": "record"} | {name.upper(): value for name, value in given.items()}
        env = job_environment(here, RUN_ID=str(self.run_id), REPOSITORY_ID="1", **inputs)
        env["GITHUB_WORKSPACE"] = str(self.folder)
        self.code = memory_report(env)
        outputs = dict(line.split("=", 1) for line in (here / "output").read_text().splitlines())
        self.summary = (here / "summary").read_text()
        self.report = json.loads(Path(outputs["report"]).read_text())
        self.repo.keep("assay-memory-changes-data", Path(outputs["report"]).read_bytes(), run=self.run_id)
        return outputs

    @property
    def is_open(self) -> list[bool]:
        return [is_open for _, _, is_open in self.repo.issues.values()]


@pytest.fixture
def weekly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weekly:
    runs = Weekly(tmp_path)
    monkeypatch.setattr(Job, "repo", lambda _: contextlib.nullcontext(runs.repo))
    return runs


GOOD, BAD = record(live(*TEXTS)), record(live(*TEXTS[:30]))
SHRANK = record(live(*TEXTS, *PREFERENCES))


def test_a_loss_opens_one_issue_that_stays_until_the_facts_are_back(weekly: Weekly):
    seen = [(weekly.run(one)["regression"], weekly.is_open) for one in (GOOD, GOOD, BAD, BAD, GOOD, GOOD)]
    assert seen == [
        ("unknown", []),
        ("false", []),
        ("true", [True]),
        ("true", [True]),
        ("false", [False]),
        ("false", [False]),
    ]
    (issue, _, _) = weekly.repo.issues[1]
    assert issue.title == "The agent's memory has findings"


def test_a_run_with_an_open_issue_is_compared_with_the_run_before_the_loss(weekly: Weekly):
    for one in (GOOD, BAD, BAD):
        outputs = weekly.run(one)
    assert outputs["score"] == "0.7500"
    assert "baseline-run:1 " in weekly.repo.issues[1][0].body


def test_an_issue_that_a_maintainer_closed_accepts_the_memory(weekly: Weekly):
    for one in (GOOD, BAD):
        weekly.run(one)
    weekly.repo.edit_issue(1, "", "expected", is_open=False)
    assert (weekly.run(BAD)["regression"], weekly.is_open) == ("false", [False])


def test_a_finding_of_the_first_record_opens_an_issue_with_itself_as_the_baseline(weekly: Weekly):
    asked = record(live(*TEXTS), (TEXTS[0],))
    assert (weekly.run(asked)["regression"], weekly.is_open) == ("true", [True])
    assert weekly.run(record(live(*TEXTS[1:]), (TEXTS[0],)))["regression"] == "false"
    assert weekly.is_open == [False]


def test_if_the_named_run_is_gone_the_issue_stays_open(weekly: Weekly):
    for one in (GOOD, BAD):
        weekly.run(one)
    weekly.repo.expire(1)
    assert (weekly.run(BAD)["regression"], weekly.is_open) == ("unknown", [True])
    assert "stays open" in weekly.summary


def test_another_key_begins_a_new_series_and_says_so(weekly: Weekly):
    weekly.run(GOOD)
    assert weekly.run(record(live(*TEXTS), key=Key("another", is_secret=True)))["regression"] == "unknown"
    assert "different keys" in weekly.summary


def test_a_baseline_in_the_workspace_and_none(weekly: Weekly):
    (weekly.folder / "good.json").write_text(rendered(drift_of(None, GOOD), "json"))
    assert weekly.run(BAD, baseline="good.json")["regression"] == "true"
    assert weekly.run(BAD, baseline="none")["regression"] == "unknown"
    (weekly.folder / "bad.json").write_text("{}")
    for name in ("bad.json", "missing.json"):
        with pytest.raises(ActionMisused, match="input baseline"):
            weekly.run(BAD, baseline=name)


def test_below_the_least_share_the_run_fails(weekly: Weekly):
    weekly.run(GOOD)
    outputs = weekly.run(BAD, fail_under="0.9")
    assert (outputs["conclusion"], weekly.code) == ("failure", 1)


def test_entries_that_are_gone_count_whatever_they_say(weekly: Weekly):
    weekly.run(SHRANK)
    outputs = weekly.run(GOOD, fail_under="0.9")
    assert (outputs["score"], outputs["conclusion"], weekly.code) == ("0.5714", "failure", 1)
    assert (outputs["regression"], weekly.is_open) == ("true", [True])
    assert "40 of 70 entries kept" in weekly.summary
    posted = read_posted_memory(body_of_changes(drift_of(SHRANK, GOOD), "m", "true", 1))
    assert posted.change is not None
    assert (posted.change.measure, posted.change.num_pairs) == ("entries", 70)


@pytest.mark.parametrize("content", [None, b"{}", b"not json"])
def test_without_a_record_there_is_no_result(weekly: Weekly, content: bytes | None):
    with pytest.raises(ValidationFailed, match="not recorded"):
        weekly.run(content)


def test_the_summary_is_markdown_with_no_text_of_the_memory(weekly: Weekly):
    for one in (GOOD, GOOD, BAD):
        weekly.run(one)
    html = github_flavored_markdown_to_html(weekly.summary)
    assert html.count("<tr>") > 12
    assert "Ada" not in weekly.summary + weekly.repo.issues[1][0].body


@pytest.mark.parametrize(
    ("drift", "regression", "score"),
    [
        (lambda: drift_of(None, GOOD), "unknown", None),
        (lambda: drift_of(GOOD, GOOD), "false", 1.0),
        (lambda: drift_of(GOOD, BAD), "true", 0.75),
        (lambda: drift_of(None, record(live(*TEXTS), (TEXTS[0],))), "true", None),
    ],
)
def test_what_the_app_gets_is_read_by_its_schema(drift: Callable[[], Drift], regression: str, score: float | None):
    posted = read_posted_memory(body_of_changes(drift(), "assay-memory-changes", regression, 7))  # type: ignore[arg-type]
    assert (posted.overall_score, posted.regression, posted.grading) == (score, regression, "changes")
    assert posted.num_questions in (40, 30)
