"""How the database grows over more than a year, with the daily deletion on.

    make bench PYTEST_ARGS="-k growth"

One day is made by the App's processes with the fake GitHub; the later ones are copies of it, each followed by the
deletion of that day. PostgreSQL.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from assay.github_app.maintenance.purge import delete_old
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Queues
from assay.github_app.store import Store
from tests.bench.growth import JOBS, GrowingDatabase
from tests.bench.scale import Fleet, Organisation, Rows
from tests.fakes.github import FakeGitHub
from tests.github_app.stand_ins import GithubOfPulls
from tests.repositories import RealRepository

pytestmark = [pytest.mark.bench, pytest.mark.postgres, pytest.mark.timeout(7200)]
PULLS = 10
MEANT = 10_000
"""Pull requests a day of the organisation that is meant: 500 repositories x 20."""
DAYS = int(os.environ.get("GROWTH_DAYS", "430"))
SHOWN = (1, 14, 30, 90, 365, DAYS)


@pytest.fixture
def first_day(github: FakeGitHub, repository: RealRepository, tmp_path: Path, postgres_url: str) -> GrowingDatabase:
    """Ten pull requests with two later pushes each, checks of another App, a review and the merge."""
    organisation = Organisation(github, repository)
    organisation.create(1)
    fleet = Fleet(github, tmp_path, postgres_url, 1, durations_s=(0.2,))
    try:
        fleet.start(repository)
        for _ in range(PULLS):
            organisation.open_pull()
        for _ in range(2):
            for place in list(organisation.pulls):
                organisation.push_to(place)
            github.wait(Rows(postgres_url).is_done, timeout_s=900)
        for _ in range(PULLS):
            organisation.review()
        for _ in range(PULLS):
            organisation.merge()
        github.settled(timeout_s=120)
        github.wait(Rows(postgres_url).is_done, timeout_s=900)
    finally:
        fleet.close()
    grown = GrowingDatabase(postgres_url)
    grown.take_day()
    return grown


def test_growth_over_a_year(first_day: GrowingDatabase, postgres_url: str, tmp_path: Path):
    url = Rows(postgres_url).url.replace("postgresql://", "postgresql+psycopg://")
    settings = Settings(data_dir=tmp_path, database_url=url)
    began, took = datetime.now(UTC), []
    shown: dict[int, dict[str, tuple[int, int]]] = {}
    with closing(Queues(settings.jobs_url())) as queues, Store.open(settings.store_url(), migrate=False) as store:
        for day in range(1, DAYS + 1):
            first_day.add_day(day)
            later = began + timedelta(days=day)
            context = Context(store, GithubOfPulls(), settings, queues, at(later))  # type: ignore[arg-type]
            since, used = time.monotonic(), psutil.Process().cpu_times()
            assert delete_old(context, float("inf"))[1]
            now = psutil.Process().cpu_times()
            took.append((time.monotonic() - since, now.user + now.system - used.user - used.system))
            if day % 10 == 0 or day in SHOWN:
                first_day.vacuum()
            if day in SHOWN:
                shown[day] = first_day.sizes()
    _print(shown)
    late = took[-20:]
    print(
        f"deletion of a day: {sum(one for one, _ in late) / len(late) / PULLS * 1000:.0f} ms a pull request,"
        f" {sum(one for _, one in late) / len(late) / PULLS * 1000:.0f} ms of processor time"
    )
    steady = {table for table, (_, size) in shown[DAYS].items() if size > 200_000}
    if DAYS > 420:
        for table in steady - {"task_events"}:
            assert shown[DAYS][table][0] <= shown[365][table][0] * 1.2, table


def at(moment: datetime) -> Callable[[], datetime]:
    """A clock that stands still."""
    return lambda: moment


def _print(shown: dict[int, dict[str, tuple[int, int]]]) -> None:
    days = list(shown)
    print(f"\nGB at {MEANT} pull requests a day, from {PULLS} a day (rows of {MEANT} a day, in millions)")
    print("| table |" + "".join(f" day {day} |" for day in days) + "\n|---|" + "---|" * len(days))
    last = shown[days[-1]]
    for table in sorted(last, key=lambda one: -last[one][1]):
        cells = (shown[day].get(table, (0, 0)) for day in days)
        print(
            f"| {table} |"
            + "".join(f" {size * MEANT / PULLS / 1e9:.1f} ({num * MEANT / PULLS / 1e6:.1f}) |" for num, size in cells)
        )
    for name, of in (("all", list(last)), ("of them jobs", [one for one in last if one in JOBS])):
        totals = (sum(shown[day].get(table, (0, 0))[1] for table in of) * MEANT / PULLS / 1e9 for day in days)
        print(f"| {name} |" + "".join(f" {total:.0f} |" for total in totals))
