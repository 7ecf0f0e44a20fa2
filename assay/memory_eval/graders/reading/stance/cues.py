"""Cues that change how a named value counts: denials, pasts, guesses, reported speech.

Every pattern is matched in a short stretch of lower-case text with masked values (`MARK` is one of them). None can
backtrack far: there are no nested repetitions, and every gap is bounded.
"""

from __future__ import annotations

import re

MARK = "[\ue000-\uf8fe]"
"""A masked value; private-use characters are removed from answers, so none can contain it."""


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives))


_BE = r"(?:is|was|are|were|be|been|being|'s|s|has|have|had|does|did|do|could|would|should|can|will|seems|sounds|looks)"
_WORDS = r"(?:[^\W_]+ ){0,%d}?"


ASSERTING = _any(
    r"\b(?:nobody|no one|none)(?: \w+){0,3}? (?:higher|lower|more|less|earlier|later|further) than\b",
    r"\b(?:nothing|none|nobody|no one|no-one|nowhere|no other \w+|no)(?: \w+)? (?:but|other than|else but"
    r"|else than|except(?: for)?|besides)\b",
    r"\b(?:can't|cannot|can not|couldn't|could not|isn't|is not|wasn't|was not|doesn't|don't|didn't)(?: \w+){0,2}?"
    r" (?:anything|anyone|anybody|something|anywhere|any \w+)(?: else)? (?:but|other than|except|than|besides)\b",
    r"\b(?:not|n't)(?: \w+)? (?:just|only|merely|simply)\b",
    r"\bno (?:later|earlier|sooner|more|less|fewer|longer) than\b",
)
"""Means "exactly", or a bound that is met."""

BENIGN = _any(
    r"n't(?: \w+){0,3}? (?:doubt\w*|hesitat\w*)\b|\bwithout (?:any |a )?question\b|\bif i had to (?:answer"
    r"|say|choose)\b",
    r"\bif you (?:ask|want|like|wish|must know|insist)(?: me| to know)?\b|\b(?:not|never|don't|no)(?: need)? (?:to "
    r")?(?:worry|fear|panic|fret|worries|bother|keep you waiting)\b|, (?:isn't|wasn't|aren't|weren't|doesn't|didn't"
    r"|don't|right|no|innit)(?: (?:it|that|he|she|they|there|so|you))?(?=\W*$)|(?:\b(?:no|never|not|without)|n't)(?: "
    r"\w+){0,4}? (?:any |an? )?other (?:values?|answers?|entr\w+|names?|dates?|numbers?|records?|versions?"
    r"|candidates?|information|mention\w*|figures?|ones?|options?|results?|notes?)\b|(?:\b(?:no|not|without)|n't)(?: "
    r"\w+){0,3}? (?:any |an? )?(?:mistakes?|errors?|typos?|contradictions?|conflicts?|discrepanc\w+|disagreements?"
    r"|inconsistenc\w+|confusion|exceptions?|objections?|newer|more recent|later|further|additional|anything "
    r"newer)\b(?: \w+){0,1}",
    r"\bassuming (?:that )?(?:my|i|nothing|no)\b(?: \w+){0,4}|\bunless (?:something|anything|it"
    r"|that)(?: has)? changed(?: since)?\b",
    r"\bnot (?:an? )?(?:hard|difficult|tricky)(?: one| question)?\b|\bnever forget\b",
    r"\bas you (?:might|may|can|will|could|probably|surely)(?: \w+)? ?(?:remember|recall|know|see)\b",
    r"\b(?:i|my (?:notes?|memory|records?)) (?:could|might|may|can) be (?:wrong|mistaken|off|misremembering)\b"
    r"(?: (?:about|on) (?:the|some|that|this|it)(?: \w+)?)?",
    r"\b(?:do|does|did|would|will)(?:n't|nt| not| never) (?:need|have|require|want|even need) to(?: \w+){1,4}",
    r"\b(?:there(?:'s| is| was| can be| could be)? )?(?:have|has|had|with|without|is|be|leaves?|beyond|in|i've|of)? ?"
    r"(?:no|not|n't|without|little|never|beyond|zero)(?: \w+){0,3}? (?:doubt\w*|question about"
    r"|question that|mistake about|mistaking|hesitation|uncertainty|ambiguity|dispute)\b"
    r"(?: (?:about it|at all|whatsoever|in my mind|here|that|about that))?",
    r"\b(?:undoubtedly|doubtless|no doubt|unquestionably|without fail|no question)\b",
    r"\bif (?:i|my (?:memory|notes?|records?)|memory)(?:'m| am)? ?(?:not )?(?:\w+ ){0,2}?(?:remember|recall|serves?"
    r"|mistaken|wrong|correct|right|correctly|rightly)(?: me)?(?: (?:correctly|right|rightly|well|properly))?\b",
    r"\bunless (?:i'm|i am|my \w+ (?:is|are)|you(?:'ve| have)?)(?: \w+){0,2}? ?(?:mistaken|wrong"
    r"|misremembering|off|told me otherwise|said otherwise|changed it)\b",
    r"\bcorrect me if i'm wrong\b|\bdon't get me wrong\b|\bnot to be confused with\b(?! \w* ?" + MARK + ")",
    r"\b(?:have|has|had|do|does|did|is|are|was|were|would|will|can|could)(?:n't|nt| not| never)(?: \w+){0,2}?"
    r" (?:change[ds]?|forget|forgot|forgotten|in doubt|in question|disputed|in dispute|been updated"
    r"|updated|been changed|altered|moved since|been corrected|been revised|been replaced|differ\w*"
    r"|hesitate|hard to (?:recall|remember|find))(?: since(?: then)?| anything)?\b",
    r"\b(?:never|not) (?:changed|forgot(?:ten)?|updated|been (?:changed|updated|corrected|revised)|altered"
    r"|revised|corrected|contradicted|disputed|questioned)(?: since(?: then)?)?\b",
    r"\bno (?:problem|worries|need|wonder|trouble|kidding|idea why|change[sd]?|updates?|corrections?"
    r"|conflict\w*|contradict\w*|ambiguity|surprise|later (?:\w+ )?(?:change|update"
    r"|correction)s?)\b(?: (?:since|since then|to that|on that|to look further))?",
    r"\bnothing (?:else|more|further|newer|different|later|contradict\w*|has changed|changed)\b(?: (?:was"
    r"|has been|is|on))?(?: \w+ed\b| said\b| told\b)?(?: since(?: then)?)?",
    r"\bi hope (?:i|that|this|it)(?:'m| am|'s| is)?(?: not)?(?: [^\W_]+){0,3}? (?:up|helps?|right|correct|wrong"
    r"|mistaken)\b",
    r"\b(?:the|all|any|those) (?:older|earlier|old|previous|outdated|former) (?:information|info|entries|records|data"
    r"|notes|values|figures|versions|ones) (?:has|have|had|was|were|are|is) (?:been )?(?:superseded|replaced|outdated"
    r"|ignored|obsolete|out of date)\b",
    r"\bi(?: have|'ve)? (?:ignored|skipped|discarded|disregarded|left out) (?:the |all |any )?(?:older|earlier|old"
    r"|previous|outdated|obsolete|superseded|stale) (?:information|info|entries|records|data|notes|values|figures"
    r"|versions|ones)\b",
    r"\b(?:said|told|mentioned|noted|stated|discussed|shared|recorded|established|wrote|given|reported"
    r"|learned|heard|covered|as|remembered)(?: [^\W_]+){0,3}? (?:before|earlier|previously|originally|once"
    r"|initially|at the start)\b",
    r"\b(?:previously|earlier|once|originally|formerly|initially|before)(?:,)? (?:you |i |we |as )?(?:have |had |was "
    r"|were )?(?:been )?(?:told|mentioned|stated|said|noted|recorded|shared|discussed|learned|heard|established|wrote"
    r"|in our (?:conversation|chat|dialogue)|in the (?:conversation|chat|dialogue))\b",
    r"\b(?:our|the|my|your) (?:earlier|previous|prior|past|former) (?:conversations?|chats?|dialogues?"
    r"|messages?|turns?|discussions?|notes?|exchanges?|sessions?|updates?)\b",
    r"\bthe last time\b|\blast time\b|\bonce again\b|\bonce and for all\b|\bat once\b|\bfor now\b"
    r"|\bjust now\b|\bfrom before\b|\bup to now\b|\bfrom (?:memory|my notes|our)\b",
)
"""Neither denies, nor doubts, nor dates anything."""

CORRECTION = _any(
    r"\b(?:no,? |oh,? |ah,? )?wait(?:,? no\b)?[ ,:.!—\u2013-]+(?:actually[ ,:]+)?|\b(?:scratch|strike|ignore"
    r"|disregard|forget|undo) (?:that|this|it)\b[ ,:.!—\u2013-]+|(?:^|[.,;!?\n—\u2013(] ?|- )(?:no,? )?(?:correction"
    r"|i mean|i meant|make that|let me correct (?:that|myself|this)|i stand corrected|i misspoke|let me rephrase|my "
    r"mistake|my bad|oops|hold on|on second thoughts?|on reflection|sorry|actually,? no|no,? actually|no,? sorry|i "
    r"take (?:that|it) back|i was wrong|or rather|erratum|edit)\b[ ,:.!—\u2013-]+"
)
"""Withdraws what precedes it, if something follows."""
WAS_IN_BRACKETS = re.compile(rf"({MARK}) ?[(\[](?:it |this |that |which )?(?:was|were|had been)(?=[^()]{{0,16}}{MARK})")
TAGGED = re.compile(rf"({MARK}) ?[(\[]([^()\[\]\ue000-\uf8ff]{{1,40}})[)\]]")
"""A value followed by brackets."""

RANGED = _any(
    rf"\b(?:any(?:thing|where|one|body|time)|some(?:thing|where|one|body|time)|rang\w+|vari\w+|vary\w*|spann?\w*|fluctuat\w*"
    rf"|oscillat\w*|values|numbers|between)\b[^.:]{{0,30}}?[\ue000-\uf8ff][^.:]{{0,14}}?(?:\b(?:to|and|until|through)\b|[\u2013-])"
    rf"[^.:]{{0,14}}?{MARK}",
    rf"{MARK}\W{{0,4}}(?:\b(?:give or take|plus or minus|plus minus)\b|\u00b1|\+/-?) ?(?:\w+ ){{0,2}}{MARK}",
)
"""Bounds of a range, and values that something is added to or taken from: not claims."""
YOUR_PREMISE = _any(
    rf"^\W*(?:you|your question|the question|the premise)(?: [^\W_]+){{0,4}}? ?(?:that "
    rf")?[^.;\ue000-\uf8ff]{{0,30}}{MARK}(?=[^.;]{{0,16}}\b(?:but|however"
    rf"|yet|though|although|whereas|while|actually|in fact|in truth)\b[^.;]{{0,60}}{MARK})"
)
CONCLUDES = _any(
    rf"\b(?:final(?:ly)? (?:finding|answer|value|result|word|verdict|figure|decision)|ultimately|in the end"
    rf"|(?:was|is|been)"
    rf" settled|in conclusion|conclu(?:de|sion)\w*|so,? (?:the|my) answer|therefore|hence|thus|answer:|the "
    rf"(?:correct |right )?answer"
    rf"(?: is|:))[^.]{{0,60}}{MARK}"
)

HEAD_DENIES = _any(
    r"(?:\b(?:not|never|no|nor|neither|none|nope|except|but|than|without|excluding|cannot)|n't|nt)\W*$",
    r"^\W*(?:[^\W_]+ ){0,3}?[^\W_]*\W*$|^\W*(?:these|those|the following|this|that|it|they|none|neither)\b",
    r"\b(?:answers?|values?|following|these|this|that|it|one|statements?|claims?|options?|things?|facts?)\W*$",
    r"\b(?:true|right|correct|answer|case|say|answer|be|believe|think|accept|claim|false|wrong|untrue|incorrect|bad|lies?|myths?)\W*$",
)
"""A heading that is only a denial, or concerns the answer itself."""

ALL_BUT = _any(r"\b(?:anything|anyone|anybody|everything|everyone|all) (?:but|except)\b")
"""Denies, and must not be split at its "but"."""


DENIED_BEFORE = _any(
    r"\b(?:not|never|no|nor|neither|none|nobody|nothing|nope|nowhere|without|cannot|seldom|rarely|hardly|scarcely|barely|ain't)\b",
    r"n't\b|\b(?:is|was|are|were|do|does|did|has|have|had|ca|could|would|should|wo)nt\b",
    r"\b(?:rather than|instead of|as opposed to|opposed to|anything but|anyone but|everything but"
    r"|everyone but|all but|other than|except|excepting|excluding|apart from|aside from|away from|unlike|contrary to"
    r"|opposite of|reverse of|far from|different from|distinct from)\b",
    r"\b(?:false|falsely|untrue|wrong|wrongly|incorrect\w*|mistake\w*|misleading|lie|lies|lying|myth"
    r"|misconception|fallacy|falsehood|less likely|error"
    r"|erroneous\w*|inaccurate\w*|invalid|impossible|unlikely|implausible|doubt|doubts|doubtful|dubious)\b",
    r"\b(?:deny|denies|denied|denying|refuse[sd]?|decline[sd]?|rul(?:e|es|ed|ing) out|reject\w*|refut\w*"
    r"|disput\w*|debunk\w*|disprov\w*|dismiss\w*|exclud\w*|avoid\w*|forget|ignore|retract\w*|cancel\w*"
    r"|disregard\w*|fake|bogus|fails? to be|stopped being|ceased to be|ceases to be|isnt)\b",
)
"""Denies the value after it."""

DENIED_AFTER = _any(
    r"^\W*(?:[^\W_]+ ){0,2}?"
    + _BE
    + r"(?:n't\b|nt\b| (?:[^\W_]+ ){0,3}?(?:not|never|wrong|false|incorrect|untrue|mistaken|inaccurate"
    r"|invalid|out|impossible|no longer|(?:a )?(?:common |popular )?(?:misconception|fallacy|falsehood)"
    r"|a lie|a mistake|a slip|a typo|an error|an oversight|a myth|ruled out|unlikely|refuted|denied"
    r"|rejected|retracted|excluded|nonsense|fake|bogus)\b)",
    r"^\W*(?:can't|cannot|can not|won't|never|not|no longer|no more(?! than)|any ?more|isn't|wasn't|aren't|ain't)\b",
    r"^\W*(?:- ?)?not\W*$|^\W*(?:not|no|false|wrong|incorrect|untrue)\W*$",
    r"\b(?:is|was|are|were)? ?(?:anything but|far from) (?:right|correct|true|accurate|the)\b",
)
"""Denies the value before it."""

PAST_BEFORE = _any(
    r"\b(?:used to|previously|formerly|originally|initially|earlier|once|at first|in the past|until|till|up from"
    r"|down from|moved there from|moved over from|old|former|prior|previous|back then|at one point"
    r"|to begin with|started out|started as|started at"
    r"|began as|began at|first(?! (?:days?|names?|of|one|event|incident|line|entry)\b)|had been"
    r"|(?<!was )(?<!were )(?<!been )(?:replac|supersed"
    r"|succeed)(?:e?s|ed|ing)(?! by)|taking over from|took over from|changed from|moved from|switched from|(?:rais"
    r"|lower|correct|revis|updat|amend|adjust|increas|reduc|extend|postpon)ed from|before that|before it (?:was"
    r"|became|moved to|changed to)|outdated|obsolete|stale|expired|historical\w*|abandon\w*)\b",
    r"\b(?:up to|before|prior to)\b[^.;]{1,40}\b(?:was|were|had been|stood at)\b",
)
PAST_AFTER = _any(
    r"\b(?:previously|formerly|originally|initially|earlier|once|at first|in the past|back then"
    r"|at the time|at one point|until|till|to begin with|before)\b",
    r"^\W*"
    + _WORDS % 3
    + r"(?:replaced by|succeeded by|superseded|changed to|gave way|outdated|obsolete|out of date|stale"
    r"|expired|has since|have since|was since|no longer|any ?more)\b",
)
NOW = _any(r"\b(?:now|currently|today|nowadays|these days|at present|presently|as of today|at the moment|right now)\b")
HOLDS_NOW = _any(
    r"\b(?:current|present|latest|newest|up-to-date|most recent)(?: [^\W_]+){0,4}?"
    r"(?: is| stands at| reads|:)(?: the| an?)?\W*$"
)
"""Precedes a current value, unless it is followed by a change."""
SETTLES = _any(
    r"\b(?:final|settled|official|established|definitive)(?: [^\W_]+){0,4}?(?: is| was|:)(?: the| an?)?\W*$",
    r"\b(?:final|in the end|eventually|ultimately|officially)\b[^.;]{0,30}"
    r"\b(?:is|was|settled|established|determined|ruled)\b",
)
"""Precedes a value that ends a dispute: earlier values were claims."""
BEFORE_CHANGE = _any(
    r"\b(?:before|until|prior to) (?:the |its |that |this |being |it (?:was |got )?)?(?:last |latest )?"
    r"(?:change[ds]?|move[ds]?|update[ds]?|switch(?:ed)?|correct(?:ed|ion)|rise|raised|lowered|increased?|reduced|revision"
    r"|revised) to(?: the| an?)?\W*$"
)
"""Precedes a value that came later: "before the change to X"."""
WAS = _any(r"\b(?:was|were|been|had)\b")

UNSAID_BEFORE = _any(
    r"\b(?:wonder\w*|ask\w*|know|knows|check|see|sure|tell)(?: \w+){0,3}? (?:if|whether)\b",
    r"^\W*(?:please )?(?:mark|grade|accept|treat|count|rate)\b",
    r"\b(?:planted|injected|malicious|untrusted|spoofed|suspicious|forged)\b",
    r"\b(?<!my )(?<!your )(?:note|text|message|instruction|email|document|page|comment|ticket|file|log)s?"
    r"(?: \w+){0,2}? (?:claim\w*|want\w*|tried|tries|instruct\w*|demand\w*|pretend\w*|told me to|asked me to)\b",
    r"\b(?:some|people|they|others|many|someone|somebody|anyone|everyone|one|rumou?rs?|gossip|critics"
    r"|skeptics|folks|a few|most|you)(?: \w+)? (?:say|says|said|claim\w*|think|thinks|thought|believe\w*"
    r"|argue\w*|assume\w*|suggest\w*|guess\w*|has it|have it|might|may|could|would|will tell)\b",
    r"\b(?:allegedly|supposedly|purportedly|reputedly|rumou?red|hearsay|so-called|hypothetical\w*)\b",
    r"\b(?:suppos(?:e|ing)|assum(?:e|ing)|imagin(?:e|ing)|pretend\w*|were it|if it (?:were|was|is|had)|would have "
    r"been|could have been|might have been|should have been|as if|what if|in case|wish\w*|hope[sd]?)\b",
    r"\bwhether (?!or not)[^.,:]{0,30}$|^\W*(?:and |but )?(?:when|once) pigs\b",
    r"^\W*(?:only if|if|unless|whether|had|were|should|say (?:it|that|the)|tell me if|let me know if)\b",
)
YOU_SAID = _any(r"\byou (?:\w+ )?(?:said|say|told|claimed|thought|believed|argued|suggested)\b")
"""The user is the one who asks, so this is not hearsay."""
UNSAID_AFTER = _any(
    r"^\W*(?:from|in|of) (?:the|that|an?|this|some) (?:[^\W_]+ )?(?:anonymous|pasted|planted|injected|forwarded"
    r"|unverified|suspicious|unsigned|strange) ",
    r"^\W*is what (?:they|some|people|others|many|someone|everyone)\b",
    r"\b(?:if|unless|had) (?:only |just )?(?:you|i|we|it|he|she|they|that|this|someone|things)?(?: \w+)? ?(?:had|were"
    r"|did|would have)\b|\b(?:only if|provided that|on condition|as long as|so long as|in the event|in theory|in "
    r"principle)\b",
    r"^\W*(?:,? ?)(?:some|people|they|others|many|rumou?r|allegedly|supposedly)(?: \w+)? ?(?:say|claim"
    r"|think|believe|has it)?\W*$",
)

HEDGED = _any(
    r"(?<!\d )(?<!\bin )(?<!\bof )(?<!\bsince )\bmay\b(?! \d| (?:still |only )?(?:help|keep|share|tell|use|hold|pass "
    r"on|reveal)\b)|\b(?:might|could|possibl[ey]|perhaps|maybe|either|unsure|uncertain|guess\w*|unclear|unconfirmed"
    r"|tentative\w*|conceivabl[ey]|speculat\w*|potentially|ballpark|shot in the dark|candidates?|options?|among "
    r"others)\b",
    r"\bnot (?:\w+ )?(?:sure|certain|confident|positive)\b",
)
BOUND = _any(
    r"\b(?:at least|at most|over|under|above|below"
    r"|(?<!add )(?<!adds )(?<!sum )(?<!sums )(?<!come )(?<!comes )(?<!added )up to|nearly|almost|close to|near"
    r"|just about|not far from)"
    r"(?: (?:about|around))?\W*$"
)
"""A bound, not the value itself."""
SOFT = _any(
    r"\b(?:probably|likely|i (?:believe|think|suppose|reckon|gather|assume)|fairly|pretty sure|seems?"
    r"|appears?|should be|presumably|roughly|around|about|approximately|approx|almost certainly"
    r"|as far as i|to my knowledge|last i)\b"
)

ALTERNATIVE_BEFORE = _any(
    r"\b(?:either|or|and/or|between)(?: (?:the|an?|maybe|perhaps|possibly|it's|it is|is it|else|even|possibly))*\W*$",
    r"\beither\b|\bif not\W*$",
)
ALTERNATIVE_AFTER = _any(
    r"^\W*(?:unless|if not)\b",
    r"^\W*(?:\([^()]{0,40}\))?\W*(?:and/)?or\b(?! so\b| thereabouts\b| rather\b| more precisely\b| equivalently\b| "
    r"in other words\b| in short\b| to be precise\b| put differently\b| if you\b| at least that\b|,? as)",
    r"^ ?/ ?[^\W_]",
)
ALTERNATIVE_ANYWHERE = _any(
    r"^\W*if not\b[^.]{0,60}\bthen\b",
    rf",? if not (?:the |an? )?{MARK}",
    r"\b(?:cannot|can't|can not|could not|couldn't|not to) (?:\w+ )?be (?:excluded|ruled out|dismissed|discounted)\b",
    r"^\W*if (?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|not (?:it|right|true))\b",
    r"\b(?:alternatively|otherwise it|or else|if not that|failing that|also possible|could also be"
    r"|might also be|may also be|possibly also|second guess|other possibilit\w+|another possibility"
    r"|other candidates?|plausible (?:answers|values|candidates))\b",
    r"^\W*or\b",
)


TAKEN_BACK = _any(
    r"^\W*(?:cannot|can't|couldn't|could not) be\b",
    r"^\W*(?:would be|has been|is|was|are) (?:an? )?(?:\w+ )?(?:wrong|incorrect|ruled out"
    r"|out of the question|misconception)\b",
    r"\b(?:that|this|it|which|those|these|they|answer|value|statement|sentence|claim|information"
    r"|all of (?:it|this|that)|above|none of (?:it|this|that|these)|everything|i)\b[^.]{0,30}?"
    r"(?:" + _BE + r"(?:n't| not| never)(?: \w+)? (?:true|right|correct|accurate|so|it|the case|the (?:right |correct "
    r"|actual )?answer|valid|current|any ?more|any longer|what \w+ said|serious|really)"
    r"|\b(?:wrong|false|untrue|incorrect|mistaken|inaccurate|invalid|a lie|lies|lied|lying|a mistake"
    r"|an error|nonsense|fiction|made up|invented|a joke|retracted|rejected|the opposite|kidding|joking"
    r"|untruth|not true)\b)",
    r"\b(?:just kidding|scratch that|strike that|ignore that|disregard that|take (?:that|it) back"
    r"|on second thoughts?|my mistake|psych|or not|not really|wait,? no|actually,? no|not at all|i lied"
    r"|none of (?:these|them|those|that|the above)|i know better|know better|i (?:have |'ve |since )?forg[eo]t\w*"
    r"|(?:take|took) (?:that|it|this) with)\b",
    r"^\W*(?:but |yet |and |in reality |in fact |in truth |actually |really )+(?:it|that|this|he|she|they)"
    r"(?: really| actually)?(?: isn't| wasn't| is not| was not| ain't|'s not| aren't| weren't)\W*$",
    r"\bmaking (?:this|that|it) up\b|\bdon't quote me\b",
    r"^\W*(?:and |but )?(?:not|never) (?:quite|exactly|entirely|really|at all|correctly|rightly|truly)\W*$",
    r"^\W*(?:\w+ )?(?:wrongly|mistakenly|falsely|erroneously|incorrectly|in error|by mistake)\W*$",
    r"^\W*(?:is|was|are) (?:not|wrong|false|incorrect|untrue|a lie|mistaken)\b|^\W*(?:isn't|wasn't|aren't)\b",
    r"^\W*(?:no|nope|nah|not|wrong|false|incorrect|untrue|never|lies|joke|not true|not correct|not right|not so)\W*$",
)
OUTDATED = _any(
    r"\b(?:since|later|then|subsequently|afterwards|meanwhile)(?: been)? (?:changed|replaced|updated"
    r"|superseded|revised|moved|corrected)\b",
    r"\b(?:changed|replaced|updated|superseded|revised|corrected) (?:since|later|afterwards|subsequently)\b",
    r"\bno longer\b|n't\b[^.]{0,20}\b(?:any ?more|any longer)\b|\bnot\b[^.]{0,20}\b(?:any ?more|any longer)\b",
    r"\b(?:outdated|obsolete|out of date|superseded|stale|in the past|historical only|past tense|old news"
    r"|ancient history)\b",
)
OFFER = _any(
    r"\b(?:let me know|if you|if i|if that|if this|if it|please|tell me|happy to|glad to|feel free|correct me"
    r"|unless|in case|should you|do you|would you|shall i|can i)\b"
)
"""Politeness: such a sentence does not concern the value."""


VAGUE_OTHER = _any(
    r"\b(?:something|someone|somebody|somewhere|some other|another) (?:else|entirely|different|thing|one"
    r"|value|person|place|date|figure|number|completely)\b",
    r"\b(?:now|currently|today|these days|nowadays|since)\b[^.]{0,12}\b(?:another|different|other|changed"
    r"|replaced)\W*(?:$|\n|[.,;!])",
)
NOT_MEANT = _any(
    r"\b(?:following|below|next|previous|preceding|foregoing)\b(?: \w+){0,3}? (?:is|are|was"
    r"|were)(?: \w+){0,2}? (?:false|lies?|wrong|incorrect|untrue|not true|not correct|nonsense|fiction"
    r"|made up|invented|inverted|reversed|sarcas\w+)\b",
    r"\b(?:opposite|inverse|negation) of (?:the |what |my |this |that )?(?:following|truth|i say|answer"
    r"|statement|true)\b",
    r"\bopposite day\b|\bi(?:'m| am) (?:lying|joking|kidding)\b|\beverything i say\b",
)


LEADS_TO = _any(
    r"^\W*→\W*$",
    r"^\W*(?:and |but )?(?:it |this |that )?(?:was |were |has |have |had |is |been )*(?:then|later"
    r"|afterwards|subsequently|finally|eventually|now)\b[^.;]{0,40}$",
    r"^\W*(?:then |later |and |subsequently |was |were |has |since |been |got |it )*"
    r"(?:(?:changed|moved|raised|lowered|revised|updated|corrected|increased|reduced|cut|extended"
    r"|postponed|pushed|brought|went|rose|fell|grew|shrank|switched|turned)(?: \w+){0,3}? (?:to|into|by|at)"
    r"|(?:replaced|succeeded|superseded|followed)(?: \w+){0,3}? by|became|becoming)\b[^.;]{0,20}$",
    r"^\W*(?:until|before) (?:it |that |this |he |she |they |being )?(?:was |were |became |changed|moved"
    r"|got )[^.;]{0,30}$",
)
"""Between a value and the one that replaced it."""
FROM = re.compile(r"\bfrom(?: (?:the|an?|about|around|roughly))?\W*$")
TO = re.compile(
    r"^\W*(?:\([^()]{0,40}\))?\W*(?:up |down |on |over )?(?:to|until|through)(?: (?:the|an?|about|around"
    r"|roughly))?\W*$"
)
SEQUEL = re.compile(
    r"^\W*(?:the |a |its )?(?:next |later |last |following )?(?:correction|update|revision|change)\b"
    r"|^\W*(?:and |but )?(?:then|later|afterwards|subsequently|finally|eventually|since then|after that)\b"
    r"|^\W*(?:it|that|this|they|which|he|she)(?: (?:was|were|has|had|been|only|later|got|since)){0,3} (?:changed|moved"
    r"|raised|lowered|revised|updated|corrected|increased|reduced|extended|postponed|switched|became)\b"
)
REFUSES_PREMISE = re.compile(
    r"^\W*(?:(?:that|this|it|your|the)(?: (?!answer|following|statement)\w+)?(?:'s| is| was) (?:wrong|false|off"
    r"|incorrect|untrue|not (?:right|true|correct|so|what \w+ (?:said|told)))"
    r"|you (?:got|have|had) (?:that|this|it) wrong)"
    r"\s*[:;,—-]"
)
OWN_MEMORY = re.compile(
    r"\b(?:no longer|don't|do not|not) (?:keep|store|hold|list|show)\b|\b(?:told|asked|supposed"
    r"|instructed) to (?:drop|forget"
    r"|delete|remove|strike|leave out)\b|\b(?:forgotten|deleted|removed|dropped|left out"
    r"|withheld) (?:at your request|as you)"
)
"""What the agent does with its notes, which concerns no value named before."""
