"""Every metric of a repository's simulated life is what it must be by hand: heard by webhooks, and read as history."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from assay.github_app.context import Context
from assay.github_app.github import Clock, Github
from assay.github_app.handlers import handle
from assay.github_app.outcomes import note_abandoned
from assay.github_app.outcomes.comparing import before_and_after
from assay.github_app.outcomes.measures import PullMeasures, measures
from assay.github_app.outcomes.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics import Bucket, By, MetricRow, metrics
from assay.github_app.outcomes.risk_over_time import risk_and_outcome, risk_distribution
from assay.github_app.outcomes.syncing import Synced, sync
from assay.github_app.payloads import parse
from assay.github_app.permissions import FOR_READING
from assay.github_app.settings import Settings
from assay.github_app.store import Store
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.functional.repository_life import LOOKED_AT, Life, lived_in, tell_lines, tell_rules, tell_runs, tell_tasks
from tests.github_app.rooms import NotedQueues

pytestmark = pytest.mark.timeout(300)
SINCE = datetime(2026, 2, 1, tzinfo=UTC)
ONLY_TOLD = {
    "repeated_mistakes",
    "repeats_after_handout",
    "handed_rules_kept",
    "findings_addressed",
    "task_success_rate",
    "task_failure_rate",
    "task_timeout_rate",
}
"""Metrics about what Assay itself found or was told: no history on GitHub has them."""


@pytest.fixture(scope="module")
def life(github_server: GitHubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """The life, lived once for all tests here."""
    folder = tmp_path_factory.mktemp("life")
    github = FakeGitHub(github_server, folder / "hosting")
    life = lived_in(github, folder)
    yield life
    assert github.violations == []
    github.close()


@pytest.fixture(scope="module")
def repository_id(life: Life) -> int:
    return life.github.repository_id()


@pytest.fixture(scope="module")
def heard(life: Life, repository_id: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store of an App that heard every webhook, and was told of tasks, runs and rules."""
    folder = tmp_path_factory.mktemp("heard")
    github: Any = SimpleNamespace(app_id=life.github.app_id, us=lambda: SimpleNamespace(is_me=lambda _: False))
    queues: Any = NotedQueues()
    with Store.open(f"sqlite:///{folder / 'assay.sqlite'}") as store:
        context = Context(store, github, Settings(data_dir=folder), queues)
        for delivery in life.github.deliveries:
            event = parse(delivery.event, delivery.body, delivery.guid)
            if event is not None:
                handle(event, context)
        tell_tasks(store, life, repository_id)
        tell_runs(store, life, repository_id)
        tell_rules(store, life, repository_id)
        tell_lines(store, life, repository_id)
        note_abandoned(store, LOOKED_AT)
        yield store


@pytest.fixture(scope="module")
def history(life: Life, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store of somebody who read the history afterwards."""
    with Store.open(f"sqlite:///{tmp_path_factory.mktemp('history') / 'assay.sqlite'}") as store:
        read(life, store)
        note_abandoned(store, LOOKED_AT)
        yield store


def read(life: Life, store: Store, **more: Any) -> Synced:
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


def test_every_metric_is_in_the_case(life: Life):
    assert set(life.case["expected"]["all"]) == set(DEFINITIONS)


def test_all_metrics_are_as_by_hand(life: Life, heard: Store):
    checked(metrics(measures(heard)), life.case["expected"]["all"])


@pytest.mark.parametrize("by", ["agent", "prompt_version"])
def test_metrics_are_as_by_hand_for_each_agent_and_prompt_version(life: Life, heard: Store, by: str):
    rows = metrics(measures(heard), by=By(by))
    assert {row.split for row in rows} == set(life.case["expected"][by])
    for split, expected in life.case["expected"][by].items():
        checked(tuple(row for row in rows if row.split == split), expected)


def test_metrics_are_as_by_hand_for_each_month(life: Life, heard: Store):
    rows = metrics(measures(heard), bucket=Bucket.month)
    assert [row.bucket for row in rows[:2]] == ["2026-03", "2026-04"]
    for month, expected in life.case["expected"]["month"].items():
        checked(tuple(row for row in rows if row.bucket == month), expected)


def test_history_gives_the_same_metrics_as_webhooks(life: Life, history: Store):
    checked(metrics(measures(history)), life.case["expected"]["all"], but=ONLY_TOLD)
    rows = metrics(measures(history), by=By.agent)
    for split, expected in life.case["expected"]["agent"].items():
        checked(tuple(row for row in rows if row.split == split), expected, but=ONLY_TOLD)


def test_history_gives_each_pull_request_the_measures_that_webhooks_gave(heard: Store, history: Store):
    def of_github(one: PullMeasures) -> dict[str, Any]:
        told = ("num_repeats", "num_rules", "findings", "risk_level", "task_status", "memory_state")
        return {name: value for name, value in dataclasses.asdict(one).items() if not name.startswith(told)}

    for one, other in zip(measures(heard), measures(history), strict=True):
        assert of_github(other) == of_github(one)


def test_history_read_again_changes_nothing_and_reads_nothing(life: Life, history: Store):
    before = measures(history)
    again = read(life, history)
    assert (again.num_read, again.num_known, again.unread) == (0, 40, {})
    assert measures(history) == before
    anew = read(life, history, is_anew=True)
    assert (anew.num_read, anew.num_known) == (40, 0)
    assert measures(history) == before


def test_history_read_into_the_store_of_who_heard_it_all_changes_no_measure(life: Life, heard: Store):
    before = measures(heard)
    assert read(life, heard).num_read == 40
    assert measures(heard) == before


def test_risk_levels_and_what_became_of_them(life: Life, heard: Store):
    found = measures(heard)
    shares = {row.level: row for row in risk_distribution(found)}
    lifts = {row.level: row for row in risk_and_outcome(found) if row.what == "rejected"}
    for level, (num, rejected, ended) in life.case["risk_levels"].items():
        assert (shares[level].num, shares[level].n) == (num, 40)
        assert (lifts[level].n, lifts[level].num_rest) == (ended, 38 - ended)
        assert lifts[level].value == pytest.approx(rejected / ended)
    expected, row = life.case["high_or_critical"], lifts["high_or_critical"]
    assert (row.value, row.rest, row.lift) == pytest.approx(
        (expected["rejected"], expected["rest"], expected["lift"]), abs=1e-3
    )
    assert row.low is not None
    assert row.low > 1, "high risk is rejected more, and not by chance"
    assert row.is_too_few, "nine are too few to say it aloud"


def test_before_and_after_a_prompt_version(life: Life, heard: Store):
    rows = {row.metric: row for row in before_and_after(measures(heard), "shop-2")}
    for name, (before, after, says) in life.case["before_and_after"].items():
        row = rows[name]
        assert (row.before, row.after) == pytest.approx((before, after), abs=0.01), name
        assert str(row.moved) == says, name
