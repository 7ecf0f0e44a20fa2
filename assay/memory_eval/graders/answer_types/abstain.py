"""Grader for abstentions: questions the dialogue does not answer."""

from __future__ import annotations

import re

from assay.memory_eval.graders.gold import aliases_of, values_under, wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import LIVE, UNTOLD, statement_of
from assay.memory_eval.graders.reading.dates.calendar_dates import dates
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention, apart
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.numbers.quantities import quantities
from assay.memory_eval.graders.reading.stance.abstentions import abstention_spans, guesses
from assay.memory_eval.truth import Question

_NOT_KNOWN = "not known"
_CUT = re.compile(r"[.,;!\n—\u2013]|\bbut\b")


def read(question: Question, answer: AnswerText) -> Reading:
    """Accept an abstention in any words, without a value of the requested kind and without a guess."""
    names = [value for value in wrong_values(question, "question_values") if not value.isdigit()]
    known = KnownValues(names, aliases_of(question), values_under(question, "context"))
    said = [Mention(start, end, _NOT_KNOWN) for start, end in abstention_spans(answer.text)]
    values = apart(known.find(answer.text, answer.cased), said)
    statement = statement_of(answer.text, sorted([*said, *values], key=lambda mention: mention.start))
    not_known = [claim.polarity for claim in statement.claims if claim.value is _NOT_KNOWN]
    if not not_known:
        named = bool(values) or _names_a_figure(question, answer)
        return Reading(0.0, "it does not abstain", no_claim=not named, contradicts=named)
    if statement.void or not set(not_known) <= set(LIVE):
        return Reading(0.0, "it withdraws its abstention", contradicts=True)
    told = [claim.value for claim in statement.claims if claim.value is not _NOT_KNOWN and claim.polarity not in UNTOLD]
    if told:
        return Reading(0.0, f"it says that it does not know, and claims {told[0]}", contradicts=True)
    if _names_a_figure(question, answer):
        return Reading(0.0, "it says that it does not know, and gives a figure", contradicts=True)
    end = _end_of_the_abstention(answer.text)
    if guesses(answer.text[end:]) and _guesses_a_name(question, answer.cased[end:]):
        return Reading(0.0, "it says that it does not know, and guesses", contradicts=True)
    return Reading(1.0, "it abstains")


def _names_a_figure(question: Question, answer: AnswerText) -> bool:
    """Return whether the answer contains a number or date that is in neither the question nor its rubric."""
    held = " ; ".join(
        [plain_value(question.text), *map(plain_value, values_under(question, "context", "question_values"))]
    )
    days = {day for mention in dates(held) for day in mention.days}
    if any(mention.days and not days.issuperset(mention.days) for mention in dates(answer.text)):
        return True
    spans = [(mention.start, mention.end) for mention in dates(answer.text)]
    numbers = {reading for quantity in quantities(held) for reading in quantity.readings}
    return any(
        not quantity.small_word and not numbers.intersection(quantity.readings) and not quantity.year
        and not any(start <= quantity.start < end for start, end in spans)
        for quantity in quantities(answer.text)
    )  # fmt: skip


def _end_of_the_abstention(text: str) -> int:
    """Return where the first clause ends, which holds the abstention."""
    cut = _CUT.search(text)
    return cut.end() if cut else len(text)


def _guesses_a_name(question: Question, guess: str) -> bool:
    """Return whether the guess contains a name that is not in the question and does not begin a sentence."""
    asked = set(re.findall(r"[^\W_]+", plain_value(question.text)))
    words = re.findall(r"(?<![.!?\n] )\b[A-Z][^\W_]+", guess)
    return any(word.lower() not in asked and word.lower() not in _NO_NAMES for word in words) or bool(
        _PLAIN_GUESS.search(guess.lower())
    )


_NO_NAMES = frozenset(
    "i i'm i'd i'll but so maybe perhaps let please if you the this that sorry would could it feel happy".split()
)
_PLAIN_GUESS = re.compile(
    r"\b(?:maybe|perhaps|possibly|presumably|probably|likely|guess(?: is| would be)?|i (?:think|belie\w+|suppose)"
    r"|i'd say|it (?:might|could|may) be)\b(?! (?:you|i|we|it was never|it was not|because|not|no|that you|if)\b)"
    r"[ ,:]*(?:it's |it is |it was )?(?!not\b|never\b|unknown\b)[^\W_]"
)
