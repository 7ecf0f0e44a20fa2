"""How many deliveries the App takes: acknowledgement at 50 a second, the most it sustains, memory over 10,000.

    make bench PYTEST_ARGS="tests/bench/test_webhook_load.py"

One process with web server and worker on SQLite, as `assay serve` is; the load comes from this process, over real
connections, signed, every delivery another one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assay.github_app.web.http.webhook import sign
from tests.github_app.payload_examples import example
from tests.github_app.processes import AppProcess, wait_ready
from tests.ports import free_port

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]
SECRET = "a secret of the bench"
FIVE_MINUTES = 300


@dataclass
class Target:
    """A server under load, and what it was sent."""

    process: AppProcess
    address: str
    folder: Path
    numbers: Iterator[int]

    def delivery(self) -> tuple[bytes, dict[str, str]]:
        """Body and headers of a delivery nobody has sent before: a label of one of 200 pull requests."""
        number = next(self.numbers)
        payload = example("pull_request", "labeled")
        payload["pull_request"]["number"] = payload["number"] = number % 200 + 1
        body = json.dumps(payload).encode()
        return body, {
            "content-type": "application/json",
            "x-github-event": "pull_request",
            "x-github-delivery": f"bench-{os.getpid()}-{number}",
            "x-hub-signature-256": sign(SECRET, body),
        }

    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def num_in(self, *states: str) -> int:
        with sqlite3.connect(f"file:{self.folder / 'assay.sqlite'}?mode=ro", uri=True) as database:
            marks = ",".join("?" * len(states))
            found = database.execute(f"SELECT count(*) FROM deliveries WHERE state IN ({marks})", states)
            return int(found.fetchone()[0])


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    key = rsa.generate_private_key(65537, 2048)
    (tmp_path / "app.private-key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")} | {
        "ASSAY_APP_ID": "1",
        "ASSAY_WEBHOOK_SECRET": SECRET,
        "ASSAY_DATA_DIR": str(tmp_path),
        "ASSAY_PORT": str(free_port()),
        # Nothing of this asks GitHub for anything.
        "ASSAY_GITHUB_API_URL": "http://127.0.0.1:9",
    }
    process = AppProcess("serve", environment, tmp_path / "app.log")
    process.start()
    yield Target(process, wait_ready(environment, process), tmp_path, itertools.count())
    process.close()


async def _send(target: Target, client: httpx2.AsyncClient, told: list[float]) -> None:
    body, headers = target.delivery()
    began = time.perf_counter()
    answer = await client.post("/webhooks/github", content=body, headers=headers)
    told.append(time.perf_counter() - began)
    assert answer.status_code == 202, answer.text


async def _at_rate(target: Target, per_second: float, for_s: float) -> list[float]:
    """Seconds to each acknowledgement, deliveries sent by the clock whether or not earlier ones were answered."""
    told: list[float] = []
    async with httpx2.AsyncClient(base_url=target.address, timeout=30) as client:
        began, tasks = time.perf_counter(), []
        for number in range(int(per_second * for_s)):
            await asyncio.sleep(max(0.0, began + number / per_second - time.perf_counter()))
            tasks.append(asyncio.create_task(_send(target, client, told)))
        await asyncio.gather(*tasks)
    return told


async def _as_fast_as_possible(target: Target, number: int, at_once: int) -> list[float]:
    told: list[float] = []
    left = iter(range(number))

    async def one(client: httpx2.AsyncClient) -> None:
        for _ in left:
            await _send(target, client, told)

    async with httpx2.AsyncClient(base_url=target.address, timeout=60) as client:
        await asyncio.gather(*(one(client) for _ in range(at_once)))
    return told


def _percentile(told: list[float], percent: float) -> float:
    return sorted(told)[min(len(told) - 1, int(len(told) * percent / 100))] * 1000


def _until(true: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_acknowledgements_at_fifty_a_second(target: Target):
    asyncio.run(_at_rate(target, 50, 2))
    told = asyncio.run(_at_rate(target, 50, 30))
    began = time.monotonic()
    _until(lambda: target.num_in("received", "started", "failed") == 0, FIVE_MINUTES)
    p50, p99 = _percentile(told, 50), _percentile(told, 99)
    print(
        f"\n| 50 deliveries/s for 30 s, worker in the same process | p50 {p50:.0f} ms | p99 {p99:.0f} ms"
        f" | worst {max(told) * 1000:.0f} ms | all handled {time.monotonic() - began:.0f} s after the last |"
    )
    assert p99 < 200


def test_the_most_that_is_sustained_and_what_it_costs_in_memory(target: Target):
    asyncio.run(_as_fast_as_possible(target, 500, 16))
    _until(lambda: target.num_in("received", "started", "failed") == 0, FIVE_MINUTES)
    rows, before = [], target.memory_mb()
    for _ in range(4):
        began = time.perf_counter()
        told = asyncio.run(_as_fast_as_possible(target, 2500, 16))
        taken_s = time.perf_counter() - began
        _until(lambda: target.num_in("received", "started", "failed") == 0, FIVE_MINUTES)
        handled_s = time.perf_counter() - began
        rows.append(
            (2500 / taken_s, _percentile(told, 50), _percentile(told, 99), 2500 / handled_s, target.memory_mb())
        )
    print("\n| deliveries | acknowledged/s | p50 ms | p99 ms | handled/s | memory MB |\n|---|---|---|---|---|---|")
    for number, (rate, p50, p99, handled, memory) in enumerate(rows, 1):
        print(f"| {number * 2500:,} | {rate:.0f} | {p50:.0f} | {p99:.0f} | {handled:.0f} | {memory:.0f} |")
    print(f"memory before: {before:.0f} MB")
    # What allocators keep shows early; what leaks goes on.
    assert rows[-1][-1] - rows[1][-1] < 16
