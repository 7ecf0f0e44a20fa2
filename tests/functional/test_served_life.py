"""The same life heard by the App as it is run, and its figures by command line and interface: all the same."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.metrics import metrics
from assay.github_app.store import DeliveryState, Scope, Store
from tests.fakes.github import FakeGitHub
from tests.functional.conftest import Assay
from tests.functional.repository_life import Life, lived_in
from tests.functional.test_repository_life import checked
from tests.github_app.processes import AppProcess, environment_for, wait_ready

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]
UNFINISHED = {14, 39, 40}
UNHANDLED = (DeliveryState.received, DeliveryState.started, DeliveryState.failed)
PATIENCE_S = 120


@pytest.fixture
def served(github: FakeGitHub, tmp_path: Path) -> Iterator[tuple[Life, Path, str, dict[str, str]]]:
    """The life, lived, and then told to an App that runs: the life, the App's folder, its address and settings."""
    life = lived_in(github, tmp_path)
    data = tmp_path / "data"
    environment = environment_for(github, data, check_wait_s=5, sweep_s=600, lease_s=15)
    process = AppProcess("serve", environment, tmp_path / "app.log")
    told = list(github.deliveries)
    for delivery in told:
        delivery.status, delivery.status_code = "OK", 200  # or the App would ask for all of them itself, in any order
    process.start()
    try:
        address = wait_ready(environment, process)
        github.deliver_to(f"{address}/webhooks/github")
        with Store.open(f"sqlite:///{data / 'assay.sqlite'}", migrate=False) as store:
            for delivery in told:
                github.redeliver(delivery)
                # Days passed between these; what they ask for was done long before the next came.
                if delivery.event == "pull_request":
                    rest(github, store)
            rest(github, store)
        yield life, data, address, environment
        assert "Traceback" not in process.said(), process.said()[-4000:]
    finally:
        github.deliver_to(None)
        process.close()


def rest(github: FakeGitHub, store: Store) -> None:
    """Wait until every delivery is handled, and no run goes on."""
    deadline = time.monotonic() + PATIENCE_S
    github.settled(timeout_s=60)
    while True:
        counts = store.deliveries.counts()
        if not any(counts.get(one, 0) for one in UNHANDLED) and not store.runs.unended():
            return
        assert time.monotonic() < deadline, (counts, store.runs.unended())
        time.sleep(0.1)


def test_a_served_app_has_the_metrics_worked_out_by_hand(
    served: tuple[Life, Path, str, dict[str, str]], assay: Assay, tmp_path: Path
):
    life, data, address, environment = served
    repository_id = life.github.repository_id()
    with Store.open(f"sqlite:///{data / 'assay.sqlite'}", migrate=False) as store:
        every = measures(store, [repository_id])
        found = [one for one in every if one.number not in UNFINISHED]
        checked(metrics(found), life.case["ended_by_themselves"])
        # A first head that GitHub has a newer one of by now is not validated any more, and one that was closed neither.
        told = [one for one in found if one.is_merged and len(life.heads[one.number]) == 1]
        assert [one.number for one in told if one.risk_level is None] == []
        now = datetime.now(UTC)
        secret = store.tokens.make("figures", [repository_id], [Scope.metrics_read], now, timedelta(days=1)).secret

    asked = {"authorization": f"Bearer {secret}"}
    answer = httpx2.get(f"{address}/api/v1/metrics", headers=asked, timeout=60, trust_env=False)
    rows = {row["metric"]: (row["n"], row["value"]) for row in answer.json()["rows"]}
    assert rows == {
        row.metric: (row.n, None if row.value is None else pytest.approx(row.value)) for row in metrics(every)
    }

    later = tmp_path / "later"
    settings = environment | {"ASSAY_DATA_DIR": str(later)}
    done = assay("sync", "acme/shop", "--since", "2026-02-01", cwd=tmp_path, timeout_s=600, **settings)
    assert done.code == 0, done.err
    assert done.out.startswith("acme/shop: read 40 pull requests; 0 had not changed since the last time.\n")
    with Store.open(f"sqlite:///{later / 'assay.sqlite'}", migrate=False) as store:
        read = [one for one in measures(store) if one.number not in UNFINISHED]
    checked(metrics(read), life.case["ended_by_themselves"])
