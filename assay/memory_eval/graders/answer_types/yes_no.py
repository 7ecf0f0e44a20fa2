"""Grader for yes or no."""

from __future__ import annotations

import re

from assay.memory_eval.graders.answer_types.comparing.single_value import A_HEAP, is_a_heap, score_single
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import statement_of
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.truth import Question

_IDIOMS = re.compile(
    r"\bnot (?:quite|exactly|really)\b(?=\W+no\b)|\bah,? yes\b(?=\W+(?:yes|no)\b)"
    r"|\byes,? (?:i (?:remember|recall|know|do remember|have (?:it|that))|here|of course i|let me)\b"
    r"|\bof course\b(?=\W+(?:the|it|here|my|i|yes|no)\b)|\bif i(?:'m| am) not mistaken\b"
    r"|\b(?:correct|true|right|definitive) (?:answer|value|reply|response)\b|\bif i(?:'m| am) (?:right|correct)\b"
)
_YES = re.compile(r"\b(?:yes|yeah|yep|yup|affirmative)\b")
_NO = re.compile(
    r"\b(?:nope|nah|negative)\b|\bno\b(?=\W*(?:$|[,.;:!?—\u2013\n()\"'|]|-\s| (?:it|they|he|she|you|that|the|this|i"
    r"|we|there|according|is|as of|down)\b))"
)
_AFFIRMS = re.compile(
    r"\b(?:absolutely|certainly|definitely|of course|indeed|true|exactly|precisely|agreed|confirm(?:ed)?|affirm(?:ed)?"
    r"|right|accurate|correct)\b|^\W*y\W*$"
)
_REFUTES = re.compile(
    r"\b(?:is |was |am |'s )?(?:(?:certainly|definitely|absolutely|of course|indeed|simply|actually) )?(?:not|isn't"
    r"|wasn't)(?: (?:quite|at all|really|entirely|actually))?(?: (?:the case|correct|true|right|accurate|so))\b"
    r"|\b(?:certainly|definitely|absolutely|of course|afraid|think|hardly|rather|quite) not\b|(?:^|[.!?\n])\W*(?:not "
    r"(?:at all|really|quite|exactly|so|true)|never|hardly|i(?:'d)? (?:have to |must )?disagree)(?=\W*(?:$|[.!\n]))"
    r"|\b(?:deny|denied|false|incorrect|untrue|wrong|mistaken|inaccurate)\b|^\W*n\W*$|\b(?:don't|do not) (?:think"
    r"|believe) so\b"
)
_WHO = r"(?:it|they|he|she|you|that|there|we|this)"
_DOES = r"(?:is|was|are|were|did|does|do|has|have|had|will|would|can|could)"
_BARE = re.compile(rf"^\W*(?:indeed |actually |in fact )?{_WHO}(?: \w+)? ?(?:{_DOES}|'s)(n't| not| never)?\b")
_TAIL = re.compile(rf"^\W*{_WHO} {_DOES}(n't| not)?\W*$")
_ELABORATES = re.compile(
    r"\s*[,—-]+\s*(?:it|they|he|she|you|that|this|there|we|the|its|never|not once|none)\b[^.!?;\n]*"
)


def read(question: Question, answer: AnswerText) -> Reading:
    """Read the words yes and no, else words that affirm or refute, else the sentence ("You did")."""
    gold = question.answer.value
    if not isinstance(gold, bool):
        return Reading(0.0, "the question's own answer is neither yes nor no", gradable=False)
    text = _IDIOMS.sub(lambda idiom: " " * len(idiom[0]), answer.text)
    mentions = _found(text, _YES, _NO) or _affirming(text)
    if not mentions and (bare := _BARE.match(text)):
        mentions = [Mention(bare.start(), bare.end(), not bare[1])]
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    if len(mentions) == 1 and _ends_otherwise(text, mentions[0]):
        return Reading(0.0, "it says yes and no")
    statement = statement_of(_without_elaboration(text, mentions), mentions)
    for claim in statement.claims:
        claim.was = False
    return score_single(question, answer, statement, gold)


def _found(text: str, yes: re.Pattern[str], no: re.Pattern[str]) -> list[Mention]:
    found = [Mention(match.start(), match.end(), True) for match in yes.finditer(text)]
    found += [Mention(match.start(), match.end(), False) for match in no.finditer(text)]
    return sorted(found, key=lambda mention: mention.start)


def _affirming(text: str) -> list[Mention]:
    """Return further affirmations and refutations; "not correct" is one, and so is "have to deny"."""
    refuting = list(_REFUTES.finditer(text))
    return [
        mention
        for mention in _found(text, _AFFIRMS, _REFUTES)
        if mention.value is False
        or not any(one.start() < mention.end and mention.start < one.end() for one in refuting)
    ]


def _ends_otherwise(text: str, mention: Mention) -> bool:
    """Return whether the tail contradicts the mention: "yes, it didn't"."""
    tail = _TAIL.match(text[mention.end :])
    return tail is not None and bool(tail[1]) == mention.value


def _without_elaboration(text: str, mentions: list[Mention]) -> str:
    """Blank out what follows "no, it did not change": it denies nothing before it."""
    for mention in mentions:
        rest = _ELABORATES.match(text, mention.end)
        if rest:
            text = text[: rest.start()] + "." + " " * (len(rest[0]) - 1) + text[rest.end() :]
    return text
