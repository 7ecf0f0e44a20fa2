"""Each form becomes worlds: turns with session, time and speaker, evidence, golds and abstentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.memory_eval import AnswerType, grade
from assay.memory_eval.benchmarks.benchmark import NOT_KNOWN
from assay.memory_eval.questions.value_form import value_form
from tests.memory_eval.benchmarks.copies import FORMS, PATHS, benchmark, changed, questions, worlds

LATER = "[Session 2, 9:15 am on 12 June, 2023]"


def test_locomo_sessions_are_in_order_with_time_speaker_and_picture():
    (world,) = worlds("locomo")
    assert [turn.content for turn in world.turns] == [
        "[Session 1, 1:56 pm on 7 May, 2023]\nInes: I bought a canoe today.",
        "[Session 1, 1:56 pm on 7 May, 2023]\nTom: Nice. I repair clocks.",
        f"{LATER}\nTom: Radios too, and this one. [shares a picture: a photo of a brass clock]",
    ]
    assert [turn.turn_number for turn in world.turns] == [1, 2, 3]
    assert [turn.block_name for turn in world.turns] == ["session 1", "session 1", "session 2"]


def test_locomo_evidence_is_read_in_every_spelling_and_losses_are_noted():
    (world,) = worlds("locomo")
    assert [question.relevant_turns for question in world.questions] == [(1,), (2, 3), (), (3,), (), (1,)]
    assert world.notes == ("conv-1: 1 evidence ids name no turn",)


def test_locomo_categories_become_answers():
    asked = list(questions("locomo").values())
    assert [question.category for question in asked] == [
        "temporal", "multi_hop", "open_domain", "single_hop", "single_hop", "adversarial",
    ]  # fmt: skip
    assert [question.answer.value for question in asked] == [
        "2023-05-07", [["clocks"], ["radios"]], [], [["A brass clock"]], [["2"]], None,
    ]  # fmt: skip
    assert asked[0].answer.type is AnswerType.date
    assert asked[5].answer.type is AnswerType.abstain


@pytest.mark.parametrize("name", sorted(PATHS))
def test_a_question_without_an_answer_asks_for_a_value_as_others_do(name: str):
    absent, others = (
        {value_form(one) for one in questions(name).values() if (one.answer.type is AnswerType.abstain) is is_absent}
        for is_absent in (True, False)
    )
    assert absent
    assert absent <= others


def test_locomo_adversarial_answers_are_wrong_and_abstentions_right():
    question = questions("locomo")["conv-1:q6"]
    assert grade(question, "I was never told.").score == 1.0
    assert grade(question, "I do not know, perhaps the Red Canoe.").score == 0.0
    assert benchmark("locomo").own_score(question, "That is not mentioned.") == 1.0
    assert benchmark("locomo").own_score(question, "I was never told.") == 0.0


def test_longmemeval_has_a_world_per_question_with_sessions_by_date():
    updated, *_ = found = worlds("longmemeval")
    assert [world.name for world in found] == ["a1", "a2_abs", "a3"]
    assert [turn.content for turn in updated.turns] == [
        "[Session 1, 2023/05/01 (Mon) 09:00]\nuser: I have 9 plants.",
        "[Session 2, 2023/05/20 (Sat) 02:21]\nuser: I have 12 plants now.",
        "[Session 2, 2023/05/20 (Sat) 02:21]\nassistant: That is a lot.",
    ]
    assert updated.questions[0].text == "(Asked on 2023/06/01 (Thu) 10:00.) How many plants do I have?"


def test_longmemeval_evidence_is_the_marked_turns_or_else_the_marked_sessions():
    assert [question.relevant_turns for question in questions("longmemeval").values()] == [(2,), (1, 2), (1,)]


def test_longmemeval_abstentions_abstain_and_preferences_are_left_to_a_judge():
    updated, missing, preference = questions("longmemeval").values()
    own_score = benchmark("longmemeval").own_score
    assert (missing.category, missing.answer.type) == ("abstention", AnswerType.abstain)
    assert grade(preference, preference.expected_answer).score is None
    assert [own_score(updated, "There are 12 now."), own_score(updated, "120")] == [1.0, 0.0]
    assert [own_score(missing, NOT_KNOWN), own_score(preference, "tofu")] == [None, None]


def test_longmemeval_may_have_several_golds(tmp_path: Path):
    (world, *_) = worlds(
        "longmemeval", changed(tmp_path, "longmemeval", lambda data: data[0].update(answer=[12, "a dozen"]))
    )
    (question,) = world.questions
    assert question.expected_answer == "12 or a dozen"
    assert [grade(question, answer).score for answer in ("You have 12 plants.", "A dozen plants.", "Nine.")] == [
        1,
        1,
        0,
    ]
    assert benchmark("longmemeval").own_score(question, "a dozen") == 1.0


def test_beam_turns_keep_the_last_time_and_lose_the_generator_marks():
    (world,) = worlds("beam")
    assert [turn.content for turn in world.turns] == [
        "[Session 1, March-15-2024]\nuser: My sprint ends on March 29.",
        "[Session 1, March-15-2024]\nassistant: Noted.",
        "[Session 1, March-15-2024]\nuser: The API needs 300ms.",
        "[Session 2, April-02-2024]\nuser: The API needs 250ms now.",
    ]


def test_beam_evidence_is_a_list_or_an_object():
    (world,) = worlds("beam")
    assert [question.relevant_turns for question in world.questions] == [(), (1, 3, 4), (1,), (3, 4), ()]
    assert world.notes == ("1: 1 evidence ids name no message",)


def test_beam_facts_are_graded_and_descriptions_left_to_a_judge():
    asked = {question.category: question for question in questions("beam").values()}
    own_score = benchmark("beam").own_score
    update = asked["knowledge_update"]
    assert grade(update, "250ms now").score == 1.0
    assert own_score(update, "It needs 250ms.") == 0.5
    assert asked["abstention"].answer.type is AnswerType.abstain
    for category in ("event_ordering", "summarization"):
        assert grade(asked[category], asked[category].expected_answer).score is None
        assert own_score(asked[category], "anything") is None


def test_beam_reads_one_chat_and_prefers_the_shortened_one(tmp_path: Path):
    (one,) = worlds("beam", PATHS["beam"] / "1")
    assert one.name == "1"
    for folder in ("2", "10"):
        (tmp_path / folder).mkdir()
        for name in ("chat.json", "probing_questions/probing_questions.json"):
            (tmp_path / folder / Path(name).name).write_bytes((FORMS / "beam/1" / name).read_bytes())
    (tmp_path / "10" / "chat_trunecated.json").write_text(
        '[{"batch_number": 1, "turns": [[{"role": "user", "content": "Short."}]]}]', "utf-8"
    )
    assert [(world.name, len(world.turns)) for world in worlds("beam", tmp_path)] == [("2", 4), ("10", 1)]


@pytest.mark.parametrize("name", PATHS)
def test_right_answers_score_fully_where_rules_can_tell(name: str):
    for question in questions(name).values():
        assert grade(question, question.expected_answer).score in (None, 1.0), question.id
        if name == "locomo" and question.category != "open_domain":
            assert benchmark(name).own_score(question, question.expected_answer) == 1.0
