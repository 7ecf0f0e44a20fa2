"""Figures through the interface: those of the one function, and only of repositories the caller may read."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from datetime import timedelta
from typing import Any

import pytest

from assay.github_app.outcomes import record
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metrics import metrics
from assay.github_app.store import Scope
from tests.github_app.api.serving import AT, OTHER, SHOP, Served
from tests.github_app.outcomes.telling import pulled
from tests.github_app.outcomes.test_blocked import verdict
from tests.github_app.outcomes.test_review_rates import findings
from tests.github_app.remembering import after, merged, sha
from tests.github_app.store.test_pages import MINE, OTHERS, validated


def merge(api: Served, number: int, repository: Any = SHOP) -> None:
    """A pull request that was merged an hour after it was opened."""
    facts = merged(
        after(days=number, hours=1),
        number=number,
        head_sha=f"{number:040x}",
        merge_commit_sha=sha("e"),
        created_at=after(days=number),
        base_repository_id=repository.id,
        head_repository=repository,
    )
    event = pulled("closed", facts)
    event = dataclasses.replace(event, about=dataclasses.replace(event.about, repository=repository))
    record(event, api.store, AT)


@pytest.fixture
def filled(api: Served) -> Served:
    for number in range(1, 4):
        merge(api, number)
    merge(api, 9, OTHER)
    return api


def test_figures_are_those_of_the_one_function(filled: Served):
    answer = filled.get("/api/v1/metrics")
    assert answer.status_code == 200, answer.text
    expected = [dataclasses.asdict(row) for row in metrics(measures(filled.store, [SHOP.id]))]
    assert answer.json() == {"rows": json.loads(json.dumps(expected)), "history_since": None}
    rows = {row["metric"]: row for row in answer.json()["rows"]}
    assert (rows["merge_rate"]["value"], rows["merge_rate"]["n"]) == (1.0, 3)
    assert rows["time_to_merge"]["value"] == 3600


@pytest.mark.soak
def test_csv_splits_spans_and_days(filled: Served):
    answer = filled.get("/api/v1/metrics", format="csv", by="author", bucket="month", metric="merge_rate")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    (line,) = csv.DictReader(io.StringIO(answer.text))
    assert (line["split"], line["bucket"], line["n"]) == ("ada", "2026-03", "3")
    assert (line["is_too_few"], line["num_unknown"]) == ("true", "0")
    since = (after(days=2, hours=-1)).isoformat()
    rows = filled.get("/api/v1/metrics", since=since, metric="merge_rate").json()["rows"]
    assert rows[0]["n"] == 2
    until = (after(days=2) - timedelta(hours=1)).isoformat()
    assert filled.get("/api/v1/metrics", until=until, metric="merge_rate").json()["rows"][0]["n"] == 1


def test_outcomes_of_the_review_are_those_of_repositories_the_caller_may_read(filled: Served):
    place = (filled.store, SHOP.id, 1)
    findings(*place, acted_on=2, dismissed=1)
    findings(filled.store, OTHER.id, 9, ignored=5)
    rows = filled.get("/api/v1/metrics", table="review_findings").json()["rows"]
    assert [(row["outcome"], row["num"], row["n"]) for row in rows] == [
        ("acted_on", 2, 3),
        ("dismissed", 1, 3),
        ("ignored", 0, 3),
    ]
    later = filled.get("/api/v1/metrics", table="review_findings", since=after(days=90).isoformat())
    assert later.json() == {"rows": [], "history_since": None}


def test_what_enforce_mode_would_block_is_there_by_repository(api: Served):
    for repository, number in ((MINE, 2), (OTHERS, 9)):
        api.store.repositories.put(repository, 1, after())
        validated(api.store, repository, number, "low")
    verdict(api.store, 2, "failure", after(minutes=10))
    reader = api.token(Scope.metrics_read, repositories=[MINE.id])
    assert api.get("/api/v1/metrics", reader, table="blocked").json()["rows"] == [
        {
            "repository": "octo/shop", "n": 1, "num_failing": 1, "num_held": 0, "num_merged": 0,
            "examples": "#2 Change 2",
        }
    ]  # fmt: skip


@pytest.mark.parametrize("query", [{"table": "risk_levels"}, {"table": "risk_outcomes"}, {"prompt_version": "v1"}])
def test_the_other_tables(filled: Served, query: dict[str, str]):
    answer = filled.get("/api/v1/metrics", **query)
    assert answer.status_code == 200
    assert isinstance(answer.json()["rows"], list)


def test_every_metric_is_explained(api: Served):
    told = api.get("/api/v1/metrics/definitions").json()["metrics"]
    assert [one["name"] for one in told] == list(DEFINITIONS)
    assert {one["better"] for one in told} == {"up", "down", "neither"}


@pytest.mark.soak
def test_nobody_sees_figures_of_a_repository_that_is_not_theirs(filled: Served):
    assert filled.get("/api/v1/metrics", repo="acme/secret").status_code == 404
    assert "acme/secret" not in filled.get("/api/v1/metrics", by="repository").text
    assert filled.get("/api/v1/metrics", secret=filled.token(Scope.tasks)).status_code == 403
    assert filled.get("/api/v1/metrics", secret="").status_code == 401


@pytest.mark.soak
def test_a_repository_that_was_taken_back_has_no_figures(filled: Served):
    before = filled.get("/api/v1/metrics", metric="merge_rate").json()["rows"]
    filled.store.repositories.remove(SHOP, 4242, AT + timedelta(seconds=1))
    after = filled.get("/api/v1/metrics", metric="merge_rate").json()["rows"]
    assert (before[0]["n"] > 0, sum(row["n"] for row in after)) == (True, 0)


UNANSWERABLE: list[dict[str, Any]] = [
    {"by": "mood"},
    {"bucket": "day"},
    {"metric": "velocity"},
    {"since": "2026-03-01T00:00:00"},
    {"since": "soon"},
    {"since": "9999-12-31T23:59:59-23:59"},
    {"until": "0001-01-01T00:00:00+23:59"},
    {"format": "xml"},
    {"prompt_version": "v" * 201},
    {"repo": ["acme/shop"] * 51},
]


def test_a_question_nobody_can_answer_is_refused(filled: Served, subtests: pytest.Subtests):
    for query in UNANSWERABLE:
        with subtests.test(str(query)[:80]):
            assert filled.get("/api/v1/metrics", **query).status_code == 422
