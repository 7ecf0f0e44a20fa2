"""Production memories of mem0 and Chroma, written by the systems themselves, over many weeks (`make soak`)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from assay.memory_eval import Drift, memory_drift, rendered
from assay.memory_eval.adapters.snapshots.snapshot import Entry
from tests.conftest import ROOT
from tests.memory_eval.adapters.snapshots.test_generators import PACKAGES, interpreter
from tests.memory_eval.drift.memories import SECRET, Memory

QUIET, GROWTH = 20, 10
ENTRIES = 250


class Logged(Memory):
    """A simulated memory that keeps its steps, so that a real system can take them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.folder = folder
        self.steps: list[tuple[str, str, str]] = []
        super().__init__(seed, num=ENTRIES)

    def add(self, text: str) -> str:
        name = super().add(text)
        self.steps.append(("add", name, text))
        return name

    def replace(self, name: str, text: str) -> None:
        super().replace(name, text)
        self.steps.append(("replace", name, text))

    def delete(self, name: str, *, on_record: bool = True) -> Entry:
        self.steps.append(("delete" if on_record else "lose", name, ""))
        return super().delete(name, on_record=on_record)

    def snapshot(self, name: str) -> None:
        self.steps.append(("snapshot", "", str(self.folder / name)))


@pytest.mark.soak
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("system", ["mem0", "chroma"])
def test_weeks_of_a_real_store(system: str, tmp_path: Path):
    memory = Logged(7, tmp_path)
    memory.snapshot("0")
    for week in range(1, QUIET + GROWTH + 1):
        memory.quiet_week() if week <= QUIET else memory.week_of_growth()
        memory.snapshot(str(week))
    secret = memory.add(SECRET)
    memory.snapshot("told")
    memory.delete(secret)
    memory.snapshot("deleted")
    memory.steps.append(("undelete", secret, SECRET))
    memory.snapshot("undeleted")
    num = len(memory.live)
    memory.lose(0.05)
    memory.snapshot("lost")
    python = interpreter(tmp_path, PACKAGES[system])
    command = [python, "-m", "tests.memory_eval.drift.real_stores", system, str(tmp_path / "store")]
    done = subprocess.run(
        command, input=json.dumps(memory.steps), capture_output=True, text=True, check=False, timeout=1200, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    records = {}
    previous = None
    for name in [str(week) for week in range(QUIET + GROWTH + 1)] + ["told", "deleted", "undeleted", "lost"]:
        records[name] = kept(memory_drift(tmp_path / name, previous), tmp_path / f"{name}.json")
        previous = tmp_path / f"{name}.json"
    drifts = {name: drift for name, drift in records.items() if drift.entries is not None}
    quiet = [week for week in range(1, QUIET + 1) if drifts[str(week)].has_findings]
    growth = [week for week in range(QUIET + 1, QUIET + GROWTH + 1) if drifts[str(week)].has_findings]
    print(f"\n{system}: {records['0'].record.states['live']} to {num} live entries")
    print(f"  quiet weeks with a finding: {len(quiet)} of {QUIET}; weeks of growth: {len(growth)} of {GROWTH}")
    for name in ("deleted", "undeleted", "lost"):
        print(f"  {name}: {drifts[name].why}")
    assert (quiet, growth) == ([], []), [drifts[str(week)].why for week in (*quiet, *growth)]
    if system == "mem0":  # it keeps the text of a deleted entry
        assert found(drifts["deleted"]) == {"secret kept"}
        assert found(drifts["undeleted"]) >= {"back"}
    assert "entries gone" in found(drifts["lost"])


def found(drift: Drift) -> set[str]:
    return {sign.name for sign in drift.findings}


def kept(drift: Drift, path: Path) -> Drift:

    path.write_text(rendered(drift, "json"))
    return drift
