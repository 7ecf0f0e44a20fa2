"""Every metric of a repository's simulated life is what it must be by hand: heard by webhooks, and read as history."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.github.client import Clock, Github
from assay.github.events.parse import parse
from assay.github_app.handlers import handle
from assay.github_app.maintenance.sync import SyncResult, sync
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import note_abandoned
from assay.github_app.outcomes.metrics.comparing import before_and_after
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics
from assay.github_app.outcomes.metrics.risk_over_time import risk_and_outcome, risk_distribution
from assay.github_app.runtime.context import Context
from assay.github_app.store import Store
from tests.fakes.github import FakeGitHub
from tests.functional.repository_life import LOOKED_AT, Life, lived_in, tell_lines, tell_rules, tell_runs, tell_tasks
from tests.github_app.remembering import store_at
from tests.github_app.rooms import NotedQueues

SINCE = datetime(2026, 2, 1, tzinfo=UTC)
ONLY_TOLD = {
    "repeated_mistakes",
    "repeats_after_handout",
    "hydration_quality",
    "handed_rules_kept",
    "insights_handed",
    "findings_addressed",
    "task_success_rate",
    "task_failure_rate",
    "task_timeout_rate",
}
"""Metrics about what Assay itself found or was told: no history on GitHub has them."""


@dataclasses.dataclass
class Lived:
    """The life; the store of an App that heard it all, and that of somebody who read the history afterwards."""

    life: Life
    heard: Store
    history: Store

    @property
    def expected(self) -> dict[str, Any]:
        found: dict[str, Any] = self.life.case["expected"]
        return found


@pytest.fixture
def lived(github: FakeGitHub, tmp_path: Path) -> Iterator[Lived]:
    life = lived_in(github, tmp_path)
    with (
        store_at(f"sqlite:///{tmp_path / 'heard.sqlite'}") as heard,
        store_at(f"sqlite:///{tmp_path / 'history.sqlite'}") as history,
    ):
        hear(life, heard, tmp_path)
        read(life, history)
        note_abandoned(history, LOOKED_AT)
        yield Lived(life, heard, history)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_life_gives_the_metrics_worked_out_by_hand(lived: Lived, subtests: pytest.Subtests):
    """Living takes its time, so all that is looked at afterwards is looked at in one test."""
    for look in LOOKS:
        with subtests.test(look.__name__):
            look(lived)


def hear(life: Life, store: Store, folder: Path) -> None:
    """Every webhook goes through the App's handlers; tasks, runs and rules are told of."""
    github: Any = SimpleNamespace(app_id=life.github.app_id, us=lambda: SimpleNamespace(is_me=lambda _: False))
    queues: Any = NotedQueues(store)
    context = Context(store, github, Settings(data_dir=folder), queues)
    for delivery in life.github.deliveries:
        event = parse(delivery.event, delivery.body, delivery.guid)
        if event is not None:
            handle(event, context)
    repository_id = life.github.repository_id()
    for tell in (tell_tasks, tell_runs, tell_rules, tell_lines):
        tell(store, life, repository_id)
    note_abandoned(store, LOOKED_AT)


def read(life: Life, store: Store, **more: Any) -> SyncResult:
    """Read the history into a store, as the App."""
    github, name = life.github, life.github._repo(None)
    clock = Clock(sleep=lambda _s: None)
    with Github(github.app_id, github.private_key, github.url, clock=clock) as app:
        installation_id = app.installation_of(name)
        repository_id = github.repository_id()
        with app.repository(installation_id, repository_id, name, permissions=FOR_READING) as repo:
            return sync(store, repo, SINCE, app_id=github.app_id, installation_id=installation_id, **more)


def checked(rows: tuple[MetricRow, ...], expected: Mapping[str, list[float]], *, but: set[str] | None = None) -> None:
    """Compare rows of one split with the case."""
    found = {row.metric: row for row in rows}
    for name, (total, n, unknown, *over) in expected.items():
        if name in (but or ()):
            continue
        row = found[name]
        assert (row.total, row.n, row.num_unknown) == (total, n, unknown), name
        assert row.value == (pytest.approx(total / (over or [n])[0]) if n else None), name
        assert row.is_too_few is (n < 20), name


def every_metric_is_in_the_case(lived: Lived) -> None:
    assert set(lived.expected["all"]) == set(DEFINITIONS)


def all_are_as_by_hand(lived: Lived) -> None:
    checked(metrics(measures(lived.heard)), lived.expected["all"])


def each_agent_s_and_prompt_version_s_are_as_by_hand(lived: Lived) -> None:
    for by in (By.agent, By.prompt_version):
        rows = metrics(measures(lived.heard), by=by)
        assert {row.split for row in rows} == set(lived.expected[by])
        for split, expected in lived.expected[by].items():
            checked(tuple(row for row in rows if row.split == split), expected)


def each_month_s_are_as_by_hand(lived: Lived) -> None:
    rows = metrics(measures(lived.heard), bucket=Bucket.month)
    assert [row.bucket for row in rows[:2]] == ["2026-03", "2026-04"]
    for month, expected in lived.expected["month"].items():
        checked(tuple(row for row in rows if row.bucket == month), expected)


def history_gives_the_same_metrics_as_webhooks(lived: Lived) -> None:
    checked(metrics(measures(lived.history)), lived.expected["all"], but=ONLY_TOLD)
    rows = metrics(measures(lived.history), by=By.agent)
    for split, expected in lived.expected["agent"].items():
        checked(tuple(row for row in rows if row.split == split), expected, but=ONLY_TOLD)


def history_gives_each_pull_request_the_measures_that_webhooks_gave(lived: Lived) -> None:
    def of_github(one: PullMeasures) -> dict[str, Any]:
        # A revert that was pushed counts from when the webhook arrived.
        told = ("num_repeats", "num_rules", "findings", "risk_level", "task_status", "memory_state", "trouble_at")
        return {name: value for name, value in dataclasses.asdict(one).items() if not name.startswith(told)}

    for one, other in zip(measures(lived.heard), measures(lived.history), strict=True):
        assert of_github(other) == of_github(one)


def history_read_again_changes_nothing_and_reads_nothing(lived: Lived) -> None:
    before = measures(lived.history)
    again = read(lived.life, lived.history)
    assert (again.num_read, again.num_known, again.unread) == (0, 40, {})
    assert measures(lived.history) == before


def history_read_by_who_heard_it_all_changes_no_measure(lived: Lived) -> None:
    before = measures(lived.heard)
    assert read(lived.life, lived.heard).num_read == 40
    assert measures(lived.heard) == before


def risk_levels_and_what_became_of_them(lived: Lived) -> None:
    found = measures(lived.heard)
    assert all((one.trouble_at is not None) == (one.is_reverted or one.num_fixes > 0) for one in found)
    shares = {row.level: row for row in risk_distribution(found)}
    lifts = {row.level: row for row in risk_and_outcome(found) if row.what == "rejected"}
    for level, (num, rejected, ended) in lived.life.case["risk_levels"].items():
        assert (shares[level].num, shares[level].n) == (num, 40)
        assert (lifts[level].n, lifts[level].num_rest) == (ended, 38 - ended)
        assert lifts[level].value == pytest.approx(rejected / ended)
    expected, row = lived.life.case["high_or_critical"], lifts["high_or_critical"]
    assert (row.value, row.rest, row.lift) == pytest.approx(
        (expected["rejected"], expected["rest"], expected["lift"]), abs=1e-3
    )
    assert row.low is not None
    assert row.low > 1, "high risk is rejected more, and not by chance"
    assert row.is_too_few, "nine are too few to say it aloud"


def before_and_after_a_prompt_version(lived: Lived) -> None:
    rows = {row.metric: row for row in before_and_after(measures(lived.heard), "shop-2")}
    for name, (before, after, says) in lived.life.case["before_and_after"].items():
        row = rows[name]
        assert (row.before, row.after) == pytest.approx((before, after), abs=0.01), name
        assert str(row.moved) == says, name


LOOKS = (
    every_metric_is_in_the_case,
    all_are_as_by_hand,
    each_agent_s_and_prompt_version_s_are_as_by_hand,
    each_month_s_are_as_by_hand,
    history_gives_the_same_metrics_as_webhooks,
    history_gives_each_pull_request_the_measures_that_webhooks_gave,
    history_read_again_changes_nothing_and_reads_nothing,
    risk_levels_and_what_became_of_them,
    before_and_after_a_prompt_version,
    history_read_by_who_heard_it_all_changes_no_measure,
)
