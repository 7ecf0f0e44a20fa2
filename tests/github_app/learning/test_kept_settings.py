"""Who decides where no pull request is at hand goes by what the repository was last seen to want."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.learning.repository_settings import kept_settings
from assay.github_app.store import Store
from assay.validators import Learning, ValidationConfig, report_as
from tests.github_app.publish.reports import fine
from tests.github_app.remembering import REPOSITORY, after, pull, store_at

ID, RULE = REPOSITORY.id, "a" * 12


def validated(store: Store, number: int, days: int, *, at: datetime, **changes: Any) -> None:
    """A pull request has a report, made under a threshold of so many hundredths."""
    store.pulls.see(pull(id=900 + number, number=number, **changes), REPOSITORY, after())
    config = ValidationConfig(learning=Learning(threshold=days / 100))
    settings = {"configuration": config.model_dump(mode="json", by_alias=True)}
    report = dataclasses.replace(fine(f"{number:040x}"), settings=settings)
    run, _ = store.runs.begin(ID, number, f"{number:040x}", "test", at)
    store.runs.save_report(
        run.id, report_as(report, "json").encode(), conclusion="success", title="", risk_level="low",
        is_hold=False, findings=(), factors=(), config_hash=None, durations_s={}, at=at,
    )  # fmt: skip


def waiting(store: Store, rule_id: str = RULE) -> None:
    canonical = {
        "action": "use", "objects": ["types"], "over": [], "polarity": "do", "text": "Rule: use types",
        "language": None, "paths": [], "key": rule_id,
    }  # fmt: skip
    store.rules.put_pending(ID, rule_id, "Rule: use types", canonical, after(), key=rule_id, polarity="do")


def expiry(store: Store, rule_id: str = RULE) -> datetime:
    row = store.rules.get(ID, rule_id)
    assert row is not None
    assert row.expires_at is not None
    return row.expires_at


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.put(REPOSITORY, 1, after())
        yield store


def test_the_newest_report_against_the_default_branch_tells(store: Store):
    assert kept_settings(store, ID) == Learning()
    validated(store, 1, 40, at=after(hours=1))
    validated(store, 2, 50, at=after(hours=2))
    validated(store, 3, 60, at=after(hours=3), base_ref="release-1")
    assert kept_settings(store, ID).threshold == 0.5
    assert kept_settings(store, ID + 1) == Learning()


def test_what_another_version_wrote_or_was_thrown_away_tells_nothing(store: Store):
    validated(store, 1, 40, at=after(hours=1))
    run = store.runs.newest_reported(ID, 1)
    assert run is not None
    store.runs.save_report(
        run.id, b"{}", conclusion="success", title="", risk_level="low", is_hold=False, findings=(), factors=(),
        config_hash=None, durations_s={}, at=after(hours=2),
    )  # fmt: skip
    assert kept_settings(store, ID) == Learning()
