"""What holding an exam costs by itself: time and memory at 20,000 turns, with agents that keep nothing.

make bench PYTEST_ARGS="-k memory_run"
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.conftest import ROOT

MOST_MB = 500
AGENT = """
class Streaming:
    num_turns = 0
    def learn(self, content):
        self.num_turns += 1
    def answer(self, question):
        return "I was never told."
    def reset(self):
        self.num_turns = 0
"""
RUN = """
import json, resource, sys, time
from pathlib import Path
from assay.memory_eval import AgentOptions, EvalRunner, agent_from
sys.path.insert(0, sys.argv[1])
from streaming import Streaming
agent = Streaming() if sys.argv[2] == "in process" else agent_from(
    "python:streaming:Streaming", AgentOptions(python_path=Path(sys.argv[1])))
began = time.monotonic()
report = EvalRunner(num_turns=20_000, num_questions=1_000, output_dir=Path(sys.argv[1], sys.argv[2])).run(agent)
print(json.dumps({
    "valid": report.valid, "learning_s": report.learning_time_s, "asking_s": report.questioning_time_s,
    "all_s": time.monotonic() - began, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


@pytest.mark.bench
@pytest.mark.timeout(600)
def test_holding_a_long_exam_takes_little(tmp_path: Path) -> None:
    (tmp_path / "streaming.py").write_text(AGENT)
    table = Table("agent", "learning s", "asking and grading s", "all s", "peak MB")
    for kind in ("in process", "python:"):
        command = [sys.executable, "-c", RUN, str(tmp_path), kind]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        figures = (found["learning_s"], found["asking_s"], found["all_s"], found["mb"])
        table.add_row(kind, *(f"{figure:.1f}" for figure in figures))
        assert found["valid"]
        assert found["mb"] < MOST_MB
    Console(width=100).print(table)
