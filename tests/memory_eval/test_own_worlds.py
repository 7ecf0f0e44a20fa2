"""Worlds written by hand: little has to be said, and what is wrong is said with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.memory_eval import AnswerType, Dimension, Exam, WorldUnreadable, read_exam

TURNS = """\
- Sarah Chen is allergic to shellfish.
- content: "The budget of Atlas is $2,450,000."
  facts:
    - {entity: Atlas, attribute: budget, value: 2450000, valid_from: 2025-03-14}
"""


def world(tmp_path: Path, questions: str, turns: str = TURNS, suffix: str = "yaml") -> Path:
    (tmp_path / f"turns.{suffix if suffix == 'yml' else 'yaml'}").write_text(turns, "utf-8")
    (tmp_path / f"questions.{suffix}").write_text(questions, "utf-8")
    return tmp_path


def read(tmp_path: Path, questions: str, turns: str = TURNS, suffix: str = "yaml") -> Exam:
    return read_exam(world(tmp_path, questions, turns, suffix))


def test_a_text_and_the_expected_answer_are_enough(tmp_path: Path):
    exam = read(tmp_path, "- {text: What is Sarah's allergy?, expected_answer: shellfish}")
    assert [turn.content for turn in exam.turns] == [
        "Sarah Chen is allergic to shellfish.",
        "The budget of Atlas is $2,450,000.",
    ]
    assert [turn.turn_number for turn in exam.turns] == [1, 2]
    (question,) = exam.questions
    assert (question.id, question.category, question.expected_answer) == ("q1", "own", "shellfish")
    assert (question.answer.type, question.answer.value) == (AnswerType.text, [["shellfish"]])
    assert question.dimensions == (Dimension.factual_accuracy, Dimension.specificity)


def test_keywords_are_enough_too_and_make_the_rubric(tmp_path: Path):
    text = """\
questions:
  - text: Why was the launch moved?
    required_keywords: [supplier, 14]
    acceptable_paraphrases: [the vendor was late]
    incorrect_patterns: [weather]
"""
    (question,) = read(tmp_path, text).questions
    assert question.expected_answer == "supplier, 14"
    assert question.rubric == {
        "required_keywords": ["supplier", "14"],
        "acceptable_paraphrases": ["the vendor was late"],
        "incorrect_patterns": ["weather"],
    }


def test_what_yaml_would_take_for_something_else_stays_as_it_was_written(tmp_path: Path):
    text = """\
- {id: 7, text: Is it so?, expected_answer: yes}
- {id: 007, text: When?, expected_answer: 2025-03-14}
- {id: no, text: At what time?, expected_answer: 12:30}
- {id: 0x1F, text: How many?, expected_answer: 1_000}
"""
    questions = read(tmp_path, text).questions
    assert [question.id for question in questions] == ["7", "007", "no", "0x1F"]
    assert [question.expected_answer for question in questions] == ["yes", "2025-03-14", "12:30", "1_000"]
    exam = read_exam(tmp_path)
    assert exam.turns[1].facts[0]["valid_from"] == "2025-03-14"
    assert exam.turns[1].facts[0]["value"] == 2450000


@pytest.mark.parametrize(
    ("answer", "kind", "value"),
    [
        ("answer_type: entity", AnswerType.entity, "shellfish"),
        ("answer_type: abstain", AnswerType.abstain, None),
        ("answer: {type: number, value: 480, unit: ms}", AnswerType.number, 480),
        ("answer: {type: date, value: 2025-03-14}", AnswerType.date, "2025-03-14"),
        ("answer: {type: set, value: [a, b]}", AnswerType.set, ["a", "b"]),
        ("answer: {type: pairs, value: [[Reuters, 4100], [the audit, 5200]]}", AnswerType.pairs, None),
        ("answer: {type: yes_no, value: true}", AnswerType.yes_no, True),
        ("answer: {type: text, value: [[shellfish, seafood]]}", AnswerType.text, [["shellfish", "seafood"]]),
    ],
)
def test_answers_may_be_typed(tmp_path: Path, answer: str, kind: AnswerType, value: object):
    (question,) = read(tmp_path, f"- {{text: What?, expected_answer: shellfish, {answer}}}").questions
    assert question.answer.type is kind
    if kind is not AnswerType.pairs:
        assert question.answer.value == value


def test_yes_and_no_are_read_from_the_expected_answer(tmp_path: Path):
    (question,) = read(tmp_path, "- {text: Is it?, expected_answer: No., answer_type: yes_no}").questions
    assert question.answer.value is False


@pytest.mark.parametrize("kind", ["number", "date", "set", "ordered_list", "pairs", "yes_no"])
def test_a_value_that_is_missing_is_shown_as_one_that_would_do(tmp_path: Path, kind: str):
    question = "- {text: What?, expected_answer: something"
    with pytest.raises(WorldUnreadable, match=rf"world\.invalid-row: .* {kind} ") as caught:
        read(tmp_path, f"{question}, answer_type: {kind}}}")
    shown = str(caught.value).partition("as in ")[2]
    (read_now,) = read(tmp_path, f"{question}, {shown}}}").questions
    assert read_now.answer.type == kind
    if kind == "date":
        assert read_now.answer.value == "2025-03-14"


def test_lines_of_json_are_as_good(tmp_path: Path):
    (question,) = read(tmp_path, '{"text": "What?", "expected_answer": "x", "id": "one"}\n', suffix="jsonl").questions
    assert question.id == "one"


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ("- {text: What?}", "questions.yaml:1: a question needs 'expected_answer' or 'required_keywords'"),
        (
            "- text: A?\n  expected_answer: x\n  expected_anwser: y",
            "questions.yaml:1: 'expected_anwser' is not a valid key; is 'expected_answer' meant?",
        ),
        ("- {expected_answer: x}", "questions.yaml:1: 'text' is missing"),
        ("- {text: '', expected_answer: x}", "questions.yaml:1: text: string should have at least 1 character"),
        (
            "- {text: A, expected_answer: x, id: a}\n- {text: B, expected_answer: y, id: a}",
            "questions.yaml:2: the id 'a' is already used on line 1",
        ),
        ("- {text: A, expected_answer: x, relevant_turns: [3]}", "questions.yaml:1: turn 3 is not one of the 2 turns"),
        ("- {text: A, expected_answer: x, relevant_turns: [0]}", "questions.yaml:1: turn 0 is not one of the 2 turns"),
        ("- {text: A, expected_answer: x, answer_type: number}", "needs its value, as in answer: {type: number"),
        (
            "- {text: A, expected_answer: x, answer_type: colour}",
            "questions.yaml:1: answer_type: input should be 'number'",
        ),
        ("- {text: A, expected_answer: x, answer: {type: number, value: many}}", "answer.value: expected a number"),
        ("- {text: A, expected_answer: x, answer: {type: set, value: x}}", "answer.value: expected a list"),
        (
            "- {text: A, expected_answer: x, answer_type: date, answer: {type: set, value: [x]}}",
            "answer_type date and answer.type set differ",
        ),
        ("- {text: A, expected_answer: x, dimensions: [charm]}", "dimensions.0: input should be 'factual_accuracy'"),
        ("- just a text", "questions.yaml:1: expected an object, not str"),
        ("text: What?", "questions.yaml:1: expected a list, or a mapping with the one key 'questions'"),
        ("just words", "questions.yaml:1: expected a list"),
        ("", "questions.yaml: holds no questions"),
        ("- {text: [", "not YAML"),
        ("- {text: A, expected_answer: !!python/object/apply:os.system [true]}", "questions.yaml:1: not YAML"),
    ],
)
def test_what_is_wrong_is_one_line_with_file_and_line(tmp_path: Path, questions: str, said: str):
    with pytest.raises(WorldUnreadable) as caught:
        read(tmp_path, questions)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("[]", "holds no turns"),
        ("- {block: 1}", "turns.yaml:1: 'content' is missing"),
        ("- a\n- {content: b, turn_number: 7}", "turns.yaml:2: turn_number 7 found, expected 2"),
        ("- {content: a, facts: [{entity: e}]}", "turns.yaml:1: 'facts.0.attribute' is missing"),
        ("- {content: a, block: 13}", "turns.yaml:1: block: input should be less than or equal to 12"),
    ],
)
def test_wrong_turns_are_said_so(tmp_path: Path, turns: str, said: str):
    with pytest.raises(WorldUnreadable) as caught:
        read(tmp_path, "- {text: A, expected_answer: x}", turns)
    assert said in str(caught.value)


def test_a_folder_without_files_or_with_two_of_a_kind_is_said_so(tmp_path: Path):
    with pytest.raises(WorldUnreadable, match=r"world\.no-folder"):
        read_exam(tmp_path / "none")
    with pytest.raises(WorldUnreadable, match=r"world\.no-file"):
        read_exam(tmp_path)
    world(tmp_path, "- {text: A, expected_answer: x}")
    (tmp_path / "questions.jsonl").write_text("")
    with pytest.raises(WorldUnreadable, match=r"world\.ambiguous"):
        read_exam(tmp_path)


# ------------------------------------------------------------------ files that would cost too much


def test_lists_in_lists_are_refused(tmp_path: Path):
    with pytest.raises(WorldUnreadable, match=r"world\.invalid-row"):
        read(tmp_path, "[" * 100_000)


def test_a_line_without_end_is_refused(tmp_path: Path):
    (tmp_path / "turns.yaml").write_text(TURNS)
    with (tmp_path / "questions.jsonl").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    with pytest.raises(WorldUnreadable, match=r"world\.invalid-row: .*questions\.jsonl:1: "):
        read_exam(tmp_path)
