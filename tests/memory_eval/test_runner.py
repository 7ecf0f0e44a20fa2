"""An examination from end to end."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from assay.llm import ModelUnavailable, WhyUnavailable
from assay.memory_eval import (
    AgentAdapter,
    AgentOptions,
    AgentResponse,
    EvalReport,
    EvalRunner,
    ExamUsageError,
    agent_from,
)
from assay.memory_eval.errors import JudgeUnavailable
from assay.memory_eval.graders.judging.probes import built_in_probes
from assay.memory_eval.holding.examining import NO_RETRIEVE
from assay.memory_eval.run.grading import NO_JUDGE_NAMED
from tests.codes import code_of
from tests.fakes.judges import good
from tests.fakes.model import FakeModel
from tests.memory_eval.agent_servers import Remembering, served
from tests.memory_eval.examined_agents import CannotBeReset, Good, NeverForgets, ResetBreaks, SideBySide
from tests.memory_eval.exams import small_exam


def examined(agent: object, **how) -> EvalReport:
    return EvalRunner(world=small_exam(), **how).run(agent)


def test_an_agent_with_learn_and_answer_is_taught_asked_and_graded():
    report = examined(Good())
    assert report.valid
    assert report.overall_score == 1.0
    assert [result.question_id for result in report.results] == [f"q{number:04}" for number in range(1, 11)]
    assert (report.num_turns, report.num_questions, report.total_facts_delivered) == (40, 10, 40)
    assert (report.seed, report.world_version, report.agent, report.grading) == (7, "test", "Good", "deterministic")
    assert {row.category: row.num_questions for row in report.category_breakdown} == {
        "meta_memory": 5,
        "needle_in_haystack": 5,
    }
    assert report.measured["answer_p50_s"] <= report.measured["answer_p95_s"]
    assert report.measured["num_turns_not_learned"] == 0
    assert json.loads(json.dumps(report.to_dict()))["overall_score"] == 1.0


def test_an_agent_that_carries_values_is_asked_for_one_and_graded_by_it(tmp_path: Path):
    requests: set[str] = set()

    class Typed(Good):
        carries_value = True

        def answer(self, question: str) -> object:
            words, _, request = question.partition("\n\n")
            requests.add(request)
            return {"answer": "As you told me.", "value": super().answer(words)}

    report = examined(Typed(), output_dir=tmp_path)
    assert requests - {""} == {"Reply with `answer` in words, and with `value`: a text, or null if I never told you."}
    assert report.overall_score == 1.0
    assert [(one.has_value, one.value) for one in report.results] == [
        (True, f"{one.expected}.") for one in report.results
    ]
    kept = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert [one["value"] for one in kept] == [one.value for one in report.results]


def test_an_agent_that_knows_nothing_scores_nothing_and_the_run_is_valid():
    class Nothing(AgentAdapter):
        def learn(self, content: str) -> None: ...

        def reset(self) -> None: ...

        def answer(self, question: str) -> AgentResponse:
            return AgentResponse("I was never told.", confidence=0.0)

    report = examined(Nothing())
    assert (report.valid, report.overall_score) == (True, 0.0)
    assert (report.measured["brier"], report.measured["ece"]) == (0.0, 0.0)
    assert report.notes == [
        "not checked: whether a reset makes the agent forget: it did not answer the word before the reset either",
        NO_RETRIEVE,
    ]


def test_the_judge_that_is_named_gives_as_many_votes_as_asked_for(monkeypatch: pytest.MonkeyPatch):
    with FakeModel(answers=good) as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        report = EvalRunner(num_turns=60, num_questions=6, seed=42, grader_votes=5, grading="judge").run(
            Good(), grader_model="claude-haiku-5-5"
        )
    assert (report.grading, report.grader_votes) == ("judge", 5)
    assert {asked.body["model"] for asked in fake.asked} == {"claude-haiku-5-5"}
    assert len(fake.asked) == len(built_in_probes()) + 6 * 5


@pytest.mark.parametrize(
    "how",
    [
        {"num_turns": 0},
        {"num_turns": -5},
        {"num_questions": 0},
        {"num_turns": 20, "num_questions": 5_000},
        {"grader_votes": 0},
        {"parallel_workers": 0},
        {"segment_size": 0},
        {"timeout_s": 0},
        {"total_timeout_s": float("nan")},
        {"grading": "strict", "num_turns": 100, "num_questions": 5},
    ],
    ids=str,
)
def test_numbers_and_words_that_make_no_exam_are_refused(how):
    with pytest.raises(ExamUsageError):
        EvalRunner(**how).run(Good())


def test_what_is_no_agent_is_refused():
    with pytest.raises(ExamUsageError, match="no method `learn`"):
        examined(object())


# ------------------------------------------------------------------ forgetting


def test_an_agent_is_emptied_before_it_learns_and_nothing_of_the_probe_stays():
    agent = Good()
    agent.learn("box number8 holds nothing at all.")
    examined(agent)
    assert len(agent.turns) == 40
    assert agent.resets == 3
    assert not any("check word" in turn for turn in agent.turns)


def test_an_agent_that_does_not_forget_makes_the_run_invalid():
    report = examined(NeverForgets())
    assert not report.valid
    assert code_of(str(report.why_invalid)) == "agent.still-remembers"
    assert report.overall_score is None
    assert all("agent.still-remembers" in str(result.why_not_graded) for result in report.results)


def test_an_agent_whose_reset_breaks_makes_the_run_invalid():
    assert code_of(str(examined(ResetBreaks()).why_invalid)) == "agent.cannot-reset"


def test_an_object_without_reset_is_taken_as_new_but_only_once():
    agent = CannotBeReset()
    first, second = examined(agent), examined(agent)
    assert (first.valid, first.overall_score) == (True, 1.0)
    assert ["agent.cannot-reset" in note for note in first.notes] == [True, False]
    assert "agent.cannot-reset" in str(second.why_invalid)


def test_skipping_the_learning_asks_the_agent_as_it_is():
    agent = NeverForgets()
    for turn in small_exam().turns[:20]:
        agent.learn(turn.content)
    report = examined(agent, skip_learning=True)
    assert report.valid
    assert report.overall_score is not None
    assert 0 < report.overall_score < 1
    assert report.learning_time_s == 0
    assert len(agent.turns) == 20
    assert report.measured["num_turns_not_learned"] is None


# ------------------------------------------------------------------ grading


def test_with_no_wish_and_no_model_grading_is_deterministic():
    assert examined(Good()).grading == "deterministic"
    assert (examined(Good(), grading="hybrid").judge or {})["why"] == NO_JUDGE_NAMED


def test_a_model_that_cannot_be_had_leaves_hybrid_grading_to_the_rules_and_ends_judging(monkeypatch):
    def none(name: str) -> None:
        raise ModelUnavailable(name, WhyUnavailable.no_key)

    monkeypatch.setattr("assay.memory_eval.run.grading.AnthropicModel", none)
    agent = Good()
    with pytest.raises(JudgeUnavailable, match=r"^judge\.unavailable"):
        EvalRunner(world=small_exam(), grading="judge").run(agent, grader_model="claude-x")
    assert agent.turns == []
    report = EvalRunner(world=small_exam()).run(agent, grader_model="claude-x")
    assert (report.grading, (report.judge or {})["why"]) == ("hybrid", "model.no-key: claude-x")
    assert report.overall_score == 1.0


def test_grading_has_another_name_but_not_two_values():
    assert examined(Good(), grading_mode="deterministic").grading == "deterministic"
    with pytest.raises(ExamUsageError, match=r"memory\.two-gradings"):
        EvalRunner(grading="hybrid", grading_mode="deterministic")


# ------------------------------------------------------------------ several at once


def test_calls_are_made_at_once_and_the_order_in_each_block_is_kept():
    agent = SideBySide()
    report = examined(agent, parallel_workers=8)
    assert report.overall_score == 1.0
    assert 2 <= agent.most <= 8
    order = [int(turn.split()[1].removeprefix("number")) for turn in agent.turns]
    assert sorted(order) == list(range(1, 41))
    for block in range(12):
        of_block = [number for number in order if (number - 1) % 12 == block]
        assert of_block == sorted(of_block)
    is_late = [(number - 1) % 12 >= 6 for number in order]
    assert is_late == sorted(is_late)


def test_an_agent_that_does_not_say_it_bears_it_is_called_one_by_one():
    agent = SideBySide()
    agent.parallel_safe = False
    assert (
        "--parallel-workers has no effect for SideBySide: it accepts one call at a time"
        in examined(agent, parallel_workers=8).notes
    )
    assert agent.most == 1
    assert agent.turns == [turn.content for turn in small_exam().turns]


def test_a_server_is_taught_and_asked_over_several_connections():
    good = Slow()
    with served(good) as url:
        agent = agent_from("http", AgentOptions(url=url))
        report = examined(agent, parallel_workers=6)
        agent.close()
    assert report.valid
    assert report.overall_score == 1.0
    assert 2 <= good.most_at_once <= 6
    assert report.memory_stats == {"entries": 40, "bytes": report.measured["store_bytes"]}


class Slow(Remembering):
    def done(self, method: str, path: str, body: object) -> object:
        time.sleep(0.005)
        return super().done(method, path, body)


def test_progress_is_told_phase_by_phase(tmp_path: Path):
    told = []
    examined(Good(), progress=lambda *what: told.append(what))
    assert [what for what in told if what[1] == what[2]] == [
        ("learning", 40, 40),
        ("asking", 10, 10),
        ("grading", 10, 10),
    ]
    assert [done for phase, done, _ in told if phase == "learning"] == list(range(41))
