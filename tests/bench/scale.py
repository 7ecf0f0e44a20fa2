"""An organisation under load: repositories at the fake GitHub, the App's processes, and what they used."""

from __future__ import annotations

import heapq
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import psycopg

from tests.bench.scale_worker import DURATIONS, RECORDED_REPORT
from tests.conftest import ROOT
from tests.fakes.github import FakeGitHub
from tests.github_app.payload_examples import example
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

RECORDED_S = (1.2, 1.3, 1.6, 1.9, 2.2, 2.6, 3.1, 3.6, 4.2, 5.0, 6.0, 6.8, 8.5, 11.0, 15.0, 22.0)
"""Seconds of a validation without local commands: a change of seven public repositories took 1.2 to 6.8 s on average
(`assay init` on click, hono, snuba, celery, uv, date-fns, pydantic-ai), and large changes take longer."""
CHECKS_PER_HEAD = 4
"""Check runs of another App on each head; each is created, and completed."""
CHECK_BEGINS_S = (5.0, 20.0)
CHECK_TAKES_S = (20.0, 40.0, 60.0, 90.0, 120.0, 180.0)
"""Seconds until a job of the repository's CI begins after a push, and until it ends; assumed."""


@dataclass
class Organisation:
    """Repositories with pull requests, and who works there. `seed` makes the same events again.

    With `has_ci` the checks of a head run on GitHub, later than its push; without, only their webhooks come, at once.
    """

    github: FakeGitHub
    repository: RealRepository
    seed: int = 1
    has_ci: bool = False
    pulls: dict[tuple[str, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.names: list[str] = []
        self._num_heads = 0
        self.sent: Counter[str] = Counter()
        self._number = count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def create(self, number: int) -> None:
        """Create repositories, each with a main branch."""
        text = "".join(f"def part_{n}(x):\n    return x + {n}\n\n\n" for n in range(40))
        self.repository.commit("Start", {f"shop/part_{n}.py": text for n in range(20)})
        for index in range(number):
            self.github.create_repository(f"service-{index:03}")
            self.names.append(f"{self.github.organization}/service-{index:03}")
            self.github.push(self.repository, "main", repo=self.names[-1])

    def open_pull(self, name: str | None = None) -> None:
        """Open a pull request in a repository, by default one by chance."""
        name = name or self.random.choice(self.names)
        branch = f"change-{self._num_heads}"
        self._push(name, branch)
        number = self.github.open_pull(branch, repo=name, by="ada", title=f"Change {self._num_heads}", body="")
        self.pulls[(name, number)] = branch
        self._checks(name, number)
        self.sent["opened"] += 1

    def push(self) -> None:
        """Push to an open pull request, chosen by chance."""
        self.push_to(self.random.choice(self._open()))

    def push_to(self, place: tuple[str, int]) -> None:
        """Push to this open pull request."""
        name, number = place
        self._push(name, self.pulls[place])
        self._checks(name, number)
        self.sent["pushes"] += 1

    def review(self) -> None:
        """Review and comment on an open pull request, as a person."""
        name, number = self.random.choice(self._open())
        self.github.comment(number, "Please name it differently.", repo=name, by="bo")
        self.github.review(number, "APPROVE", repo=name, by="bo")
        self.sent["reviews"] += 1

    def merge(self) -> None:
        """Merge the oldest open pull request."""
        name, number = self._open()[0]
        del self.pulls[(name, number)]
        self.github.close_pull(number, repo=name)
        self.sent["closed"] += 1

    def _open(self) -> list[tuple[str, int]]:
        """The open pull requests, of which an hour may close all."""
        if not self.pulls:
            self.open_pull()
        return list(self.pulls)

    def work_until(self, end: float) -> None:
        """Do what is due until a time of the steady clock, and return at that time."""
        while self._due and self._due[0][0] <= end:
            at, _, act = heapq.heappop(self._due)
            time.sleep(max(0.0, at - time.monotonic()))
            act()
        time.sleep(max(0.0, end - time.monotonic()))

    def work_out(self) -> None:
        """Do everything that is due, by the clock."""
        while self._due:
            self.work_until(self._due[0][0])

    def _later(self, after_s: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, (time.monotonic() + after_s, next(self._number), act))

    def _push(self, name: str, branch: str) -> None:
        self._num_heads += 1
        self.repository.git("checkout", "-q", "-B", branch, "main")
        text = f"def part_{self._num_heads}(x):\n    return x * {self._num_heads}\n"
        self.repository.commit(f"Change {self._num_heads}", {"shop/part_1.py": text})
        self.github.push(self.repository, branch, repo=name)

    def _checks(self, name: str, number: int) -> None:
        """Send what GitHub sends about the checks of another App; the App reads their state from GitHub."""
        head = self.github.state.pulls[(name, number)]["head_sha"]
        for check in range(CHECKS_PER_HEAD if self.has_ci else 0):
            self._later(self.random.uniform(*CHECK_BEGINS_S), partial(self._begin_check, name, head, f"test {check}"))
        for check in range(0 if self.has_ci else CHECKS_PER_HEAD):
            for action in ("created", "completed"):
                payload = example("check_run", action)
                payload["check_run"] |= {"id": 10**9 + self._num_heads * 10 + check, "head_sha": head}
                payload["check_run"]["name"] = f"ci-{check}"
                payload["repository"] = self.github.get(f"/repos/{name}")
                self.github.send("check_run", payload)

    def _begin_check(self, name: str, head: str, check: str) -> None:
        number = self.github.check(head, check, None, repo=name)
        end = partial(self.github.finish_check, number, repo=name)
        self._later(self.random.choice(CHECK_TAKES_S), end)


@dataclass
class Fleet:
    """The App's processes: one web server, and workers whose judging takes recorded durations."""

    github: FakeGitHub
    folder: Path
    database_url: str
    num_workers: int
    durations_s: Sequence[float] = RECORDED_S
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        data = self.folder / "data"
        given = {"parallel_runs": 2, "sweep_s": 300, "lease_s": 15, "log_level": "WARNING", **self.settings}
        self.environment = environment_for(self.github, data, database_url=self.database_url, **given)
        self.environment |= {
            "PYTHONPATH": str(ROOT),
            RECORDED_REPORT: str(self.folder / "report.json"),
            DURATIONS: " ".join(map(str, self.durations_s)),
        }
        command = (sys.executable, "-m", "tests.bench.scale_worker")
        self.web = AppProcess("web", self.environment, self.folder / "web.log")
        self.workers = [
            AppProcess("work", self.environment, self.folder / f"worker-{n}.log", command)
            for n in range(self.num_workers)
        ]

    def start(self, repository: RealRepository) -> None:
        """Record a report of a change, start everything, and have GitHub send its webhooks there."""
        record(repository, self.folder / "report.json")
        for process in (self.web, *self.workers):
            process.start()
        self.github.deliver_to(f"{wait_ready(self.environment, self.web, timeout_s=300)}/webhooks/github")

    def close(self) -> None:
        """End everything."""
        for process in (self.web, *self.workers):
            process.close()

    def cpu_s(self) -> dict[str, float]:
        """Seconds of processor time so far: of the web server, and of all workers with what they started."""
        used = {"web": 0.0, "workers": 0.0}
        for kind, process in (("web", self.web), *(("workers", worker) for worker in self.workers)):
            times = psutil.Process(process.pid).cpu_times()
            used[kind] += times.user + times.system + times.children_user + times.children_system
        return used

    def memory_mb(self) -> dict[str, float]:
        """Resident memory: of the web server, and of the largest worker."""
        web, *workers = (psutil.Process(one.pid).memory_info().rss / 1e6 for one in (self.web, *self.workers))
        return {"web": web, "worker": max(workers, default=0.0)}


def record(repository: RealRepository, file: Path) -> None:
    """Validate a small change by the command line, and keep its report."""
    repository.git("checkout", "-q", "-B", "recorded", "main")
    repository.commit("Recorded", {"shop/part_1.py": "def part_1(x):\n    return x * 2\n"})
    command = (
        str(Path(sys.executable).with_name("assay")),
        "validate",
        ".",
        "--base",
        "main",
        "--head",
        "recorded",
        "--format",
        "json",
    )
    done = subprocess.run(command, cwd=repository.path, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    file.write_bytes(done.stdout)


@dataclass(frozen=True)
class Span:
    """Times of a run; without a verdict, a newer push or the end of the pull request ended it."""

    repository: str
    asked: datetime
    started: datetime
    validated: datetime
    ended: datetime
    has_verdict: bool

    @property
    def wait_s(self) -> float:
        """Seconds until a slot was free."""
        return (self.started - self.asked).total_seconds()

    @property
    def verdict_s(self) -> float:
        """Seconds from the event to the verdict."""
        return (self.ended - self.asked).total_seconds()


@dataclass(frozen=True)
class Rows:
    """What the App's database says."""

    url: str

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with psycopg.connect(self.url) as connection:
            return connection.execute(query.encode()).fetchall()

    def num(self, query: str) -> int:
        """Return the only number of a query."""
        return int(self.ask(query)[0][0])

    def size_bytes(self) -> int:
        """Return the size of the database, after dead rows are given back."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("VACUUM FULL")
        return self.num("SELECT pg_database_size(current_database())")

    def is_done(self) -> bool:
        """Return whether every delivery is handled and every run ended."""
        open_deliveries = self.num("SELECT count(*) FROM deliveries WHERE state NOT IN ('done', 'ignored', 'parked')")
        open_runs = self.num("SELECT count(*) FROM runs WHERE state IN ('queued', 'running', 'waiting')")
        return open_deliveries == open_runs == 0

    def spans(self) -> list[Span]:
        """Return the run of every head that was validated, by its start.

        A report is stored again with later results of checks, so the end of the job's step is when it was validated.
        """
        query = r"""
            SELECT repositories.full_name, runs.created_at, runs.started_at, to_timestamp(steps.ended_ms / 1000.0),
                runs.ended_at, runs.state = 'completed'
            FROM runs JOIN repositories ON repositories.id = runs.repository_id JOIN (
                SELECT regexp_replace(workflow_uuid, '^validate:(.*):[^:]*$', '\1') AS run_id,
                    max(completed_at_epoch_ms) AS ended_ms
                FROM dbos.operation_outputs WHERE function_name = 'validate' GROUP BY 1
            ) AS steps ON steps.run_id = runs.id
            WHERE runs.reported_at IS NOT NULL ORDER BY runs.started_at
        """
        return [Span(*row) for row in self.ask(query)]
