"""Cues that change how a named value counts: denials, pasts, guesses, reported speech, relations.

Every pattern is matched in a short stretch of lower-case text with masked values (`MARK` is one of them). None can
backtrack far: there are no nested repetitions, and every gap is bounded.
"""

from __future__ import annotations

import re

MARK = "[\ue000-\uf8fe]"
"""A masked value; private-use characters are removed from answers, so none can contain it."""


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives))


_BE = r"(?:is|was|are|were|be|been|being|'s|has|have|had|does|did|do|could|would|should|can|will|seems|sounds|looks)"
_NOT = rf"\b(?:{_BE}(?:n't| not| never)|not|never|no|nothing|without|beyond)"
_TOLD = r"(?:said|told|mentioned|noted|stated|recorded|given|learned|discussed|shared|wrote|heard)"
_OLDER = r"(?:older|earlier|old|previous|outdated|prior|past|former)"
_NOTES = r"(?:information|info|entries|records|data|notes?|values|figures|versions|ones)"
_MINE = r"(?:i|memory|my (?:memory|notes?|records?))"

ASSERTING = _any(
    r"\b(?:nobody|no one|none)(?: \w+){0,3}? (?:higher|lower|more|less|earlier|later) than\b",
    r"\b(?:nothing|none|nobody|no one|no other \w+)(?: \w+)? (?:but|other than|else than|except(?: for)?)\b",
    r"\b(?:not|n't)(?: \w+)? (?:just|only|merely|simply)\b",
)
"""Means "exactly", or a bound that is met."""

BENIGN = _any(
    rf"{_NOT}(?: \w+){{0,3}}? (?:doubt\w*|question|hesitat\w*|mistake about|uncertainty|ambiguity)\b(?: about it)?",
    rf"{_NOT}(?: \w+){{0,2}}? (?:forg[eo]t\w*|chang\w*|updat\w*|correct(?:ed|ions?)|revis\w*|contradict\w*|disput\w*)\b"
    r"(?: (?:since(?: then)?|that|this|anything))?",
    rf"{_NOT}(?: \w+){{0,4}}? (?:other|newer|more recent|further|additional) \w+",
    r"\bnothing (?:else|more|later)\b(?: (?:has been|was|is|\w+ed|said|told)\b){0,2}(?: since)?",
    r"\bno (?:need|problem|worries|wonder|kidding)\b(?: to \w+)?|\b(?:not to|don't|no need to) (?:worry|bother)\b",
    r"\bif (?:i had to|you) (?:answer|say|choose|ask|want|like|must know)\b(?: me)?|\bas you (?:might|may|can"
    r"|will)(?: \w+)? (?:remember|recall|know|see)\b",
    r", (?:is|was|are|were|does|did|do|has|have)n't (?:it|that|he|she|they|there|you)(?=\W*$)",
    rf"\b(?:ignored|skipped|discarded) (?:the |all |any )?{_OLDER} {_NOTES}\b",
    r"\bunless (?:i'm|i am|something|anything|it|my \w+|you)(?: \w+){0,2}? ?(?:changed|mistaken|wrong|otherwise)\b",
    r"\bnot (?:an? )?(?:hard|difficult|tricky)\b|\bcorrect me if i'm wrong\b",
    r"\b(?:i|my (?:notes?|memory|records?)) (?:could|might|may) be (?:wrong|mistaken|off)\b",
    rf"\bif {_MINE}(?:'m| am)? ?(?:not )?(?:\w+ ){{0,2}}?(?:remember|recall|serves?|mistaken|wrong|correct|right)\b",
    rf"\b{_OLDER} {_NOTES} (?:has|have|is|are|was|were) (?:been )?(?:superseded|replaced|outdated|obsolete)\b",
    rf"\b{_TOLD}(?: [^\W_]+){{0,3}}? (?:before|earlier|previously|originally|once|at the start)\b",
    rf"\b(?:previously|earlier|once|originally|initially) {_TOLD}\b",
    rf"\b(?:our|your|my|the) {_OLDER} (?:conversations?|chats?|messages?|turns?|discussions?|notes?|sessions?)\b",
    r"\bfrom [^,;\ue000-\uf8fe]{3,40} (?:until|till)(?= [^,;\ue000-\uf8fe]{3,40} (?:is|are|makes?|gives?|comes?)\b)",
    rf"\boriginally (?=from {MARK})|(?<=from {MARK}) originally\b",
    r"[(\[](?:only )?(?:once|twice)[)\]]|\b(?:the )?last time\b|\bonce (?:again|and for all)\b|\bat once\b|\b(?:for"
    r"|just|up to) now\b",
)
"""Neither denies, nor doubts, nor dates anything."""

CORRECTION = _any(
    r"\b(?:no,? |oh,? )?wait(?:,? no\b)?[ ,:.!—\u2013-]+(?:actually[ ,:]+)?"
    r"|\b(?:scratch|strike|ignore|forget) (?:that|this|it)\b[ ,:.!—\u2013-]+"
    r"|(?:^|[.,;!?\n—\u2013(] ?|- )(?:no,? )?(?:correction|i mean|i meant|make that|let me correct (?:that|myself)"
    r"|i misspoke|my mistake|sorry|actually,? no|no,? actually|on second thoughts?|or rather)\b[ ,:.!—\u2013-]+"
)
"""Withdraws what precedes it, if something follows."""
WAS_IN_BRACKETS = re.compile(rf"({MARK}) ?[(\[](?:it |this |that |which )?(?:was|were|had been)(?=[^()]{{0,16}}{MARK})")
TAGGED = re.compile(
    rf"({MARK}) ?[(\[]((?:previously|formerly|earlier|before|until|now|currently|at first"
    rf"|initially)[^()\[\]\ue000-\uf8ff]{{0,24}})[)\]]"
)
"""A value with its time in brackets."""

RANGED = _any(
    rf"\b(?:any(?:thing|where|time)|some(?:where|time)|rang\w+|vari\w+|values|numbers|between)\b[^.:]{{0,30}}?{MARK}"
    rf"[^.:]{{0,14}}?(?:\b(?:to|and|until|through)\b|[\u2013-])[^.:]{{0,14}}?{MARK}",
    rf"{MARK}\W{{0,4}}(?:\b(?:give or take|plus or minus)\b|\u00b1|\+/-?) ?(?:\w+ ){{0,2}}{MARK}",
)
"""Bounds of a range, and values that something is added to or taken from: not claims."""
CONCLUDES = re.compile(
    rf"\b(?:finally|in the end|ultimately|therefore|thus|(?:so,? )?(?:the|my|final) (?:final |correct )?answer)\b"
    rf"[^.]{{0,60}}{MARK}|, so (?:it's |it is |that's |the answer is )?{MARK}\W*$"
)
"""A conclusion from the values before it."""

HEAD_DENIES = re.compile(
    r"(?:\b(?:not|never|no|neither|none|except|but|than|without)|n't)\W*$|^\W*(?:[^\W_]+ ){0,3}?[^\W_]*\W*$"
    r"|\b(?:answers?|values?|following|these|this|that|it|one|true|right|correct|false|wrong)\W*$|^\W*(?:these|that)\b"
)
"""A heading that is only a denial, or concerns the answer itself."""
ALL_BUT = re.compile(r"\b(?:anything|anyone|everything|everyone|all) (?:but|except)\b")
"""Denies, and must not be split at its "but"."""

DENIED_BEFORE = _any(
    r"\b(?:not|never|no|nor|neither|none|nobody|nothing|nope|nowhere|without|cannot|hardly|rarely|ain't)\b|n't\b",
    r"\b(?:is|was|are|were|do|does|did|has|have|had|ca|could|would|should|wo)nt\b",
    r"\b(?:rather than|instead of|as opposed to|anything but|other than|except|excluding|apart from|away from|unlike"
    r"|contrary to|opposite of|far from|different from)\b",
    r"\b(?:false|untrue|wrong\w*|incorrect\w*|mistake\w*|lies?|lying|myth|misconception|less likely|unlikely|error)\b",
    r"\b(?:deny|denies|denied|refuse[sd]?|rul(?:e|es|ed|ing) out|reject\w*|exclud\w*|forget|ignore|retract\w*|cancel\w*"
    r"|disregard\w*|stopped being|ceased to be)\b",
)
"""Denies the value after it."""
DENIED_AFTER = _any(
    rf"^\W*(?:[^\W_]+ ){{0,2}}?{_BE}(?:n't\b|nt\b| (?:[^\W_]+ ){{0,3}}?(?:not|never|wrong|false|incorrect|untrue|out"
    r"|mistaken|no longer|(?:common )?misconception|lying|an? (?:\w+ )?(?:lie|mistake|slip|error|myth|typo)"
    r"|ruled out|unlikely|denied|rejected|excluded)\b)",
    r"^\W*(?:can't|cannot|won't|never|not|no longer|no more(?! than)|isn't|wasn't|aren't)\b",
    r"^\W*(?:no|false|wrong|incorrect|untrue)\W*$",
)
"""Denies the value before it."""
DISBELIEVED = _any(
    r"\b(?:doubt|dubious|suspect|disprov|refut|contradict|disput|eliminat|discard|retract|unsupport|unconvinc|unfound"
    r"|unlikel|erroneous|inaccura|invalid|fabricat|hallucinat|dishonest|hearsay|rumou?r|confus|random|reserv|oppos"
    r"|stretch|ba(?:d|it)|typo|wrongly|(?:dis|hard to )belie|withdraw|mis(?:re|lea|under|info|quot|tak)|nowhere)\w*",
    r"\b(?:yet to be|remains to be|nicht|no sense|trap|too easy|struck (?:from|off|out)|crossed out|differs? from"
    r"|fails?|less than \w+ing|thinking of|lacks any|says? otherwise|turn\w* out (?:to be )?(?:false|wrong|not))\b",
)
"""Calls the value next to it false, doubtful or unfounded."""
PAST_BEFORE = _any(
    r"\b(?:used to|previously|formerly|originally|initially|earlier|once|in the past|until|till|old|former|prior"
    r"|previous|back then|at one point|to begin with|start(?:ed)? (?:out|as|at)|at first|first,? (?:it|they|he|she)"
    r"|had been|before that|outdated|obsolete|abandon\w*|g[ia]ven? up)\b|\bleft(?: the| an?)?\W*$",
    r"(?<!was )(?<!were )(?<!been )\b(?:replac|supersed|succeed)(?:e?s|ed|ing)\b(?! by)",
    r"\b(?:up|down|(?:mov|tak|took|chang|switch|rais|lower|correct|revis|updat|increas|reduc|extend|postpon)(?:e?d|ing)?)"
    r"(?: there| over)? from(?: the| an?| about| \w+)?\W*$",
    r"\b(?:up to|before|prior to)\b[^.;]{1,40}\b(?:was|were|had been|stood at)\b",
)
PAST_AFTER = _any(
    r"\b(?:previously|formerly|originally|initially|earlier|once|at first|in the past|back then|at the time|until|till"
    r"|to begin with|before)\b",
    r"^\W*(?:[^\W_]+ ){0,3}?(?:replaced(?: by)?|succeeded by|superseded|changed to|outdated|obsolete|stale|expired"
    r"|has since|have since|no longer|any ?more|resigned|retired|quit|stepped down|gone|old|former|previous)\b",
)
NOW = re.compile(r"\b(?:now|currently|today|nowadays|these days|at present|presently|at the moment)\b")
HOLDS_NOW = re.compile(r"\b(?:current|present|latest|newest)(?: [^\W_]+){0,4}?(?: is| stands at|:)(?: the| an?)?\W*$")
"""Precedes a current value, unless it is followed by a change."""
SETTLES = re.compile(
    r"\b(?:final|settled|official)(?: [^\W_]+){0,4}?(?: is| was|:)(?: the| an?)?\W*$"
    r"|\b(?:finally|in the end|eventually|ultimately)\b[^.;]{0,30}\b(?:is|was|settled|established)\b"
)
"""Precedes a value that ends a dispute: earlier values were claims."""
BEFORE_CHANGE = re.compile(r"\b(?:before|until|prior to) [^,.;]{1,40} to(?: the| an?)?\W*$")
"""Precedes a value that came later: "before the change to X"."""
WAS = re.compile(r"\b(?:was|were|been|had)\b")

UNSAID_BEFORE = _any(
    r"\b(?:wonder\w*|ask\w*|knows?|check|see|sure|tell)(?: \w+){0,3}? (?:if|whether)\b",
    r"^\W*(?:please )?(?:mark|grade|accept|treat|count|rate)\b",
    r"(?<!my )(?<!your )\b(?:note|text|message|email|document|page|comment|ticket|file)s?(?: \w+){0,2}?"
    r" (?:claim\w*|want\w*|tried|tries|instruct\w*|demand\w*)\b",
    r"\b(?:some|people|they|others|many|someone|somebody|anyone|everyone|one|rumou?rs?|critics|most|you|reddit"
    r"|the (?:internet|press|media))(?: \w+)? (?:say|says|said|claim\w*|think|thinks|thought|believe\w*|argue\w*"
    r"|assume\w*|suggest\w*|guess\w*|h[oe]lds?|wr[io]te|has it|have it|might|may|could|would|tells?)\b"
    r"|\bothers? (?:have|has)\b",
    r"\b(?:an?|my|some) (?!(?:search|look-?up|check|review|count|note) )(?:[^\W_]+ ){1,3}?(?:claims?|thinks?|believes?"
    r"|insists?|swears?|told)\b",
    r"\b(?:allegedly|alleged|supposedly|reputedly|so-called|hypothetical\w*|planted|injected)\b"
    r"|\baccording to (?:an?|some|others?|my (?!notes?|record|memor|log))\b|\b(?:my \w+'s|the other \w+) answer\w*",
    r"\b(?:suppos(?:e|ing)|imagin(?:e|ing)|pretend\w*|if it (?:were|was|is|had)|as if|what if|in case"
    r"|i(?:'m| was| would| could)? (?:almost|nearly|invented|tempted|made up))\b",
    r"\bwhether (?!or not)[^.,:]{0,30}$",
    r"^\W*(?:only if|if|unless|whether|should|say (?:it|that|the)|(?:had|were) (?:it|i|you|he|she|they))\b",
)
YOU_SAID = re.compile(r"\byou (?:\w+ )?(?:said|say|told|claimed|thought)\b")
"""The user is the one who asks, so this is not hearsay."""
UNSAID_AFTER = _any(
    r"^\W*(?:from|in|of) (?:the|that|an?|this|some) (?:[^\W_]+ )?(?:anonymous|pasted|planted|injected|forwarded) ",
    r"^\W*is what (?:they|some|people|others|many|someone|everyone|a)\b",
    r"^\W*(?:from next|next (?:year|month|week)|in (?:the )?future|some ?day)\b",
    r"^\W*(?:,? ?)(?:some|people|they|others|many|rumou?r|allegedly)(?: \w+)? ?(?:say|claim|think|believe|has it)?\W*$",
)
BESIDE_BEFORE = _any(
    r"\b(?:successors?|predecessors?|brothers?|sisters?|parents?|wife|husband|sons?|daughters?|friends?"
    r"|opposite) of\W*$",
    r"\b(?:someone|somebody|something|one) like\W*$|\b(?:such as|e\.?g\.?|e g|for example|similar to)(?: the"
    r"| an?)?\W*$",
    r"\b(?:who\w*|someone|the one)\b[^.,;:]{0,30}\b(?:before|after|preced\w+|follow\w*|succeed\w*) ?$",
    r"\b(?:half|twice|double|triple|[^\W_]+ times|an? (?:third|quarter|tenth)) (?:of )?(?:the )?\W*$",
    r"\b(?:more|less|fewer|greater|higher|lower|earlier|later|older|rather|other) than(?: about)?\W*$",
    r"\b(?:day|week|month|year|hour|minute)s? (?:before|after)\W*$",
    r"\b(?:ahead of|as opposed to|unlike)(?: the)?\W*$",
    r"\bbetween\b(?:(?!\b(?:is|was|are|were|be|comes?|there)\b|[=:,]).){0,60}$",
)
BESIDE_AFTER = re.compile(
    r"^\W*(?:out(?! of)|by the real|plus|minus|times|or (?:more|less|so|later|earlier)|and (?:up|above|below)"
    r"|give or take)\b"
)
"""The value only helps to name something else."""

HEDGED = re.compile(
    r"(?<!\d )(?<!\bin )(?<!\bof )(?<!\bsince )\bmay\b(?! \d| (?:still )?(?:help|keep|share|tell|use)\b)|\b(?:might"
    r"|could|possibl[ey]|perhaps|maybe|either|unsure"
    r"|uncertain|guess\w*|unclear|potentially|candidates?|options?|long shot)\b|\bnot (?:\w+ )?(?:sure|certain)\b"
)
BOUND = re.compile(
    r"\b(?:at least|at most|over|under|above|below|up to|nearly|almost|close to|near)(?: (?:about|around))?\W*$"
)
"""A bound, not the value itself."""
RISES = re.compile(r"\b((?:add|sum|come|came|go|went|grew|gr[eo]w|rais|rose|increas|mov)\w*) up to\b")
SOFT = re.compile(
    r"\b(?:probably|likely|i (?:believe|think|suppose|reckon|assume)|fairly|pretty sure|seems?|appears?|should be"
    r"|roughly|around|about|approximately|as far as i|to my knowledge|last i)\b"
)
_CHANCE = re.compile(r"\b(?:chances?|probab\w*|likel\w*|odds|sure|certain\w*|confiden\w*|bet)\b")
_PERCENT = re.compile(r"\b(\d{1,3}(?:\.\d+)?) ?(?:%|percent|per cent)")
EVEN, _ALMOST_SURE = 50.0, 80.0
"""Below `EVEN` per cent a value is unlikely; from `_ALMOST_SURE` it is claimed."""

ALTERNATIVE_BEFORE = re.compile(r"\b(?:either|or|between)(?: (?:the|an?|maybe|perhaps|it's|it is))*\W*$|\beither\b")
ALTERNATIVE_AFTER = re.compile(
    r"^\W*(?:\([^()]{0,40}\))?\W*or\b(?! (?:so|thereabouts|rather|more precisely|equivalently|in short)\b)|^ ?/ ?[^\W_]"
)
ALTERNATIVE_ANYWHERE = _any(
    rf",? if not (?:the |an? )?{MARK}|^\W*if not\b[^.]{{0,60}}\bthen\b",
    r"\b(?:cannot|can't|couldn't) be (?:excluded|ruled out)\b",
    rf"\botherwise (?:it's |it is |the )?{MARK}|\b(?:alternatively|or else|failing that|also possible|could also be"
    rf"|second guess)\b|^\W*or\b",
)

TAKEN_BACK = _any(
    r"^\W*(?:cannot|can't|couldn't) be\b|^\W*(?:isn't|wasn't|aren't)\b",
    r"^\W*(?:would be|has been|is|was|are) (?:an? )?(?:\w+ )?(?:not|wrong|false|incorrect|untrue|mistaken|lie|ruled out"
    r"|out of the question|misconception)\b",
    rf"\b(?:that|this|it|which|they|answer|value|statement|none of (?:it|this|that|these)|i)\b[^.]{{0,30}}?"
    rf"(?:{_BE}(?:n't| not| never)(?: \w+)? (?:true|right|correct|so|it|the case|the (?:right |correct )?answer|current"
    r"|any ?more)|\b(?:wrong|false|untrue|incorrect|mistaken|invented|rejected|retracted|joking|kidding|not true)\b)",
    r"\b(?:just kidding|scratch that|or not|not really|wait,? no|actually,? no|not at all|know better|i forg[eo]t\w*"
    r"|making (?:this|that|it) up)\b",
    r"^\W*(?:but )?(?:not|never) (?:quite|exactly|really|at all)\W*$",
    r"^\W*(?:no|nope|not|wrong|false|incorrect|untrue|never|not (?:true|correct|right|so))\W*$",
)
OUTDATED = re.compile(
    r"\b(?:since|later|then|meanwhile)(?: been)? (?:changed|replaced|updated|superseded|revised|corrected)\b"
    r"|\b(?:changed|replaced|superseded) (?:since|later)\b|\b(?:no longer|outdated|obsolete|superseded|out of date)\b"
)
OFFER = re.compile(
    r"\b(?:let me know|if (?:you|i|that|this|it)|please|tell me|happy to|feel free|unless|should you|do you"
    r"|would you)\b"
)
"""Politeness: such a sentence does not concern the value."""
VAGUE_OTHER = _any(
    r"\b(?:something|someone|somebody|somewhere|some other|another) (?:else|entirely|different|thing|one|value"
    r"|person)\b",
    r"\b(?:now|currently|today|since)\b[^.]{0,12}\b(?:another|different|other|changed|replaced)\W*(?:$|\n|[.,;!])",
)
LEADS_TO = _any(
    r"^\W*→\W*$",
    r"^\W*(?:and |but |it |is |was |were |has |been )*(?:then|later|afterwards|subsequently|finally|now)\b[^.;]{0,40}$",
    r"^\W*(?:then |later |and |was |has |since |been |got |it )*(?:(?:changed|moved|raised|lowered|revised|updated"
    r"|corrected|increased|reduced|extended|postponed|went|rose|fell|grew|switched)(?: \w+){0,3}? (?:to|into)"
    r"|(?:replaced|succeeded|followed)(?: \w+){0,3}? by|became)\b[^.;]{0,20}$",
    r"^\W*(?:until|before) (?:it |that |he |she |they )?(?:was |were |became |changed |moved )[^.;]{0,30}$",
)
"""Between a value and the one that replaced it."""
FROM = re.compile(r"\bfrom(?: the| an?)?\W*$")
TO = re.compile(r"^\W*(?:\([^()]{0,40}\))?\W*(?:up |down |on |over )?(?:to|until)(?: the| an?)?\W*$")
SEQUEL = re.compile(
    r"^\W*(?:the |a )?(?:next |later |last )?(?:correction|update|revision|change)\b"
    r"|^\W*(?:and |but )?(?:then|later|afterwards|subsequently|finally|since then|after that)\b"
    r"|^\W*(?:it|that|this|they|he|she)(?: (?:was|were|has|had|been|later|since)){0,3} (?:changed|moved|raised|lowered"
    r"|revised|updated|corrected|increased|reduced|extended|postponed|became)\b"
)
REFUSES_PREMISE = re.compile(
    r"^\W*(?:(?:that|this|it|your|the)(?: (?!answer|following|statement)\w+)?(?:'s| is| was) (?:wrong|false|incorrect"
    r"|untrue|not (?:right|true|correct|so|what (?:i|you) \w+(?: me)?))|you (?:got|have|had) (?:that|this|it)"
    r" wrong)\s*[:;,—-]"
)
OWN_MEMORY = re.compile(
    r"\b(?:no longer|don't|do not|not) (?:keep|store|have|hold|list|show)\b|\b(?:told|asked|supposed) to (?:drop|forget"
    r"|delete|remove|leave out)\b|\b(?:forgotten|deleted|removed|left out|withheld) (?:at your request|as you)"
)
"""What the agent does with its notes, which concerns no value named before."""


def chance_of(around: str) -> float | None:
    """Return the stated probability in per cent; None if none is stated, or it is close to certain."""
    told = _PERCENT.search(around) if _CHANCE.search(around) else None
    return float(told[1]) if told and float(told[1]) < _ALMOST_SURE else None
