"""Wordings of abstentions."""

from __future__ import annotations

import re

_WORD = r"[^\W_]+(?:'[^\W_]+)?"
_NOT = (
    r"(?:n't|\b(?:do|did|does|have|has|had|was|is|are|ca|could)nt\b|\b(?:not|never|no|nothing|nobody|none|without)\b)"
)
_KNOWN = (
    r"(?:know\w*|tell|told|mention\w*|say(?! (?:that )?(?:it|it's|the answer|you|i)\b)|says|said|saying|talk\w*"
    r"|record\w*|information|info|details?|data|recall|remember|find|found|see|seen|aware|shar\w*|provid\w*|giv\w*|specif\w*"
    r"|stat\w*|discuss\w*|com\w* up|came up|document\w*|disclos\w*|cover\w*|learn\w*|hear\w*|determin\w*|named"
    r"|(?<!the )answer\w*|available|notes?|noted|sure|certain|inform\w*|enough|anything|any|includ\w*|contain\w*|hav\w*"
    r"|hold|keep|kept|set|memor\w*|knowledge|idea|clue|entr\w+|trace|source|on file|in (?:what|my|your|our|the))"
)
_ABSTAINS = re.compile(
    rf"{_NOT}(?: (?!never\b|not\b|no\b|but\b){_WORD}){{0,9}}? {_KNOWN}\b"
    r"|\b(?:unknown|unspecified|unavailable|undisclosed|unmentioned|n/a|not applicable|missing|nil)\b|\bnot that\W*$"
    r"|\b(?:unable|not able|impossible|fail\w*) to (?:say|answer|tell|find|determine|recall|provide|know)\b"
    r"|\b(?:can't|cannot|couldn't) (?:[^\W_]+ ){0,2}?(?:say|answer|tell|find|determine|recall|provide|know)\b"
    r"|\bnothing (?:[^\W_]+ ){0,3}?(?:about|on|of|in|like|there)\b|\bno (?:\w+ )?(?:answer|number|figure|date|name"
    r"|value)\b|\bbut (?:not|never) (?:an?|any|the|her|his|its|about|of)\b"
    r"|\black\w* (?:that|this|the|any)\b|\bdraw\w* a blank\b|\b(?:is|are|remain\w*) silent\b|\bnobody\b|\bno one\b"
)
_PLAIN_END = (
    r"(?: (?:for sure|with certainty|that|this|it|so|the answer|about (?:that|this|it)|of (?:that|this|it)|(?:to )?me"
    r"(?: (?:that|this|about (?:that|this|it)))?|on file|yet|at all))*[\"' ]*$"
)
_PLAINLY = re.compile(
    r"^(?:\W|sorry|unfortunately|honestly|well|and|but|i'm afraid)*(?:"
    r"(?:i|we) (?:really |honestly |just )?(?:do not|don't|dont|cannot|can't|couldn't|have not|haven't|am unable to)"
    r" (?:actually |really )?(?:know|tell|say|answer|recall|remember|been told|find)"
    r"|(?:i have|there is|there's|i've(?: got)?) no (?!further|more|other|newer|later)(?:[^\W_]+ )?(?:records?"
    r"|information"
    r"|info|data|memory|mention|knowledge|idea|clue|notes?|details?)"
    r"|(?:you|nobody|no one|it|that|this) (?:have |has |was |were |is )?(?:never|not|did not|didn't|have not|haven't)"
    r"(?: been| ever)? (?:told|tell|mention\w*|said|say|shared?|g[ia]ven?|give|come up|specif\w*|stated?|recorded"
    r"|known)"
    rf"|unknown|no idea|not (?:known|mentioned|specified|stated|recorded)|(?:i was )?never told){_PLAIN_END}"
)
WITHHELD = re.compile(
    r"(?:n't|\b(?:not|no|none|never|nothing|n/a|unknown|forg\w+|delet\w*|remov\w*|drop\w*|struck|request\w*|withheld"
    r"|redacted|omitted|blank|private|confidential|off the record|cleared|erased|left out|asked|told|any ?more))\b"
    r"|^\W*$"
)
"""What stands in the place of a value that is not given."""
_GUESSES = re.compile(
    r"\b(?:but|though|although|however|maybe|perhaps|possibly|might|could|guess|likely|probably|i'd say|presumably)\b"
)
_SAYS_NOTHING_OF_IT = re.compile(
    r"\b(?:will not|won't|would not|wouldn't|refuse to) (?:say|tell|answer)\b"
    r"|\b(?:can't|cannot|couldn't) say(?= (?:that )?(?:it|it's)\b)|\bno (?:answer|fact)\w* without\b[^.\n]*"
)
"""A refusal, and a rule for answers."""
_CUT = re.compile(r"[.!?;\n,:]|\bbut\b|\bhowever\b|\balthough\b|\bthough\b|\band\b|\bso\b|[()—\u2013]|\s-\s")


def abstention_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each abstention."""
    text = _SAYS_NOTHING_OF_IT.sub(lambda refusal: " " * len(refusal[0]), text)
    return [match.span() for match in _ABSTAINS.finditer(text)]


def plainly_abstains(text: str) -> bool:
    """Return whether a whole clause is just "I don't know" or "you never told me", without any value."""
    return any(_PLAINLY.search(piece.strip()) for piece in _CUT.split(text))


def guesses(text: str) -> bool:
    """Return whether the text contains a guess."""
    return _GUESSES.search(text) is not None
