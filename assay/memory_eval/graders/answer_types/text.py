"""Grader for a free answer: right claims in any of their wordings, and wrong claims."""

from __future__ import annotations

from assay.memory_eval.graders.answer_types.comparing.single_value import nothing_claimed
from assay.memory_eval.graders.gold import wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNCLAIMED, Polarity, statement_of
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention, each_once
from assay.memory_eval.graders.reading.wordings import wording_mentions
from assay.memory_eval.truth import Question


def read(question: Question, answer: AnswerText) -> Reading:
    """Read claims: their share, squared; zero with a wrong one. A wording matches by its content words."""
    claims = _claims(question)
    if not claims:
        return Reading(0.0, "the question holds no claims to compare with", gradable=False)
    mentions = _mentions(answer, claims, wrong_values(question))
    statement = statement_of(answer.text, mentions)
    if (nothing := nothing_claimed(statement, answer)) is not None:
        return nothing
    made = {claim.value for claim in statement.claims if claim.polarity not in UNCLAIMED and not claim.alternatives}
    made -= statement.denied
    past = {claim.value for claim in statement.claims if claim.polarity is Polarity.past}
    right = sum(1 for number in range(len(claims)) if number in made)
    wrong = sum(1 for value in made if isinstance(value, str) and value not in past)
    score = 0.0 if wrong else (right / len(claims)) ** 2
    return Reading(score, f"it makes {right} of {len(claims)} claims and {wrong} wrong ones")


def _claims(question: Question) -> list[list[str]]:
    """Return each claim as its wordings; a single text is a claim of one wording."""
    held = question.answer.value
    rows = held if isinstance(held, list | tuple) else []
    return [[str(wording) for wording in (row if isinstance(row, list | tuple) else [row])] for row in rows]


def _mentions(answer: AnswerText, claims: list[list[str]], wrong: list[str]) -> list[Mention]:
    found: list[Mention] = []
    for number, wordings in enumerate(claims):
        for wording in wordings:
            found.extend(Mention(start, end, number) for start, end in wording_mentions(answer.text, wording))
    found.extend(KnownValues(wrong, {}).find(answer.text, answer.cased))
    longest_first = sorted(found, key=lambda one: (one.start - one.end, one.start))
    return sorted(each_once(longest_first), key=lambda one: one.start)
