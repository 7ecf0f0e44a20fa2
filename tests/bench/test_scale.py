"""What an organisation of 500 repositories needs, on PostgreSQL, with the fake GitHub in another process.

    make bench PYTEST_ARGS="tests/bench/test_scale.py"          the peak hour's rate for five minutes
    LOAD_MINUTES=60 make bench PYTEST_ARGS="-k peak_hour"       the whole hour

Judging takes recorded durations, except every twentieth head, which is validated in earnest.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tests.bench.scale import Fleet, Organisation, Rows
from tests.fakes.front.exchange import Exchange
from tests.fakes.github import FakeGitHub
from tests.github_app.processes import AppProcess, environment_for
from tests.repositories import RealRepository

pytestmark = [pytest.mark.bench, pytest.mark.postgres, pytest.mark.timeout(7200)]
NUM_REPOSITORIES = 500
PULLS_PER_DAY = 20
PEAK = 0.1
"""Share of a day's pull requests in its busiest hour."""
PER_HOUR = 12_500
"""Requests, and points of GraphQL, that an installation of this size has in an hour."""
PUSHES = 2
"""Later pushes of a pull request."""
OPEN_PULLS = 300
"""Open at any time: each for 18 minutes, so that the checks of most heads end before the next push."""
MINUTES = float(os.environ.get("LOAD_MINUTES", "5"))


@pytest.fixture
def make_fleet(github: FakeGitHub, repository: RealRepository, tmp_path: Path, postgres_url: str) -> Iterator[Callable]:
    made: list[Fleet] = []

    def make(num_workers: int, **more: Any) -> Fleet:
        fleet = Fleet(github, tmp_path, postgres_url, num_workers, **more)
        made.append(fleet)
        fleet.start(repository)
        return fleet

    yield make
    for fleet in made:
        fleet.close()


@pytest.fixture
def rows(postgres_url: str) -> Rows:
    return Rows(postgres_url)


def percentile(values: list[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def test_the_peak_hour(
    github: FakeGitHub, repository: RealRepository, make_fleet: Callable[..., Fleet], rows: Rows, tmp_path: Path
):
    organisation = Organisation(github, repository, has_ci=True)
    organisation.create(NUM_REPOSITORIES)
    # The fake GitHub has only the limits of an hour; the App's pause between two writes keeps it as slow as at GitHub.
    fleet = make_fleet(4, settings={"write_pause_s": 1})
    for _ in range(OPEN_PULLS):
        organisation.open_pull()
    organisation.work_out()
    github.wait(rows.is_done, timeout_s=600)
    organisation.sent.clear()
    github.limit(3600, core=PER_HOUR, graphql=PER_HOUR)
    hour_ends_at = time.monotonic() + 3600
    before, size, requests = fleet.cpu_s(), rows.size_bytes(), len(github.state.log)
    began_at = rows.ask("SELECT now()")[0][0]
    num_deliveries = len(github.deliveries)
    per_s = NUM_REPOSITORIES * PULLS_PER_DAY * PEAK / 3600
    took_s = _at_rate(organisation, per_s, MINUTES * 60)
    github.wait(rows.is_done, timeout_s=1200)
    late_s = time.monotonic() - took_s[1]
    used = {kind: seconds - before[kind] for kind, seconds in fleet.cpu_s().items()}
    spans = [span for span in rows.spans() if span.asked >= began_at]
    waits = [span.wait_s for span in spans]
    validating = [(span.validated - span.started).total_seconds() for span in spans]
    results = [(span.validated - span.asked).total_seconds() for span in spans]
    verdicts = [span.verdict_s for span in spans if span.has_verdict]
    num_pulls, num_heads = organisation.sent["opened"], organisation.sent["opened"] + organisation.sent["pushes"]
    # The App asks again for what was announced before it could hear.
    asked = [one for one in github.state.log[requests:] if not one.path.endswith("/attempts")]
    num_core = sum(_limit(one) == "core" and one.at < hour_ends_at for one in asked)
    delivered = len(github.deliveries) - num_deliveries
    growth = rows.size_bytes() - size
    tables = rows.ask(
        "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace IN"
        " (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'dbos')) ORDER BY 2 DESC LIMIT 8"
    )
    mirrors = sum(path.stat().st_size for path in tmp_path.glob("data/mirrors/**/*") if path.is_file())
    num_mirrors = len(list(tmp_path.glob("data/mirrors/*.git")))
    memory = fleet.memory_mb()
    print(
        f"\n{NUM_REPOSITORIES} repositories, {MINUTES:g} minutes at {per_s * 3600:.0f} pull requests an hour,"
        f" 4 workers of 2 slots, one second between two writes"
        f"\n| deliveries | {delivered} ({delivered / took_s[0]:.1f}/s), {delivered / num_pulls:.0f} a pull request |"
        f"\n| heads | {num_heads}, {len(spans)} validated, {len(verdicts)} with a verdict, the others superseded or"
        f" closed before it; done {late_s:.0f} s after the last event |"
        f"\n| wait for a slot | p50 {percentile(waits, 50):.1f} s, p95 {percentile(waits, 95):.1f} s |"
        f"\n| validating | p50 {percentile(validating, 50):.1f} s, p95 {percentile(validating, 95):.1f} s |"
        f"\n| event to results | p50 {percentile(results, 50):.1f} s, p95 {percentile(results, 95):.1f} s |"
        f"\n| event to verdict, with the repository's checks | p50 {percentile(verdicts, 50):.1f} s,"
        f" p95 {percentile(verdicts, 95):.1f} s |"
        f"\n| processor time | web {used['web'] / delivered * 1000:.0f} ms a delivery,"
        f" workers {used['workers'] / num_heads:.2f} s a head |"
        f"\n| memory | web {memory['web']:.0f} MB, worker {memory['worker']:.0f} MB |"
        f"\n| database | {growth / num_pulls / 1000:.0f} kB a pull request, {growth / num_heads / 1000:.0f} kB a head |"
        f"\n| largest tables | {', '.join(f'{name} {size // 1000} kB' for name, size in tables)} |"
        f"\n| mirrors | {mirrors / max(1, num_mirrors) / 1000:.0f} kB each, {num_mirrors} |"
        f"\n{_requests(asked, num_heads)}"
        f"\n| requests in the hour | {num_core} of {PER_HOUR},"
        f" {github.state.budgets['core'].num_refused} refused, {_put_off(rows)} heads put off |"
        f"\n| load of the machine | {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores |"
    )
    ended = rows.num("SELECT count(*) FROM runs WHERE state IN ('completed', 'superseded', 'cancelled')")
    assert rows.num("SELECT count(*) FROM runs") == ended
    assert rows.num("SELECT count(*) FROM deliveries WHERE state = 'parked'") == 0


def test_requests_of_a_head(
    github: FakeGitHub, repository: RealRepository, make_fleet: Callable[..., Fleet], rows: Rows
):
    """As many heads for each repository and worker as in the peak hour, with ten repositories in four minutes.

    With REQUESTS_AN_HOUR=400 they are used faster than the hour passes, so that the App saves some.
    """
    organisation = Organisation(github, repository, has_ci=True)
    organisation.create(10)
    make_fleet(4, durations_s=(1.0, 3.0, 8.0))
    # What a repository has once, such as labels, and a worker's questions about the App are not counted.
    for name in organisation.names:
        organisation.open_pull(name)
    organisation.work_out()
    github.wait(rows.is_done, timeout_s=900)
    organisation.sent.clear()
    if "REQUESTS_AN_HOUR" in os.environ:
        github.limit(3600, core=int(os.environ["REQUESTS_AN_HOUR"]), graphql=PER_HOUR)
    start = len(github.state.log)
    _at_rate(organisation, 20 / 240, 240)
    github.wait(rows.is_done, timeout_s=900)
    time.sleep(40)  # refreshes that were gathered
    num_heads = organisation.sent["opened"] + organisation.sent["pushes"]
    asked = [one for one in github.state.log[start:] if not one.path.endswith("/attempts")]
    print(f"\n| heads | {num_heads}, {organisation.sent} |\n{_requests(asked, num_heads)}")


def test_the_hour_is_used_up(
    github: FakeGitHub, repository: RealRepository, make_fleet: Callable[..., Fleet], rows: Rows
):
    """Heads that take more than the requests of an hour, which lasts 240 seconds here; a user asks in the reserve."""
    organisation = Organisation(github, repository)
    organisation.create(10)
    make_fleet(1, durations_s=(0.5,))
    organisation.open_pull(organisation.names[0])
    github.wait(rows.is_done, timeout_s=300)
    ((first, head),) = rows.ask("SELECT number, head_sha FROM runs")
    github.limit(240, core=160)
    began = time.monotonic()
    for name in organisation.names * 7:
        organisation.open_pull(name)
    budget = github.state.budgets["core"]
    github.wait(lambda: budget.limit - budget.used < 16, timeout_s=300)
    (check,) = github.check_runs(head, repo=organisation.names[0], name="Assay")
    github.rerequest(check["id"], repo=organisation.names[0], by="ada")
    github.wait(rows.is_done, timeout_s=1800)
    took_s = time.monotonic() - began
    delays = [span.verdict_s for span in rows.spans()]
    again = (
        "SELECT extract(epoch FROM ended_at - created_at) FROM runs WHERE number = %d AND head_sha = '%s' AND turn = 2"
    )
    by_user = float(rows.ask(again % (first, head))[0][0])
    held = _put_off(rows)
    print(
        f"\n| 70 heads at once, 160 requests in 240 s | done after {took_s:.0f} s, {held} heads put off |"
        f"\n| event to verdict | p50 {percentile(delays, 50):.0f} s, p95 {percentile(delays, 95):.0f} s |"
        f"\n| a user's re-run with the reserve left | {by_user:.0f} s |"
        f"\n| requests that GitHub refused | {budget.num_refused} |"
    )
    assert len(delays) == 72
    assert rows.num("SELECT count(*) FROM deliveries WHERE state = 'parked'") == 0


def _requests(asked: list[Exchange], num_heads: int) -> str:
    """Requests to GitHub by the limit they count towards, as rows of a table."""
    by_limit = {limit: [one for one in asked if _limit(one) == limit] for limit in ("core", "graphql", "app", "git")}
    writes = [one for one in by_limit["core"] if one.method not in ("GET", "HEAD")]
    kinds = Counter(f"{one.method} {_shape(one.path)}" for one in by_limit["core"])
    often = ", ".join(f"{kind} {number / num_heads:.2f}" for kind, number in kinds.most_common(12))
    return (
        f"| requests a head | {', '.join(f'{name} {len(one) / num_heads:.2f}' for name, one in by_limit.items())},"
        f" of which {len(writes) / num_heads:.2f} write |"
        f"\n| reads that found what the same token had read before | {_unchanged(by_limit['core'])} |"
        f"\n| most frequent | {often} |"
    )


def _put_off(rows: Rows) -> int:
    return rows.num("SELECT count(*) FROM task_events WHERE kind = 'validation_delayed'")


def _limit(one: Exchange) -> str:
    """The limit of GitHub that a request counts towards."""
    if one.path.endswith("/graphql"):
        return "graphql"
    if ".git/" in one.path:
        return "git"
    return "core" if one.token is not None and one.token.kind == "installation" else "app"


def _unchanged(asked: list[Exchange]) -> str:
    """The reads that a conditional request would have spared: GitHub's ETags hold for one token and one address."""
    known: dict[tuple[str, str, str], Any] = {}
    spared: Counter[str] = Counter()
    reads = [one for one in asked if one.method == "GET"]
    for one in reads:
        key = (one.token.value, one.path, one.query_string)
        spared[_shape(one.path)] += one.status == 200 and known.get(key) == one.answer
        known[key] = one.answer
    most = ", ".join(f"{name} {number}" for name, number in spared.most_common(4) if number)
    return f"{spared.total()} of {len(reads)} reads, {len(asked)} requests ({most})"


def _shape(path: str) -> str:
    """A path without the names and numbers in it."""
    parts = path.strip("/").split("/")
    return "/".join("*" if part.isdecimal() or len(part) == 40 else part for part in parts[3:] or parts[-1:])


def _at_rate(organisation: Organisation, per_s: float, for_s: float) -> tuple[float, float]:
    """Open pull requests at a rate, with their pushes, reviews and ends, by the clock; seconds, and when it ended."""
    acts: list[tuple[float, Callable[[], None]]] = []
    for act, rate in (
        (organisation.open_pull, per_s),
        (organisation.push, per_s * PUSHES),
        (organisation.review, per_s),
        (organisation.merge, per_s),
    ):
        at = organisation.random.expovariate(rate)
        while at < for_s:
            acts.append((at, act))
            at += organisation.random.expovariate(rate)
    began = time.monotonic()
    for at, act in sorted(acts, key=lambda one: one[0]):
        organisation.work_until(began + at)
        act()
    took_s = time.monotonic() - began
    organisation.work_out()
    return took_s, time.monotonic()


@pytest.mark.parametrize("num_workers", [1, 2, 4])
def test_throughput_by_workers(
    num_workers: int, github: FakeGitHub, repository: RealRepository, make_fleet: Callable[..., Fleet], rows: Rows
):
    """With judging of a second and two slots each, what a worker adds."""
    organisation = Organisation(github, repository)
    organisation.create(20)
    fleet = make_fleet(num_workers, durations_s=(1.0,))
    used = fleet.cpu_s()["workers"]
    for name in organisation.names * 4:
        organisation.open_pull(name)
    github.wait(rows.is_done, timeout_s=900)
    spans = rows.spans()
    took_s = (max(span.validated for span in spans) - spans[0].started).total_seconds()
    used = fleet.cpu_s()["workers"] - used
    print(
        f"\n| {num_workers} workers of 2 slots, judging 1 s | {len(spans) / took_s * 60:.0f} heads a minute"
        f" | {used / len(spans):.2f} s of processor time a head |"
    )
    assert len(spans) == 80


def test_fairness(github: FakeGitHub, repository: RealRepository, make_fleet: Callable[..., Fleet], rows: Rows):
    """A repository opens sixteen pull requests at once; three quiet ones open one each after that."""
    organisation = Organisation(github, repository)
    organisation.create(4)
    noisy, *quiet = organisation.names
    make_fleet(1, durations_s=(3.0,))
    for _ in range(16):
        organisation.open_pull(noisy)
    github.wait(lambda: rows.num("SELECT count(*) FROM runs") == 16, timeout_s=20)
    for name in quiet:
        organisation.open_pull(name)
    github.wait(rows.is_done, timeout_s=300)
    spans = rows.spans()
    order = [span.repository for span in spans]
    waits = {name: [span.wait_s for span in spans if span.repository == name] for name in set(order)}
    places = [order.index(name) + 1 for name in quiet]
    for name in organisation.names:
        print(
            f"\n| {name} | {len(waits[name])} heads | waited {min(waits[name]):.1f} to {max(waits[name]):.1f} s |",
            end="",
        )
    begun = sum(span.started < min(one.asked for one in spans if one.repository != noisy) for span in spans)
    print(f"\nplaces of the quiet ones among {len(order)}: {places}; {begun} of the noisy one had begun")
    assert max(places) <= begun + 2 * len(quiet)


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_an_idle_worker(kind: str, github: FakeGitHub, tmp_path: Path, postgres_url: str):
    """With the default intervals of sweeps and leases, which the other tests shorten."""
    url = postgres_url if kind == "postgresql" else None
    environment = environment_for(github, tmp_path, database_url=url, sweep_s=None, lease_s=None)
    worker = AppProcess("work", environment, tmp_path / "worker.log")
    worker.start()
    try:
        time.sleep(15)
        process = psutil.Process(worker.pid)
        before, began = process.cpu_times(), time.monotonic()
        time.sleep(30)
        after = process.cpu_times()
        used = after.user + after.system - before.user - before.system
        share = used / (time.monotonic() - began)
    finally:
        worker.close()
    print(f"\n| idle worker on {kind} | {share:.1%} of a core |")
    assert share < 0.1
