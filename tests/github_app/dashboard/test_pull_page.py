"""The page of a pull request begins with what to do."""

from __future__ import annotations

from fastapi.testclient import TestClient

from assay.github_app.store import Store
from assay.validators import FORMATS
from tests.github_app.dashboard.conftest import NOW
from tests.validators.render import sample


def test_a_report_with_findings_begins_with_at_most_three(guest: TestClient, store: Store):
    report = sample.sample()
    run, _ = store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    store.runs.save_report(
        run.id,
        FORMATS["json"].render(report).encode(),
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
    assert first.count("<li><code>") == 2
    assert '<code>uv run pytest -q</code> <span class="outcome failed">failed</span>: 1 of 43 tests fails' in first
    assert "<code>tests/test_client.py:12</code> <code>test_integrity</code>" in first
    assert "complexity" not in first
