"""An agent that regenerates the exam gets nothing in a secret run, and everything where the seed is given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.memory_eval import AgentOptions, EvalRunner, agent_from
from tests.conftest import ROOT
from tests.memory_eval.integrity.adversary import NOTHING_PAYS
from tests.memory_eval.integrity.spied_runs import Spied, spied

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

GAINING = """
import json
for line in open(0):
    flag = open("/proc/self/status").read().split("NoNewPrivs:")[1].split()[0]
    print(json.dumps({"ok": True, "answer": flag}), flush=True)
"""


def interrupting(phase: str, number: int) -> Callable[[str, int, int], None]:
    """Return a progress that interrupts the run at this point."""

    def draw(now: str, done: int, _out_of: int) -> None:
        if (now, done) == (phase, number):
            raise KeyboardInterrupt

    return draw


def learned_nothing(run: Spied) -> None:
    """Check a secret run: no score, nothing readable, no seed, question or gold on disk before the end."""
    report = run.report
    assert report["overall_score"] <= NOTHING_PAYS
    assert report["comparable"] is True
    assert run.read == []
    assert not run.can_gain
    assert run.num_fds <= 4  # three pipes, and the listing itself
    on_disk = "\n".join(run.files.values())
    assert str(report["seed"]) not in on_disk
    assert report["results"][0]["question"] not in on_disk
    assert not any(len(one["expected"]) > 12 and one["expected"] in on_disk for one in report["results"])


def test_a_random_seed_cannot_be_read_and_is_printed_with_what_reproduces_the_exam(tmp_path: Path):
    found = spied(tmp_path)
    learned_nothing(found)
    assert "Not comparable" not in found.stdout
    assert f"--turns 100 --questions 40 --seed {found.report['seed']}" in " ".join(found.stdout.split())
    again = EvalRunner(100, 40, found.report["seed"]).run(agent_from("baseline:nothing"))
    assert [one.question for one in again.results] == [one["question"] for one in found.report["results"]]


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("num_turns", "num_questions"), [(100, 100), (1000, 200)])
@pytest.mark.parametrize("number", range(3))
def test_no_secret_exam_of_any_size_can_be_regenerated(tmp_path: Path, num_turns: int, num_questions: int, number: int):
    learned_nothing(spied(tmp_path, num_turns=num_turns, num_questions=num_questions))


@pytest.mark.soak
@pytest.mark.parametrize("seed", [42, pytest.param(0xA3C19F00D5E8B7261F4D9C3B, marks=pytest.mark.soak)])
def test_a_given_seed_is_regenerated_and_not_comparable(tmp_path: Path, seed: int):
    found = spied(tmp_path, "--seed", str(seed))
    assert found.report["overall_score"] >= 0.95
    assert found.report["comparable"] is False
    assert "Not comparable: the seed was given" in " ".join(found.stdout.split())


def test_a_secret_exam_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with closing(agent_from("baseline:bm25")) as agent, suppress(KeyboardInterrupt):
        EvalRunner(20, 5, None, output_dir=tmp_path, progress=interrupting("asking", 3)).run(agent)
    assert not (tmp_path / "results.jsonl").exists()
    asked = ["memory", "run", "--turns", "20", "--questions", "5", "--output-dir", str(tmp_path)]
    assert run([*asked, "--resume"]) == 2
    assert "memory.secret-resume" in capsys.readouterr().err


def test_baselines_answer_the_same_secret_exam(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "run", "--turns", "60", "--questions", "24", "--adapter", "baseline:bm25"]
    assert run([*asked, "--baseline", "bm25", "--output-dir", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    scores = [line.split()[-1] for line in shown.splitlines() if line.startswith("baseline bm25:")]
    assert scores
    assert f"Answers: {scores[0]}" in shown


def test_a_hidden_process_dumps_no_core_and_is_read_by_no_other():
    program = (
        "import os, resource; from assay.memory_eval import hide_process; hide_process();"
        "print(os.stat('/proc/self/mem').st_uid == 0, resource.getrlimit(resource.RLIMIT_CORE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]


def test_an_agent_cannot_gain_privileges_and_this_process_keeps_its_own():
    before = Path("/proc/self/status").read_text()
    agent = agent_from("subprocess", AgentOptions(command=(sys.executable, "-c", GAINING)))
    assert agent.answer("?").answer == "1"  # type: ignore[union-attr]
    agent.close()
    kept = [text.partition("NoNewPrivs:")[2].split()[0] for text in (before, Path("/proc/self/status").read_text())]
    assert kept[0] == kept[1]
