"""Words around a value that say whether it is claimed: denials, earlier times, abstentions."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NEAR = 40
"""Characters before and after a value in which it may be denied."""
_ENDS = re.compile(
    r"[.;\n!?]|, (?=(?:it|but|now|and now|so)\b|\w+ (?:is|was|were|has)\b)|(?<!anything )\bbut\b|\bnow\b|\bcurrently\b"
)

_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|no|without|never|no longer|by no means|nor|neither|isn't|isnt|aren't|wasn't|weren't|don't"
    r"|doesn't|didn't|can't|cannot|won't|wouldn't"
    r"|shouldn't|anything but|other than|rather than|instead of|except|unlike|far from|opposite of|successor of"
    r"|came after"
    r"|doubt|deny|unlikely|rule out|ruled out|(?:wrong|false|untrue|mistake|error|lie)(?: to (?:say|answer|claim)"
    r"| that)"
    r"|nicht|nunca|pas|hardly|scarcely|preceded|followed|no es)\b|n't\b):? ?[^.;:\n!?]{0,32}$"
)
_NOT_DENIED = re.compile(
    r"\b(?:no[,:]|no doubt|without (?:a |any )?doubt|not sure (?:i|there)|nothing else|not only|not just"
    r"|none other than"
    r"|not mistaken|not to mention|(?:never|not|hasn't|has not|didn't) changed?|not aware of any \w+)(?!\w)"
)
_DENIED_AFTER = re.compile(
    r"^[\"')\]]{0,2} ?(?:that )?(?:(?:is|was|are|were|would be|seems?|has been) (?:\w+ )?(?:not|never|wrong|false"
    r"|incorrect"
    r"|untrue|outdated|obsolete|doubtful|ruled out|a lie|a slip|a mistake|an error|superseded|invalid|replaced"
    r"|doubted)\b"
    r"|isn't\b|wasn't\b|no longer\b|can be ruled out|resigned|\?)"
)
_PAST_BEFORE = re.compile(
    r"\b(?:used to|previously|formerly|former|originally|at first|initially|earlier|until|till|once|old"
    r"|replac(?:ed|es|ing)"
    r"|no longer|away from|took over from|over from|last (?:year|month|week))\b[^.;\n!?]{0,32}$"
)
_WAS_BEFORE = re.compile(r"\b(?:was|were|from|had been|before|corrected|than)\b[^.,;\n!?]{0,16}$")
_PAST_AFTER = re.compile(
    r"^[\"')%]{0,2} ?[(,]? ?(?:until|till|->|(?:at first|before|previously|formerly|initially"
    r"|earlier)(?=\W{0,2}(?:$|[.,;)\n])))"
)
_TO = re.compile(r"\W? ?(?:\w+ )?(?:to|into)\b")
_OR = re.compile(r"\b(?:or|either|alternatively|otherwise|versus|vs)\b|/")
_JOINS = re.compile(
    r"[\W_]*(?:(?:and|or|also|plus|as well as|alternatively|maybe|perhaps|yet|there is|it is)[\W_]*"
    r"(?:also|it is|it's|there is|there's|the|a|an|since yesterday)?[\W_]*){0,3}"
)
_CORRECTS = re.compile(r"\b(?:wait|correction|sorry|i mean|no[,:]|actually|scratch that|i meant)\b")
_VOIDS = re.compile(
    r"\b(?:placeholder|just kidding|incorrect|(?:that|this|which|statement|it)(?:'s| is| was) (?:not (?:true"
    r"|right|so|correct)|false|untrue)|not!|once, but|something (?:else|different)|someone else|misconception"
    r"|that(?: value)? (?:is|was|has been) (?:wrong|rejected"
    r"|superseded|not)|was rejected|no more|made (?:it|this|that) up|random guess|just guessing|as if"
    r"|opposite day|always wrong"
    r"|ignore (?:all|previous)"
    r"|somebody like|someone like|one of the others|e\.g\.|for example|only if|under no|(?:[1-3]?\d) ?% (?:chance"
    r"|on)|chance it|anyone who|whoever|nowhere near|misinformed|misreported|disregard|pretend|disbelieve"
    r"|confuse\w*|invented|reject\w*|forget about|stopped being|ceased to be|contradicts|lacks any|unsupported"
    r"|tempted to"
    r"|told me, but|from next|will be|brother of|sister of|almost|cannot confirm|can't confirm|who knows)\b"
)
_SENTENCE = re.compile(r"[.!\n;](?=\s|$)|\?")
_DOUBTS = re.compile(
    r"\b(?:not|never|nor|neither|cannot|if|unless|some say|people (?:say|claim)|they say|suppose|imagine|refuse"
    r"|rumou?r\w*"
    r"|allegedly|supposedly|hypothetical\w*|doubt\w*|unsure|question|wrong|false|untrue|lie|lying|kidding|jok\w+"
    r"|opposite"
    r"|except|rejected|denied|withdrawn|guess|or|either|something else)\b|n't\b|\?"
)
_SOFT = re.compile(
    r"\b(?:probably|perhaps|maybe|possibly|presumably|i think|i guess|i suppose|likely|might be|could be|about"
    r"|roughly)\b"
)

WITHHELD = re.compile(
    r"\b(?:forg[eo]t\w*|delet\w*|remov\w*|withh[eo]ld\w*|request\w*|not (?:on file|kept|stored)|no longer|unknown"
    r"|none|never told|asked me)\b"
)
"""Words that say of a value that it is not given."""

_ABSTAINS = re.compile(
    r"\b(?:unknown|n/a|null|none|nothing|nobody|no one|insufficient information|not (?:ever )?(?:discussed"
    r"|talked)|silent|not aware|lack(?:s"
    r"|ing)? (?:that|the|any)|never talked|(?:don't|do not) think you (?:ever )?(?:told|mentioned|said)|blank"
    r"|missing|unclear|unable to"
    r"|not (?:enough|specified|known|mentioned|recorded|stated|given|told|provided|available|disclosed|something"
    r"|able|on (?:file|record))"
    r"|no (?:idea|records?|information|info|mention|data|clue|answer|entry|memory|memories|details?|notes?"
    r"|knowledge|trace|figure"
    r"|number|date|name|value)"
    r"|no (?:\w+ ){1,3}(?:on (?:record|file)|(?:was|is|were|has been|ever)(?: \w+)? (?:mentioned|recorded|given"
    r"|told|stated|shared|known))"
    r"|(?:have|has|had|find|found|is|was|there's|see|hold|keep)(?: \w+)? no \w+|but not (?:a|the|his|her|their"
    r"|its|any)\b"
    r"|never about|(?:could|can) ?not be determined|never (?:been )?(?:told|mentioned|said|given|came|shared"
    r"|heard|stated|learned|specified|gave|recorded"
    r"|discussed|covered|got|named)"
    r"|(?:do|does|did|have|has|had|was|were|is|are|can|could)(?:n't| not| never)(?: \w+){0,2} (?:know|told|tell"
    r"|mention\w*|recall|remember"
    r"|say|said|find|have|see|given?|recorded|stated|specif\w+|hear|answer|come|cover\w*|shar\w+|been|contain"
    r"|include|available|anything|in)"
    r"|cannot|can't (?:say|tell|answer|find|recall|know|help)|ne sais pas|keine angabe|wei(?:ss"
    r"|\u00df) (?:ich )?nicht|no (?:lo )?se"
    r"|isn't (?:known|recorded|mentioned|on|in))\b|^\W*(?:\[\]|\{\})\W*$"
)
_ADDS = re.compile(r"\b(?:only know|do know|know only|what i know|only have|i know|you mentioned your|only that of)\b")


def abstains(text: str) -> bool:
    """Return whether a text says that something is not known."""
    return _ABSTAINS.search(text) is not None


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the value at a place is denied in its clause."""
    before, after = _clause(text, start), text[end : end + _NEAR]
    cleaned = _NOT_DENIED.sub(" ", before)
    return _DENIED_BEFORE.search(cleaned) is not None or _DENIED_AFTER.match(after) is not None


def is_past(text: str, start: int, end: int, *, is_gold: bool) -> bool:
    """Return whether the value at a place is said of an earlier time; a gold may be what something *was*."""
    before = _clause(text, start)
    after = text[end : end + _NEAR]
    if _PAST_BEFORE.search(before) or _PAST_AFTER.match(after):
        return True
    if before.endswith("from ") and _TO.match(after):
        return True
    return not is_gold and _WAS_BEFORE.search(before) is not None


def is_offered(text: str, start: int, end: int) -> bool:
    """Return whether an "or" stands next to the value at a place."""
    return re.match(r"\W{0,3}or\b", text[end : end + 8]) is not None or (
        re.search(r"\b(?:or|either(?: \S+ or)?)\W{0,3}(?:the )?$", text[max(0, start - 24) : start]) is not None
    )


def is_joined(text: str, start: int, end: int) -> bool:
    """Return whether nothing but a joint stands between two values, so that both are claimed of the same."""
    return _JOINS.fullmatch(text, start, end) is not None


def adds(text: str) -> bool:
    """Return whether a text that does not know adds what it does know."""
    return _ADDS.search(text) is not None


def is_choice(text: str, start: int, end: int) -> bool:
    """Return whether an "or" stands between two values."""
    return _OR.search(text, start, end) is not None


def corrects(text: str, start: int, end: int) -> bool:
    """Return whether the words between two values take back the first."""
    return _CORRECTS.search(text, start, end) is not None


def is_void(text: str, spans: Iterable[tuple[int, int]] = ()) -> bool:
    """Return whether a text may take its values back: anywhere by a few words, in their sentences by many more."""
    if _VOIDS.search(text):
        return True
    return any(_DOUBTS.search(_NOT_DENIED.sub(" ", _sentence(text, *span))) for span in spans)


def is_soft(text: str) -> bool:
    """Return whether a text is not sure of what it says."""
    return _SOFT.search(text) is not None


def _sentence(text: str, start: int, end: int) -> str:
    begin = max((match.end() for match in _SENTENCE.finditer(text, max(0, start - 300), start)), default=0)
    stop = _SENTENCE.search(text, end)
    return text[begin : stop.start() + 1 if stop else len(text)]


def _clause(text: str, start: int) -> str:
    before = text[max(0, start - _NEAR) : start]
    cut = 0
    for match in _ENDS.finditer(before):
        cut = match.end()
    return before[cut:]
