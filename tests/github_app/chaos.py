"""Storms: many pull requests that change while processes of the App are killed, and what must be true afterwards."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.github_app.runtime.queues import Queue, Queues
from assay.github_app.store import DeliveryState, Store
from tests.fakes.github import FakeGitHub
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

OF_PULLS = (Queue.deliveries, Queue.validation, Queue.publishing)


@dataclass
class Storm:
    """A GitHub with one repository, the App's processes, and who kills them. `seed` makes the same storm again."""

    github: FakeGitHub
    repository: RealRepository
    folder: Path
    database_url: str | None = None
    kinds: Sequence[str] = ("serve", "work")
    seed: int = 1
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.heads: dict[int, list[str]] = {}
        self.num_kills = 0
        self._killing = threading.Event()
        self._calm = threading.Event()
        self.environment = environment_for(
            self.github,
            self.folder / "data",
            database_url=self.database_url,
            max_attempts=50,
            **self.settings,
        )
        self.processes = [
            AppProcess(kind, self.environment, self.folder / f"{number}-{kind}.log")
            for number, kind in enumerate(self.kinds)
        ]

    def begin(self) -> None:
        """Start everything, with a repository that has a main branch."""
        self.github.create_repository("shop")
        # What is validated is none of these tests' business; that it is, is.
        quickly = "tier1:\n  scanners: [zizmor, squawk]\n"
        self.repository.commit("Start", {"app.py": "def total(x):\n    return x\n", ".github/assay.yml": quickly})
        self.github.push(self.repository, "main")
        for process in self.processes:
            process.start()
        self.github.deliver_to(f"{wait_ready(self.environment, self.processes[0])}/webhooks/github")

    def open_pulls(self, number: int) -> None:
        """Open that many pull requests."""
        for index in range(number):
            branch = f"change-{index}"
            self.repository.git("checkout", "-q", "main")
            self.repository.branch(branch)
            head = self._commit(index)
            self.github.push(self.repository, branch)
            self.heads[self.github.open_pull(branch, by="ada", title=f"Change {index}", body="")] = [head]

    def push_to_some(self, times: int, pause_s: float = 0.0) -> None:
        """Move heads of pull requests, one after the other, chosen by chance."""
        for _ in range(times):
            number = self.random.choice(sorted(self.heads))
            index = sorted(self.heads).index(number)
            self.repository.git("checkout", "-q", f"change-{index}")
            self.heads[number].append(self._commit(index))
            self.github.push(self.repository, f"change-{index}")
            time.sleep(pause_s)

    def repeat_some(self, times: int) -> None:
        """Deliver again what was delivered before, in any order."""
        known = [one for one in self.github.deliveries if one.event == "pull_request"]
        for one in self.random.choices(known, k=times):
            self.github.redeliver(one)

    def kill_now_and_then(self, every_s: tuple[float, float]) -> None:
        """From now on kill a process, chosen by chance, at moments chosen by chance, and start it again."""
        self._killing.set()
        threading.Thread(target=self._kill, args=(every_s,), daemon=True).start()

    def calm_down(self) -> None:
        """Kill no more; have everything run."""
        self._killing.clear()
        self._calm.wait(30)
        for process in self.processes:
            if not process.is_alive:
                process.start()

    def end(self) -> None:
        """Whatever happens, nothing of it stays."""
        self._killing.clear()
        for process in self.processes:
            process.close()

    def _kill(self, every_s: tuple[float, float]) -> None:
        while self._killing.is_set():
            time.sleep(self.random.uniform(*every_s))
            victim = self.random.choice(self.processes)
            if self._killing.is_set() and victim.is_alive:
                victim.kill()
                self.num_kills += 1
                time.sleep(self.random.uniform(0, 1))
                victim.start()
        self._calm.set()

    def _commit(self, index: int) -> str:
        text = "".join(f"def part_{n}(x):\n    return x + {n}\n" for n in range(self.random.randint(1, 9)))
        return self.repository.commit(f"Change {time.monotonic_ns()}", {f"part_{index}.py": text})

    # -------------------------------------------------------------- what must be true

    def all_validated(self) -> bool:
        """Whether the newest head of every pull request has its verdict on GitHub."""
        return all(self._verdicts(heads[-1]) for heads in self.heads.values())

    def _verdicts(self, head: str) -> list[dict[str, Any]]:
        return [
            run
            for run in self.github.check_runs(head, name="Assay")
            if run["status"] == "completed" and run["conclusion"] != "cancelled"
        ]

    def wait_quiet(self, timeout_s: float) -> None:
        """Wait until all promises are kept and no job is left; fails with what is not so."""
        end = time.monotonic() + timeout_s
        while True:
            try:
                self.check_deliveries()
                self.check_jobs()
                self.check_promises()
            except AssertionError:
                if time.monotonic() > end:
                    raise
            else:
                return
            time.sleep(0.2)

    def check_promises(self) -> Counter[str]:
        """One Check Run and a verdict for every newest head; of older heads at most one, and none left open."""
        told: Counter[str] = Counter()
        wrong: list[object] = []
        for number, heads in self.heads.items():
            for head in heads:
                runs = self.github.check_runs(head, name="Assay")
                is_newest = head == heads[-1]
                told["newest" if is_newest else "older", str([run["conclusion"] for run in runs])] += 1  # type: ignore[index]
                if len(runs) > 1 or (is_newest and len(self._verdicts(head)) != 1):
                    wrong.append((number, head, [(run["id"], run["status"], run["conclusion"]) for run in runs]))
                if any(run["status"] != "completed" for run in runs):
                    said = [(update.get("status"), update.get("conclusion")) for update in runs[-1]["updates"]]
                    wrong.append((number, head, "left open", said))
            risk = [label for label in self.github.labels(number) if label.startswith("risk:")]
            if len(risk) != 1:
                wrong.append((number, heads[-1], risk))
        assert not wrong, wrong
        return told

    def check_deliveries(self) -> int:
        """Every delivery that was acknowledged is handled; how many there were."""
        acknowledged = {one.guid for one in self.github.deliveries if one.status_code == 202}
        url = self.database_url or f"sqlite:///{self.folder / 'data' / 'assay.sqlite'}"
        with Store.open(url) as store:
            rows = {guid: store.deliveries.get(guid) for guid in acknowledged}
            parked = store.deliveries.parked()
            failed = store.runs.parked()
        ours = {guid: row for guid, row in rows.items() if row is not None}
        open_ = [row for row in ours.values() if row.state not in (DeliveryState.done, DeliveryState.ignored)]
        assert not parked, parked[0].error
        assert not failed, failed[0].error
        assert not open_, [(row.id, row.event, row.state, row.error) for row in open_]
        stored_events = {one.guid for one in self.github.deliveries if one.event == "pull_request"} & acknowledged
        assert stored_events <= ours.keys()
        return len(acknowledged)

    def check_jobs(self) -> None:
        """No job is left that could still change a pull request."""
        url = self.database_url or f"sqlite:///{self.folder / 'data' / 'jobs.sqlite'}"
        with closing(Queues(url)) as queues:
            left = [job for job in queues.unended() if job.queue in OF_PULLS]
        assert not left, left
