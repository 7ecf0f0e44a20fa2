"""A run that was killed goes on where it was, with nothing lost and nothing asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, ExamUsageError, WorldUnreadable, agent_from
from assay.memory_eval.holding.examining import NO_RETRIEVE
from tests.conftest import ROOT
from tests.memory_eval.agent_servers import Remembering, served
from tests.memory_eval.examined_agents import Good
from tests.memory_eval.exams import small_exam

AGENTS = """
import json, os, signal, threading, time
from pathlib import Path

class Saving:
    def __init__(self):
        self.turns = []
    def learn(self, content):
        self.note("learn " + content)
        self.turns.append(content)
    def answer(self, question):
        self.note("answer " + question)
        words = set(question.replace("?", " ").lower().split())
        return max(self.turns, key=lambda turn: len(words & set(turn.lower().split())), default="never told")
    def reset(self):
        self.turns = []
    def save(self, path):
        Path(path).write_text(json.dumps(self.turns))
    def load(self, path):
        self.turns = json.loads(Path(path).read_text())
    def note(self, what):
        with open(os.environ["LOG"], "a") as log: log.write(what + "\\n")
        with open(os.environ["LOG"]) as log: num_calls = len(log.readlines())
        if num_calls == int(os.environ.get("FATAL_CALL", 0)):
            threading.Timer(float(os.environ["FATAL_AFTER_S"]), os.kill, (os.getppid(), signal.SIGKILL)).start()
        time.sleep(float(os.environ["CALL_S"]))

class Losing(Saving):
    save = load = None
"""

RUN = """
import sys
from pathlib import Path
from assay.memory_eval import AgentOptions, EvalRunner, agent_from
from tests.memory_eval.exams import small_exam
folder, name = Path(sys.argv[1]), sys.argv[2]
agent = agent_from("python:agents:" + name, AgentOptions(python_path=folder))
how = {"segment_size": 15 if name == "Saving" else None, "resume": "resume" in sys.argv}
EvalRunner(world=small_exam(), output_dir=folder / "out", **how).run(agent)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    (tmp_path / "agents.py").write_text(AGENTS)
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setenv("CALL_S", "0")
    return tmp_path


def killed_when(folder: Path, name: str, wanted: str) -> None:
    """Run the exam in another process, and kill that without warning once the agent was called like this."""
    env = {**os.environ, "CALL_S": "0.02", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder), name], env=env, cwd=ROOT)
    log = folder / "log"
    deadline = time.monotonic() + 30
    while not (log.exists() and wanted in log.read_text()):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


def resumed(folder: Path, name: str = "Saving") -> EvalReport:
    agent = agent_from(f"python:agents:{name}", AgentOptions(python_path=folder))
    size = 15 if name == "Saving" else None
    report = EvalRunner(world=small_exam(), segment_size=size, output_dir=folder / "out", resume=True).run(agent)
    agent.close()
    return report


def calls(folder: Path, kind: str) -> list[str]:
    return [line for line in (folder / "log").read_text().splitlines() if line.startswith(kind) and "box" in line]


@pytest.mark.soak
def test_a_kill_while_learning_costs_at_most_the_turns_since_the_last_save(folder: Path):
    killed_when(folder, "Saving", "learn box number22 ")
    told = (folder / "out/learned.jsonl").read_text()
    assert '"saved_after": 15' in told
    report = resumed(folder)
    assert report.valid
    assert report.overall_score == 1.0
    taught = calls(folder, "learn")
    assert len(set(taught)) == 40
    assert all(taught.count(f"learn {turn.content}") == 1 for turn in small_exam().turns[:15])
    assert report.notes[0].startswith("resumed after 15 ingested turns")
    assert report.measured["num_turns_not_learned"] == 0


@pytest.mark.system
def test_a_kill_while_asking_costs_at_most_one_question(folder: Path):
    killed_when(folder, "Saving", "answer What does box number36")  # the fifth
    before = [json.loads(line) for line in (folder / "out/results.jsonl").read_text().splitlines()]
    report = resumed(folder)
    assert len(before) in {4, 5}
    assert report.overall_score == 1.0
    asked = calls(folder, "answer")
    assert len(set(asked)) == 10
    assert len(asked) <= 11
    assert len(calls(folder, "learn")) == 40
    lines = [json.loads(line) for line in (folder / "out/results.jsonl").read_text().splitlines()]
    assert [line["question_id"] for line in lines] == [f"q{number:04}" for number in range(1, 11)]
    assert all(line["score"] == 1.0 for line in lines)


@pytest.mark.soak
def test_an_agent_whose_memory_died_with_it_is_taught_anew_and_not_asked_twice(folder: Path):
    killed_when(folder, "Losing", "answer What does box number36")
    report = resumed(folder, "Losing")
    assert report.overall_score == 1.0
    assert report.notes == [NO_RETRIEVE]
    assert len(calls(folder, "learn")) == 80
    assert len(calls(folder, "answer")) <= 11


def test_a_server_goes_on_learning_where_it_was(tmp_path: Path):
    good = Remembering()
    with served(good) as url:

        def run(**how) -> EvalReport:
            agent = agent_from("http", AgentOptions(url=url))
            try:
                return EvalRunner(world=small_exam(), output_dir=tmp_path, **how).run(agent)
            finally:
                agent.close()

        def interrupt(phase: str, done: int, _: int) -> None:
            if (phase, done) == ("learning", 23):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(progress=interrupt)
        assert len(good.turns) == 23
        report = run(resume=True)
        assert report.overall_score == 1.0
        assert good.turns == [turn.content for turn in small_exam().turns]
        calls_before = len(good.traffic)
        again = run(resume=True)
        assert len(good.traffic) == calls_before
    assert again.overall_score == 1.0
    assert again.learning_time_s == report.learning_time_s


def test_answers_without_a_grade_are_graded_and_not_asked_again(tmp_path: Path):
    class Dies(Exception):
        pass

    def interrupt(phase: str, *_: int) -> None:
        if phase == "grading":
            raise Dies

    class Asked(Good):
        learn = answer = lambda *_: pytest.fail("asked again")  # type: ignore[assignment]

    Asked.__name__ = "Good"
    with pytest.raises(Dies):
        EvalRunner(world=small_exam(), output_dir=tmp_path, progress=interrupt).run(Good())
    assert '"not graded yet"' in (tmp_path / "results.jsonl").read_text()
    assert EvalRunner(world=small_exam(), output_dir=tmp_path, resume=True).run(Asked()).overall_score == 1.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"world": small_exam(num_turns=39)}, "turns was '40', now it is '39'"),
        ({"world": small_exam(seed=8)}, "seed was '7', now it is '8'"),
        ({"skip_learning": True}, "learning was 'True'"),
        ({"grading": "hybrid"}, "grading was 'deterministic'"),
        ({"grader_votes": 1}, "grader votes was '3'"),
    ],
    ids=str,
)
def test_a_folder_of_another_run_is_refused(tmp_path: Path, change, said: str):
    EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())
    with pytest.raises(ExamUsageError, match=rf"run\.other-settings: .*{said}"):
        EvalRunner(**{"world": small_exam(), "output_dir": tmp_path, "resume": True, **change}).run(Good())


def test_another_agent_and_other_questions_are_another_run(tmp_path: Path):
    class Other(Good):
        pass

    EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())
    with pytest.raises(ExamUsageError, match=r"run\.other-settings: .*'Good'.*'Other'"):
        EvalRunner(world=small_exam(), output_dir=tmp_path, resume=True).run(Other())
    world = small_exam()
    world.turns.reverse()
    with pytest.raises(ExamUsageError, match="exam was"):
        EvalRunner(world=world, output_dir=tmp_path, resume=True).run(Good())


def test_another_command_or_memory_under_the_same_name_is_another_run(tmp_path: Path):
    def run(text: str, options: AgentOptions | None = None, *, resume: bool) -> None:
        agent = agent_from(text, options)
        runner = EvalRunner(world=small_exam(), output_dir=tmp_path / text[:4], resume=resume, skip_learning=True)
        runner.run(agent)
        agent.close()

    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agents.py").write_text(AGENTS)
        (tmp_path / f"{name}.md").write_text(f"# Boxes\n\n- box number1 is of {name}\n")
    said = "the agent's command or memory was"
    run("subprocess:cat one", resume=False)
    run("subprocess:cat one", resume=True)
    with pytest.raises(ExamUsageError, match=said):
        run("subprocess:cat two", resume=True)
    run("python:agents:Losing", AgentOptions(python_path=tmp_path / "one"), resume=False)
    with pytest.raises(ExamUsageError, match=said):
        run("python:agents:Losing", AgentOptions(python_path=tmp_path / "two"), resume=True)
    with pytest.raises(ExamUsageError, match=said):
        run("python:agents:Losing", AgentOptions(python_path=tmp_path / "one", arguments={"model": "x"}), resume=True)
    run("snapshot", AgentOptions(load_memory=tmp_path / "one.md"), resume=False)
    with pytest.raises(ExamUsageError, match=said):
        run("snapshot", AgentOptions(load_memory=tmp_path / "two.md"), resume=True)


def test_a_half_written_line_is_cut_off_and_that_question_asked_again(tmp_path: Path):
    EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())
    results = tmp_path / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole[:-40])
    report = EvalRunner(world=small_exam(), output_dir=tmp_path, resume=True).run(Good())
    assert report.overall_score == 1.0
    assert len(results.read_bytes().splitlines()) == 10


@pytest.mark.parametrize("line", ["not json", "[]", '{"question_id": 3}', '{"question_id": "q0001", "score": "high"}'])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str):
    EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())
    results = tmp_path / "results.jsonl"
    results.write_text(results.read_text() + line + "\n")
    with pytest.raises(WorldUnreadable, match=r"results\.jsonl:11: "):
        EvalRunner(world=small_exam(), output_dir=tmp_path, resume=True).run(Good())


def test_without_resume_a_run_begins_anew_and_the_old_results_are_kept_aside(tmp_path: Path):
    EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())
    agent = Good()
    EvalRunner(world=small_exam(), output_dir=tmp_path).run(agent)
    assert len(agent.turns) == 40
    assert len((tmp_path / "results.previous.jsonl").read_text().splitlines()) == 10


def test_resuming_where_nothing_was_begun_begins(tmp_path: Path):
    assert EvalRunner(world=small_exam(), output_dir=tmp_path / "new", resume=True).run(Good()).overall_score == 1.0
    with pytest.raises(ExamUsageError, match="--output-dir"):
        EvalRunner(world=small_exam(), resume=True).run(Good())


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path):
    def second(phase: str, done: int, _: int) -> None:
        if (phase, done) == ("learning", 1):
            with pytest.raises(ExamUsageError, match=r"run\.locked"):
                EvalRunner(world=small_exam(), output_dir=tmp_path).run(Good())

    assert EvalRunner(world=small_exam(), output_dir=tmp_path, progress=second).run(Good()).valid


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExamUsageError, match=r"file\.not-written"):
        EvalRunner(world=small_exam(), output_dir=tmp_path / "file/out").run(Good())
