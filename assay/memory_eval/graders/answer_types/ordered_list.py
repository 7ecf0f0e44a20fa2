"""Grader for a list in order."""

from __future__ import annotations

import re

from assay.memory_eval.graders.answer_types.comparing.members import gold_members, member_mentions
from assay.memory_eval.graders.answer_types.comparing.single_value import HEAP_ITEMS, nothing_claimed, num_loose_items
from assay.memory_eval.graders.gold import is_past
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNCLAIMED, Polarity, statement_of
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.truth import Question

ONE_SWAP_SCORE = 0.3
"""For all members with two neighbours exchanged; with only two members that scores 0."""

_REVERSED = re.compile(
    r"\b(?:latest|newest|most recent|last) (?:first|to (?:first|earliest|oldest))\b"
    r"|\breverse (?:chronological )?order\b|\bfrom (?:latest|newest|last) to\b"
)


def read(question: Question, answer: AnswerText) -> Reading:
    """Read a list: all in order 1.0, one neighbouring swap 0.3, else the share of the correct prefix, cubed."""
    gold = gold_members(question)
    if not gold:
        return Reading(0.0, "the question's own answer has no members", gradable=False)
    mentions = member_mentions(question, answer)
    statement = statement_of(answer.text, mentions)
    if (nothing := nothing_claimed(statement, answer)) is not None:
        return nothing
    said = {claim.start for claim in statement.claims if claim.polarity not in UNCLAIMED and not claim.alternatives}
    all_past = all(claim.polarity is Polarity.past for claim in statement.claims)
    if all_past and not is_past(question) and "first" not in answer.text:
        return Reading(0.0, "it gives all as past")
    told = [mention for mention in mentions if mention.start in said]
    if statement.denied.issuperset(gold) or _tells_two_orders(told, len(gold)):
        return Reading(0.0, "it gives more than one order")
    order: list[object] = list(dict.fromkeys(mention.value for mention in told if mention.value is not None))
    if _REVERSED.search(answer.text) and not _REVERSED.search(question.text.lower()):
        order.reverse()
    loose = num_loose_items(answer, mentions, question.text, names=True)
    return scored(order if loose < HEAP_ITEMS else [*([None] * loose), *order], gold)


def _tells_two_orders(told: list[Mention], num_members: int) -> bool:
    """Return whether as many members again follow in another order."""
    names = [mention.value for mention in told]
    first, again = names[:num_members], names[num_members : 2 * num_members]
    return set(first) == set(again) and len(again) == num_members and first != again


def scored(order: list[object], gold: list[str]) -> Reading:
    """Compare an order with the gold."""
    if order == gold:
        return Reading(1.0, "it has all in the right order")
    prefix = next(
        (place for place, (one, two) in enumerate(zip(order, gold, strict=False)) if one != two),
        min(len(order), len(gold)),
    )
    if len(gold) > 2 and any(order == _swapped(gold, place) for place in range(len(gold) - 1)):
        return Reading(ONE_SWAP_SCORE, "it has two neighbours in the wrong order")
    foreign = sum(1 for member in order if member not in gold)
    score = max(0.0, (prefix - foreign) / len(gold)) ** 3
    why = f"it has the first {prefix} of {len(gold)} right and {foreign} that do not belong"
    return Reading(score, why, no_claim=not order, contradicts=len(order) >= len(gold))


def _swapped(gold: list[str], place: int) -> list[str]:
    return [*gold[:place], gold[place + 1], gold[place], *gold[place + 2 :]]
