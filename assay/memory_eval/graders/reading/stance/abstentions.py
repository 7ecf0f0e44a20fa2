"""Wordings of abstentions."""

from __future__ import annotations

import re

_NOT = r"(?:n't|\b(?:do|did|does|have|has|had|was|is|are|ca|could|wo)nt| not| never)"
_KNOW = (
    r"(?:know\w*|tell|told|mention\w*|say(?! (?:that )?(?:it|it's|the answer|you|i)\b)|said|saying|talk\w*|record\w*"
    r"|information|info|details?|data|recall|remember|find|found|see|seen|aware|shar\w*|provid\w*|giv\w*|specif\w*"
    r"|stat\w*|discuss\w*|com\w* up|came up|document\w*|disclos\w*|cover\w*|learn\w*|hear\w*|determin\w*"
    r"|(?<!the )answer\w*|available|noted|notes?|suppl\w*|sure|certain|inform\w*|enough|anything|any|reveal\w*"
    r"|includ\w*|contain\w*|mak\w* it|hav\w*|possess|hold|store\w*|keep|kept|set|establish\w*|memor\w*)"
)
_ABSTAINS = re.compile(
    "|".join(
        (
            (
                r"\bno (?:[^\W_]+ ){1,4}?(?:recorded|known|given|mentioned|stated|on (?:file|record))\b"
                r"|(?:n't|\bnot) in (?:what|anything|any|my|the|your)\b"
                r"|\bnone of (?:your|my|the|these|those) (?:messages|notes|turns|records|conversations)\b"
            ),
            rf"{_NOT}(?: (?!never\b|not\b|no\b)[^\W_]+){{0,4}}? {_KNOW}\b",
            rf"\bnever (?:(?!never\b|not\b|no\b)[^\W_]+ ){{0,3}}?{_KNOW}\b",
            (
                r"\b(?:but|and|just|only|,) (?:never|not)(?: a word| anything)? (?:about|of)"
                r" (?:the|that|this|his|her|its|their)\b"
            ),
            (
                r"\bno (?:[^\W_]+ ){0,2}?(?:records?|information|info|data|memor\w+|mention|knowledge|idea|clue"
                r"|notes?|entr\w+|details?|recollection|answer|facts?|trace|way|indication|such|one|source)\b"
            ),
            (
                r"\b(?:have|has|had|got|is|was) no (?:[^\W_]+ )?(?:number|figure|value|date|name)\b"
                r"|\bbut not (?:an?|any|the|her|his|its|their)\b"
            ),
            (
                r"\b(?:unknown|unspecified|unavailable|unsure|undisclosed|unmentioned|untold|unanswerable"
                r"|unrecorded|unstated|n/a|not applicable|not known|missing|no answer|none given|none recorded"
                r"|nil)\b|\bnot that\W*$"
            ),
            (
                r"\bnot (?:[^\W_]+ ){0,2}?(?:known|mentioned|specified|stated|provided|available|recorded"
                r"|given|in my|in the|on file|on record|something|sure|certain|aware|enough|that i|disclosed"
                r"|discussed|covered|documented|part of|among)\b"
            ),
            (
                r"\bnothing (?:[^\W_]+ ){0,3}?(?:about|on|in|has|was|is|recorded|file|said|told|mentioned"
                r"|to go on|that|here|there|i)\b"
            ),
            (
                r"\b(?:unable|not able|impossible|fail\w*) to (?:[^\W_]+ ){0,2}?(?:say|answer|tell|find"
                r"|determine|recall|provide|locate|give|know|confirm)\b"
            ),
            (
                r"\b(?:can't|cannot|can not|couldn't|could not) (?:[^\W_]+ ){0,2}?(?:say|answer|tell|find"
                r"|determine|recall|remember|provide|locate|give|know|confirm|help)\b"
            ),
            (
                r"\b(?:insufficient|lack\w*|without|absent|beyond|outside) (?:[^\W_]+ ){0,3}?(?:information"
                r"|data|knowledge|details?|record\w*|what|memory|scope|notes?)\b"
            ),
            (
                r"\b(?:would|be|only be|just be) (?:only |just |merely )?guessing\b|\bdraw\w* a blank\b|\bdraws? "
                r"(?:a )?blanks?\b|\b(?:is|are|stay\w*|remain\w*) silent\b|\bnobody\b|\bno one\b|\bno-one\b"
            ),
            (
                r"\bhave(?:n't| not) (?:a |the |been |any )?(?:clue|idea|foggiest|faintest|slightest|told"
                r"|record)\b|\bbeats me\b|\bnot (?:a|the) (?:clue|foggiest|faintest)\b"
            ),
            (
                r"\bi (?:lack|miss) (?:that|this|the|any)\b|\b(?:leave|left) (?:it |that |this )?(?:blank|open"
                r"|out|unsaid|unanswered)\b|\b(?:abstain|pass)\b"
            ),
        )
    )
)
_PLAIN_END = (
    r"(?: (?:for sure|with certainty|that|this|it|so|the answer|about (?:that|this|it)|of (?:that|this|it)|me"
    r"|to me|me that|me this|me about (?:that|this|it)|on file|yet|at all|of any kind))*[\"' ]*$"
)
_PLAINLY = re.compile(
    "|".join(
        (
            r"^(?:\W|sorry|unfortunately|honestly|well|hmm|and|but|i'm afraid|i am afraid|apologies)*(?:i"
                r"|we) (?:really |honestly |just |simply )?(?:do not|don't|dont|cannot|can't|couldn't"
                r"|could not|have not|haven't|am unable to) (?:actually |really |quite )?(?:know|tell|say"
                r"|answer|recall|remember|been told|determine|find)" + _PLAIN_END,
            r"^\W*(?:sorry |unfortunately |well )*(?:i have|there is|there's|i've|i've got|i hold|i find|you "
                r"gave me|there was) no (?:(?!further|more|other|additional|newer|later)[^\W_]+ )?(?:records?"
                r"|information|info|data|memory|mention|knowledge|idea|clue|notes?|details?|recollection)" + _PLAIN_END,
            r"^\W*(?:you|nobody|no one|they|it|that|this|the user) (?:have |has |was |were |is )?(?:never"
                r"|not)(?: been)? (?:told|tell|mention\w*|said|say|shared?|g[ia]ven?|came up|come up|specif\w*"
                r"|stated?|discuss\w*|recorded|known)" + _PLAIN_END,
            r"^\W*you (?:did not|didn't|have not|haven't) (?:ever |actually )?(?:tell|told|mention\w*|say"
                r"|said|share\w*|give|given|specif\w*)" + _PLAIN_END,
            r"^\W*(?:unknown|unspecified|no idea|not (?:known|mentioned|specified|stated|provided"
                r"|recorded)|i was never told|i was not told|i wasn't told|never told|beats me)" + _PLAIN_END,
        )
    )
)  # fmt: skip
WITHHELD = re.compile(
    r"(?:n't|\b(?:not|no|none|never|nothing|nil|n/a|unknown|forg\w+|delet\w*|remov\w*|drop\w*|str(?:ike|uck)\w*|request\w*"
    r"|withheld|redacted|omitted|skipped|blank|private|confidential|off the record|cleared|erased|left out"
    r"|asked|instruct\w*"
    r"|told|gone|any ?more))\b|^\W*$"
)
"""What stands in the place of a value that is not given."""
_GUESSES = re.compile(
    r"\b(?:but|though|although|however|maybe|perhaps|possibly|might|could|guess|if i had to|if pressed"
    r"|likely|probably|i'd say|i would say|my bet|presumably)\b"
)
_WILL_NOT = re.compile(
    r"\b(?:will not|won't|would not|wouldn't|refuse to) (?:say|tell|answer)\b"
    r"|\b(?:can't|cannot|can not|couldn't|could not) say(?= (?:that )?(?:it|it's)\b)"
)
_CONDITION = re.compile(r"\bno (?:answer|entry|record|source|fact)\w* without\b[^.\n]*")
_CUT = re.compile(r"[.!?;\n,:]|\bbut\b|\bhowever\b|\balthough\b|\bthough\b|\band\b|\bso\b|[()—\u2013]|\s-\s")
_NO_LONGER_SO = re.compile(r"\b(?:previously|earlier|before|used to|formerly|at first|initially|until now|had)\b")


def abstains(text: str) -> bool:
    """Return whether the text says anywhere that the answer is unknown or was never stated."""
    return _ABSTAINS.search(text) is not None


def abstention_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each abstention."""
    text = _CONDITION.sub(lambda rule: " " * len(rule[0]), text)
    text = _WILL_NOT.sub(lambda refusal: " " * len(refusal[0]), text)
    return [match.span() for match in _ABSTAINS.finditer(text)]


def plainly_abstains(text: str) -> bool:
    """Return whether a whole clause is just "I don't know" or "you never told me", without any value."""
    if not abstains(text):
        return False
    return any(_PLAINLY.search(piece.strip()) and not _NO_LONGER_SO.search(piece) for piece in _CUT.split(text))


def guesses(text: str) -> bool:
    """Return whether the text contains a guess."""
    return _GUESSES.search(text) is not None
