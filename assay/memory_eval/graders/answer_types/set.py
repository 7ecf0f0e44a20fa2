"""Grader for a set: each wrong member costs as much as a right one earns."""

from __future__ import annotations

from assay.memory_eval.graders.answer_types.comparing.members import gold_members, member_mentions
from assay.memory_eval.graders.answer_types.comparing.single_value import nothing_claimed, num_loose_items
from assay.memory_eval.graders.answer_types.comparing.strangers import is_open_ended, num_strangers, slashes_as_commas
from assay.memory_eval.graders.gold import is_past
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import CLAIMED, Polarity, statement_of
from assay.memory_eval.truth import Question

_FEW_LOOSE = 1

OPEN_ENDED_SCORE = 0.5
"""For a list that ends in "and others"."""


def read(question: Question, answer: AnswerText) -> Reading:
    """Read a set: ((right - wrong) / all) cubed, at least zero, so half a list scores an eighth."""
    gold = gold_members(question)
    if not gold:
        return Reading(0.0, "the question's own answer has no members", gradable=False)
    mentions = member_mentions(question, answer)
    statement = statement_of(slashes_as_commas(answer.text), mentions)
    if (nothing := nothing_claimed(statement, answer)) is not None:
        return nothing
    live = (*CLAIMED, Polarity.past) if is_past(question) else CLAIMED
    claimed = {claim.value for claim in statement.claims if claim.polarity in live and not claim.alternatives}
    right = claimed.intersection(gold) - statement.denied
    loose = num_loose_items(answer, mentions, question.text)
    strangers = num_strangers(answer, mentions, question.text)
    wrong = len(claimed.difference(gold)) + max(loose if loose > _FEW_LOOSE else 0, strangers)
    score = max(0.0, (len(right) - wrong) / len(gold)) ** 3
    if is_open_ended(answer):
        return Reading(score * OPEN_ENDED_SCORE, f"it names {len(right)} of {len(gold)} and says that there are more")
    why = f"it names {len(right)} of {len(gold)} and {wrong} that do not belong"
    contradicts = not right and bool(wrong or statement.denied.intersection(gold))
    return Reading(score, why, no_claim=not mentions and not wrong, contradicts=contradicts)
