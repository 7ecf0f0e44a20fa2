"""The page of metrics: charts first, each with its place in the contents, and the long table after them."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

from fastapi.testclient import TestClient

from assay.github_app.store import DeclaredBy, OutcomeKind, Store
from tests.github_app.dashboard.conftest import HOSTILE, NOW
from tests.github_app.outcomes.test_blocked import verdict
from tests.github_app.outcomes.test_review_rates import findings
from tests.github_app.remembering import after
from tests.github_app.store.test_pages import MINE, validated

CHARTS = (
    "first-review-merge-rate",
    "revision-cycles",
    "first-push-ci-pass-rate",
    "comment-density",
    "requests-for-change",
    "repeated-mistakes",
    "time-to-pr",
)


def page(guest: TestClient, query: str = "") -> str:
    answer = guest.get(f"/figures?period=all&{query}")
    assert answer.status_code == 200
    return answer.text


def test_charts_come_before_the_table_and_each_is_found_from_the_top(guest: TestClient, store: Store):
    store.outcomes.put(11, 7, OutcomeKind.merged, "a" * 40, NOW + timedelta(hours=1))
    text = page(guest)
    places = re.findall(r'<h2 id="title-([a-z-]+)"', text)
    assert places == [*CHARTS, "metrics", "blocked"]
    assert re.findall(r'<a href="#title-([a-z-]+)">', text) == places
    assert "First push CI pass rate" in text
    assert "Time to PR" in text


def test_outcomes_of_the_review_are_a_table_of_questions_and_prompts(guest: TestClient, store: Store):
    assert 'id="title-review"' not in page(guest)
    findings(store, 11, 7, acted_on=1, dismissed=3)
    findings(store, 11, 7, question="security", prompt=HOSTILE, ignored=2, withdrawn=1, standing=1)
    text = page(guest)
    assert re.findall(r'<h2 id="title-([a-z-]+)"', text)[-2:] == ["review", "blocked"]
    assert HOSTILE not in text
    rows = [row.split(",") for row in page(guest, "csv=review").splitlines()]
    assert rows[0] == ["question", "prompt", "n", "acted_on", "dismissed", "ignored", "num_withdrawn", "num_standing"]
    assert rows[1] == ["correctness", "correctness v1 0a1b2c3d4e5f", "4", "0.25", "0.75", "0.0", "0", "0"]
    assert rows[2][2:] == ["2", "0.0", "0.0", "1.0", "1", "1"]


def test_what_enforce_mode_would_block_is_a_table_of_repositories(guest: TestClient, store: Store):
    assert page(guest, "csv=blocked").splitlines() == ["repository,n,num_failing,num_held,num_merged,examples"]
    validated(store, MINE, 8, "low")
    verdict(store, 8, "failure", after(minutes=10))
    (_, row) = csv.reader(io.StringIO(page(guest, "csv=blocked")))
    assert row == [MINE.full_name, "1", "1", "0", "0", "#8 Change 8"]


def test_a_split_table_is_folded_until_somebody_sorts_it(guest: TestClient, store: Store):
    store.outcomes.put(11, 7, OutcomeKind.merged, "a" * 40, NOW + timedelta(hours=1))
    folded = re.compile(r"<details><summary>All \d+ rows</summary>.*?<table id=\"metrics\">", re.DOTALL)
    assert not folded.search(page(guest))
    assert folded.search(page(guest, "by=agent"))
    assert not folded.search(page(guest, "by=agent&sort=-metrics.value"))
    assert '<table id="metrics">' in page(guest, "by=agent&sort=-metrics.value")


def test_a_split_begins_with_a_row_for_each_group_and_prompt_versions_link_to_their_pages(
    guest: TestClient, store: Store
):
    store.outcomes.put(11, 7, OutcomeKind.merged, "a" * 40, NOW + timedelta(hours=1))
    store.pulls.declare(11, 7, DeclaredBy.trailer, NOW, prompt_version="v1")
    for version in ("v1", "v2"):
        store.prompt_versions.put(11, version, "files", {"AGENTS.md": version}, NOW)
    text = page(guest, "by=prompt_version")
    assert text.index('id="title-groups"') < text.index('id="title-first-review-merge-rate"')
    rows = page(guest, "by=prompt_version&csv=groups").splitlines()
    assert rows[0].startswith("prompt_version,num,merge_rate,")
    assert [row.split(",")[:2] for row in rows[1:]] == [["v1", "1"], ["v2", "0"]]
    assert 'href="/prompts/octo/shop/v2"' in text
    assert 'href="/prompts' not in page(guest, "by=agent")
