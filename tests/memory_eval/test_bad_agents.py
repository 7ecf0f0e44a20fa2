"""Agents that break in the middle of an examination: each a clear line, and whatever was answered is kept."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, agent_from
from assay.memory_eval.run.calls import TIMEOUTS_IN_A_ROW, Pace
from tests.codes import code_of
from tests.memory_eval.agent_servers import Remembering, served
from tests.memory_eval.examined_agents import AnswersNever, AnswersSome, Good, Hangs, LearnsLittle, SideBySide
from tests.memory_eval.exams import small_exam

LINES = """
import json, os, sys, time
turns, num_asked = [], 0
for line in sys.stdin:
    message = json.loads(line)
    reply = {{"ok": True}}
    is_box = "box" in line
    if message["op"] == "learn":
        turns.append(message["content"])
        {learning}
    elif message["op"] == "reset":
        turns = []
    elif message["op"] == "answer":
        reply["answer"] = next((t for t in turns if all(w in t for w in message["question"].split()[3:4])), "?")
        num_asked += is_box
        {asking}
    print(json.dumps(reply), flush=True)
"""


def examined(agent: object, **how) -> EvalReport:
    return EvalRunner(world=small_exam(), **how).run(agent)


def by_lines(tmp_path: Path, learning: str = "pass", asking: str = "pass", timeout_s: float = 10.0):
    program = tmp_path / "agent.py"
    program.write_text(LINES.format(learning=learning, asking=asking))
    command = (sys.executable, str(program))
    return agent_from("subprocess", AgentOptions(command=command, timeout_s=timeout_s, start_timeout_s=10))


def errors_of(report: EvalReport) -> list[str]:
    return [result.error for result in report.results if result.error is not None]


def test_a_failed_call_counts_as_no_answer_and_the_others_count():
    report = examined(AnswersSome())
    assert report.valid
    assert report.overall_score == 0.5
    assert [code_of(error) for error in errors_of(report)] == ["agent.invalid-reply"] * 5
    failed = [result for result in report.results if result.error]
    assert {result.score for result in failed} == {0.0}
    assert all(result.reasoning == f"No answer: {result.error}" for result in failed)
    assert report.measured["num_failed_calls"] == 5


def test_an_agent_that_fails_every_call_says_nothing_about_memory():
    report = examined(AnswersNever())
    assert not report.valid
    assert report.why_invalid == "the agent failed every one of 10 calls; the first: RuntimeError: no model"
    assert report.overall_score is None
    assert all(str(one.why_not_graded).endswith("RuntimeError: no model") for one in report.results)
    assert len(errors_of(report)) == 10


def test_an_agent_that_learns_too_little_is_not_asked():
    report = examined(LearnsLittle(every=10))
    assert not report.valid
    assert str(report.why_invalid).startswith(
        "3 of 40 turns could not be learned, more than 5% of them; the first: ValueError: no room for box"
    )
    assert report.overall_score is None


def test_a_few_turns_that_could_not_be_learned_are_counted():
    report = examined(LearnsLittle(every=20))
    assert report.valid
    assert report.measured["num_turns_not_learned"] == 2


def test_an_agent_that_hangs_is_given_up_after_a_few_calls():
    report = examined(Hangs(), timeout_s=0.2)
    assert code_of(str(report.why_invalid)) == "agent.hangs"
    assert len(errors_of(report)) == TIMEOUTS_IN_A_ROW
    assert sum("not asked" in str(result.why_not_graded) for result in report.results) == 10 - TIMEOUTS_IN_A_ROW


def test_a_run_that_takes_too_long_is_ended():
    report = examined(SideBySide(call_s=0.02), total_timeout_s=0.2)
    assert code_of(str(report.why_invalid)) == "memory.time-limit"


def test_threads_that_never_come_back_do_not_keep_the_run():
    class Stuck(SideBySide):
        def learn(self, content: str) -> None:
            time.sleep(0 if "check word" in content else 3)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("assay.memory_eval.run.runner.Pace", lambda num, progress, **_: Pace(num, 0.2, progress))
        report = examined(Stuck(), parallel_workers=3)
    assert code_of(str(report.why_invalid)) == "agent.hangs"


def test_a_program_that_dies_while_it_learns_ends_the_run_and_what_it_said_is_told(tmp_path: Path):
    agent = by_lines(tmp_path, learning='sys.exit("no more room") if len(turns) == 25 else None')
    report = examined(agent, output_dir=tmp_path / "out")
    agent.close()
    assert code_of(str(report.why_invalid)) == "agent.ended"
    assert str(report.why_invalid).endswith(" 1: no more room")
    assert all("agent.ended" in str(result.why_not_graded) for result in report.results)


def test_a_program_that_dies_while_it_is_asked_leaves_what_it_answered(tmp_path: Path):
    agent = by_lines(tmp_path, asking="os._exit(9) if num_asked == 5 else None")
    report = examined(agent, output_dir=tmp_path / "out")
    agent.close()
    assert not report.valid
    assert code_of(str(report.why_invalid)) == "agent.ended"
    assert str(report.why_invalid).endswith(" 9")
    assert [result.score is not None for result in report.results] == [True] * 4 + [False] * 6
    kept = {json.loads(line)["question_id"] for line in (tmp_path / "out/results.jsonl").read_text().splitlines()}
    assert kept == {"q0001", "q0002", "q0003", "q0004"}


@pytest.mark.system
def test_a_program_that_is_slow_once_loses_that_question_only(tmp_path: Path):
    agent = by_lines(tmp_path, asking="time.sleep(1.5) if num_asked == 3 and is_box else None", timeout_s=1)
    report = examined(agent)
    agent.close()
    assert report.valid
    assert [code_of(error) for error in errors_of(report)] == ["agent.timed-out"]
    assert sum(result.score == 1.0 for result in report.results) == 9


def test_a_class_that_cannot_be_made_makes_the_run_invalid(tmp_path: Path):
    agent = agent_from("python:nowhere:Agent", AgentOptions(python_path=tmp_path))
    why = str(examined(agent).why_invalid)
    assert code_of(why) == "agent.not-started"
    assert "'nowhere'" in why
    assert f" in {tmp_path}; set --python-path " in why


def test_a_server_that_answers_500_to_questions_fails_them_all():
    good = Remembering()

    def answer(method, path, body):
        return (500, b"", {}) if path == "/answer" else good(method, path, body)

    with served(answer) as url:
        agent = agent_from("http", AgentOptions(url=url))
        report = examined(agent, parallel_workers=4)
        agent.close()
    assert report.why_invalid == "the agent failed every one of 10 calls; the first: HTTP 500"


def test_a_server_that_goes_away_is_given_up(monkeypatch):
    monkeypatch.setattr("assay.memory_eval.adapters.http_agent.RETRIES_S", (0.01,))
    with served(Remembering()) as url:
        agent = agent_from("http", AgentOptions(url=url))
        first = examined(agent)
    agent.close()
    second = examined(agent, skip_learning=True)
    agent.close()
    assert first.overall_score == 1.0
    assert code_of(str(second.why_invalid)) == "agent.gone"


def test_stats_that_cannot_be_read_are_a_note_and_no_more():
    class Secretive(Good):
        def stats(self):
            return {"entries": float("nan")}

    report = examined(Secretive())
    assert report.valid
    assert report.memory_stats == {}
    assert "agent.invalid-stats" in report.notes[0]
