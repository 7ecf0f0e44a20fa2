"""A store of 100,000 entries is measured in a minute and in 500 MB, and a small one in its share of that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.memory_eval.holding.stores import world

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

MEASURED = r"""
import re, sys, time
from pathlib import Path
from assay.memory_eval import AgentOptions, EvalRunner, agent_from
began_at_s = time.process_time()
agent = agent_from("snapshot", AgentOptions(load_memory=Path(sys.argv[1])))
report = EvalRunner(300, 60, 7, skip_learning=True).run(agent)
took_s = time.process_time() - began_at_s
# Not ru_maxrss, which begins at the size of the process that started this one.
peak_mb = int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1000
print(report.kept, report.memory_stats["entries"], took_s, peak_mb)
"""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("num_entries", "most_s", "most_mb"), [(2_000, 20, 250), pytest.param(100_000, 60, 500, marks=pytest.mark.soak)]
)
def test_a_large_store_is_measured_in_time_and_memory(tmp_path: Path, num_entries: int, most_s: float, most_mb: float):
    turns = [turn.content for turn in world(7).told.turns]
    said = " ".join(turns).split()
    # Each with other words of the dialogue, so that names and values are read in all of them.
    others = (" ".join(said[place * 7 % len(said) :][:15]) for place in range(num_entries - len(turns)))
    texts = [*turns, *(f"{text} {number}" for number, text in enumerate(others))]
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    recall, num_read, took_s, peak_mb = map(float, done.stdout.split())
    print(f"\n{num_entries:,} entries: {took_s:.1f} s of CPU, {peak_mb:.0f} MB")
    assert (recall, num_read) == (1.0, num_entries)
    assert took_s < most_s
    assert peak_mb < most_mb
