"""An answer that is yes or no."""

from __future__ import annotations

import re

from assay.memory_eval.graders.answer_text import AnswerText
from assay.memory_eval.graders.claims import statement_of
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.mentions import Mention
from assay.memory_eval.graders.single_value import score_single
from assay.memory_eval.graders.wanted import is_past
from assay.memory_eval.truth import AnswerType, Question

_IDIOMS = re.compile(
    r"\b(?:there is |there's |without |i have |have |with )?no (?:doubt|question|problem|worries|need|idea"
    r"|record|mention|change|other|more|longer|one|less|later)\b"
    r"|\b(?:say|said|says) (?:yes|no)\b|\bif i(?:'m| am) not mistaken\b|\bcorrectly\b|\bi'm right\b"
)
_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|affirmative|absolutely|certainly|definitely|of course|indeed|true)\b"
    r"|(?<!in)\bcorrect\b|\bthat's right\b"
)
_NO = re.compile(
    r"\b(?:nope|nah|negative|false|incorrect)\b|\bno\b(?=\W*(?:$|[,.;:!?—\u2013\n)\"']|-\s| (?:it|they|he|she|you"
    r"|that|the|this|i|we|there)\b))"
)
_BARE = re.compile(
    r"^\W*(?:indeed |actually |in fact )?(?:it|they|he|she|you|that|there|i|we|this)(?: \w+){0,1}? ?(?:is|was"
    r"|are|were|did|does|do|has|have|had|will|would|can|could|'s)(n't| not| never)?\b"
)
_TAIL = re.compile(
    r"^\W*(?:it|they|he|she|you|that|there|i|we|this) (?:is|was|are|were|did|does|do|has|have|had|will|would"
    r"|can|could)(n't| not)?\W*$"
)


class YesNoGrader:
    """The words yes and no and their like; where there are none, whether the sentence affirms ("You did") or denies."""

    type = AnswerType.yes_no

    def read(self, question: Question, answer: AnswerText) -> Reading:
        gold = question.answer.value
        if not isinstance(gold, bool):
            return Reading(0.0, "the question's own answer is neither yes nor no", gradable=False)
        mentions = _mentions(answer.text)
        if not mentions and (bare := _BARE.match(answer.text)):
            mentions = [Mention(bare.start(), bare.end(), not bare[1])]
        if _contradicts_itself(answer.text, mentions):
            return Reading(0.0, "it says yes and no")
        statement = statement_of(answer.text, mentions)
        for claim in statement.claims:
            claim.was = False
        reading = score_single(
            statement, answer, question.expected_answer, past=is_past(question), gold=gold, partial=lambda _: 0.0
        )
        return reading


def _mentions(text: str) -> list[Mention]:
    """Idioms are blanked out first, so that places stay."""
    text = _IDIOMS.sub(lambda idiom: " " * len(idiom[0]), text)
    found = [Mention(match.start(), match.end(), True) for match in _YES.finditer(text)]
    found += [Mention(match.start(), match.end(), False) for match in _NO.finditer(text)]
    return sorted(found, key=lambda mention: mention.start)


def _contradicts_itself(text: str, mentions: list[Mention]) -> bool:
    """ "Yes, it didn't": the tail says the other."""
    if len(mentions) != 1:
        return False
    tail = _TAIL.match(text[mentions[0].end :])
    return bool(tail) and bool(tail and tail[1]) == mentions[0].value
