"""How long figures of ten thousand pull requests take: from the database to the last interval."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.metrics import Bucket, By, metrics
from assay.github_app.store import Store
from assay.github_app.store.tables.pull_tables import HeadRow, PullRow
from assay.github_app.store.tables.review_tables import CommentRow, ReviewRow
from assay.github_app.store.tables.run_tables import FindingRow, RunRow
from tests.github_app.remembering import REPOSITORY as SHOP
from tests.github_app.remembering import START, pull

pytestmark = pytest.mark.bench
NUM_PULLS = 10_000
NUM_REPOSITORIES = 4
MOST_S = 30.0


def fill(store: Store) -> None:
    """Merged pull requests of forty authors: each with two heads, two reviews, four comments, a run, five findings."""
    kept: dict[str, list[dict[str, Any]]] = {name: [] for name in ("pulls", "heads", "reviews", "comments", "runs")}
    findings = []
    for index in range(NUM_PULLS):
        repository_id, number = index % NUM_REPOSITORIES + 1, index // NUM_REPOSITORIES + 1
        key = {"repository_id": repository_id, "number": number}
        at = START + timedelta(minutes=30 * index)
        heads = [f"{index:038x}{turn:02x}" for turn in range(2)]
        kept["pulls"].append(
            key | _pull(index, at, heads[1]) | {"opened_head": heads[0], "opened_as_draft": False, "seen_at": at}
        )
        for turn, head in enumerate(heads):
            pushed_at = at + timedelta(minutes=60 * turn)
            size = {"num_added": index % 300, "num_removed": 10, "counted_at": pushed_at}
            kept["heads"].append(key | size | {"sha": head, "pushed_at": pushed_at, "last_at": pushed_at})
            kept["reviews"].append(_review(key, index * 2 + turn, at + timedelta(minutes=30 + 60 * turn), head))
        kept["comments"] += [_comment(key, index * 4 + place, at + timedelta(minutes=31)) for place in range(4)]
        run_id = f"run:{repository_id}:{number}:{heads[1]}:1"
        kept["runs"].append(_run(key, run_id, heads[1], at))
        findings += [_finding(run_id, place) for place in range(5)]
    with store._database.write() as connection:
        for table, rows in zip((PullRow, HeadRow, ReviewRow, CommentRow, RunRow), kept.values(), strict=True):
            connection.execute(insert(table), rows)
        connection.execute(insert(FindingRow), findings)


def _pull(index: int, at: datetime, head: str) -> dict[str, Any]:
    facts = pull()
    return {
        "title": facts.title, "body": "x" * 2000, "author": f"author-{index % 40}", "author_kind": "User",
        "head_sha": head, "head_ref": "change", "base_sha": facts.base_sha, "base_ref": "main", "is_fork": False,
        "is_draft": False, "state": "closed", "is_merged": True, "labels": [], "created_at": at,
        "updated_at": at + timedelta(hours=3), "closed_at": at + timedelta(hours=3),
        "merged_at": at + timedelta(hours=3), "agent": ("claude-code", "copilot", "codex")[index % 3],
        "prompt_version": f"v{index // 2000}", "version": "",
    }  # fmt: skip


def _review(key: dict[str, int], review_id: int, at: datetime, head: str) -> dict[str, Any]:
    return key | {
        "review_id": review_id, "reviewer": "bo", "is_bot": False, "body": "", "commit_sha": head,
        "state": "commented" if review_id % 2 else "changes_requested", "association": "MEMBER", "submitted_at": at,
        "version_at": at, "seen_at": at,
    }  # fmt: skip


def _comment(key: dict[str, int], comment_id: int, at: datetime) -> dict[str, Any]:
    words = ("Please use a constant here.", "Why?", "Nice!", "Don't catch every exception, only what you can handle.")
    return key | {
        "kind": "line", "comment_id": comment_id, "author": "bo", "is_bot": False, "is_by_pull_author": False,
        "association": "MEMBER", "body": words[comment_id % 4], "path": "app.py", "line": 3, "diff_hunk": "+x\n" * 50,
        "created_at": at, "updated_at": at, "is_deleted": False, "seen_at": at,
    }  # fmt: skip


def _run(key: dict[str, int], run_id: str, head: str, at: datetime) -> dict[str, Any]:
    return key | {
        "id": run_id, "external_id": f"assay:{run_id}", "head_sha": head, "turn": 1, "trigger": "opened",
        "state": "completed", "created_at": at, "changed_at": at, "reported_at": at, "conclusion": "success",
        "risk_level": ("low", "medium", "high", "critical")[key["number"] % 4],
    }  # fmt: skip


def _finding(run_id: str, place: int) -> dict[str, Any]:
    return {
        "run_id": run_id, "finding_id": f"f{place}", "tier": "code-quality", "severity": "warning",
        "rule": "complexity", "file": "app.py", "line": place, "message": "Long", "is_introduced": True,
        "is_blocking": False,
    }  # fmt: skip


@pytest.mark.timeout(300)
def test_figures_of_ten_thousand_pull_requests_take_seconds(tmp_path: Path):
    with Store.open(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.see(SHOP, None, START)
        fill(store)
        began = time.perf_counter()
        found = measures(store)
        read_s = time.perf_counter() - began
        assert len(found) == NUM_PULLS
        took = {"reading and measuring": read_s}
        for name, by, bucket in (
            ("all", None, None),
            ("by author", By.author, None),
            ("by week", None, Bucket.week),
            ("by author and week", By.author, Bucket.week),
        ):
            began = time.perf_counter()
            rows = metrics(found, by=by, bucket=bucket)
            took[f"metrics {name} ({len(rows)} rows)"] = time.perf_counter() - began
    print(f"\n{NUM_PULLS} pull requests:")
    for name, seconds in took.items():
        print(f"  {name:<40} {seconds:6.2f} s")
    assert max(took.values()) < MOST_S
