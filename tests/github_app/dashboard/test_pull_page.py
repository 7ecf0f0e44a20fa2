"""The page of a pull request begins with what to do, and its text stays what was written."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from assay.github_app.runs.current import facts_of
from assay.github_app.store import Store
from assay.validators import report_as
from tests.github_app.dashboard.conftest import NOW, SHOP
from tests.validators.render import sample


def test_a_report_with_findings_begins_with_at_most_three(guest: TestClient, store: Store):
    report = sample.sample()
    run, _ = store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    store.runs.save_report(
        run.id,
        report_as(report, "json").encode(),
        conclusion=report.conclusion,
        title=report.title,
        risk_level=None,
        is_hold=False,
        findings=(),
        factors=(),
        config_hash=None,
        durations_s={},
        at=NOW,
    )
    first = guest.get("/repos/octo/shop/pulls/7").text.split("<details><summary>The whole report</summary>")[0]
    assert "<h2>Fix these</h2>" in first
    assert "<code>uv run pytest -q</code>" in first
    assert "<code>tests/test_client.py:12</code> <code>test_integrity</code>" in first
    assert "<code>pyproject.toml:14</code>" in first
    assert "and 2 more, in the whole report" in first
    assert "complexity" not in first


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\u202edog\u2066", r"a\u202edog\u2066"),
        ("red \x1b[31m\x07 alarm", r"red \x07 alarm"),
        ("زر جديد חדש naïve 日本 🎉", "زر جديد חדש naïve 日本 🎉"),
    ],
)
def test_text_cannot_turn_a_page_round(guest: TestClient, store: Store, written: str, shown: str):
    found = store.pulls.get(11, 7)
    assert found is not None
    store.pulls.see(replace(facts_of(found), title=written, updated_at=NOW + timedelta(days=1)), SHOP, NOW)
    store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    for path in ("/", "/repos/octo/shop/pulls/7"):
        text = guest.get(path).text
        assert shown in text
        assert (written in text) is (written == shown)
