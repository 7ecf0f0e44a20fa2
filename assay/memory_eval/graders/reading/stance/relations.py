"""Values named only in relation to a claim: a bound, a multiple, a relative, an example, the day after."""

from __future__ import annotations

import re

_KIN = (
    r"(?:successors?|predecessors?|brothers?|sisters?|siblings?|mothers?|fathers?|parents?|wife|husband|spouse|sons?"
    r"|daughters?|child|children|cousins?|uncles?|aunts?|nephews?|nieces?|friends?|colleagues?|neighbou?rs?|twins?|rivals?"
    r"|enem(?:y|ies)|namesakes?|relatives?|acquaintances?|clones?|cop(?:y|ies)|opposites?|inverse|negation|replacement"
    r"|substitute|alternative|equivalent|imitation|parody|fan|ex-\w+)"
)
_BESIDE = re.compile(
    rf"\b{_KIN} (?:of|to|for)(?: the| an?)?\W*$"
    r"|\b(?:someone|somebody|something|anyone|somewhere|one|people|person|things?|an?|kind|sort|much|exactly|quite|just"
    r"|more|rather) like(?: the| an?)?\W*$|^\W*like\W*$"
    r"|\b(?:who\w*|someone|somebody|anyone|whatever|the (?:one|person|man|woman|guy|thing|day|value|name|place))\b"
    r"[^.,;:]{0,30}\b(?:before|after|preced\w+|follow\w*|succeed\w*|replac\w+|near|beside|below|above|under"
    r"|behind|next to"
    r"|with|reports? to|knows?|met|taught|hired)(?: the)? ?$"
    r"|\b(?:such as|e\.?g\.?|e g|for example|for instance|similar to|akin to|resembl\w+|reminiscent of|comparable to"
    r"|related to|next door to|adjacent to|a type of|named after|confused with)(?: the| an?)?\W*$"
    r"|\b(?:half|twice|double|triple|thrice|quadruple|(?:[^\W_]+) times|a third|a quarter|a tenth|a fraction|a multiple"
    r"|two thirds|\d+ ?(?:%|percent)|one \w+th) (?:of |that of |as (?:much|many|high) as )?(?:the )?\W*$"
    r"|\b(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|earlier|later|older|newer|longer|shorter|better|worse"
    r"|other|rather) than(?: about| around)?\W*$"
    r"|\b(?:ahead of|in contrast to|as opposed to|unlike)(?: the)?\W*$"
    r"|\b(?:exceed\w*|surpass\w*|north of|south of|in excess of|upwards of|short of|shy of|underneath|beyond)\W*$"
    r"|\b(?:one|two|three|four|five|a few|several|\d+)(?: \w+)? (?:more|less|fewer|above|below|under|over|off|short of"
    r"|away from)(?: than)?\W*$"
)
_RANGE = re.compile(
    r"\b(?:any(?:thing|where|one|body|time)|some(?:thing|where|one|body|time)|rang\w+|vari(?:es|ed)|vary\w*|spann?\w*"
    r"|fluctuat\w*|oscillat\w*) (?:\w+ )?(?:from|between|in|of)\b(?:(?!\b(?:is|was|are|were)\b)[^.:=]){0,60}$"
    r"|\b(?:values?|numbers?) (?:\w+ )?(?:from|between)\b(?:(?!\b(?:is|was|are|were)\b)[^.:=]){0,60}$"
    r"|\brang\w+\W*$|\bbetween\b(?:(?!\b(?:is|was|are|were|be|equals?|amounts?|comes?|there)\b|[=:,]).){0,60}$"
)
_BESIDE_AFTER = re.compile(
    rf"^(?:'s|s'|')? (?:own |former |old |new |elder |younger )?{_KIN}\b"
    r"|^\W*(?:plus|minus|times|divided by|multiplied by|squared|cubed|or (?:more|less|fewer|so|higher|lower|above|below"
    r"|later|earlier)|and (?:up|above|over|below)|at (?:least|most)|give or take)\b"
    r"|^\W*(?:by|with|for) the (?:real|right|true|actual|correct)\b|^\W*out\b(?! of)|^\W*(?:is|was|are|were) (?:an? )?"
    r"(?:guess|theory|hypothesis|assumption|example|question|candidate|suggestion|possibility|option)\b"
    r"|^ ?[+*\u00d7\u00f7] ?\d|^\+(?!\w)"
    r"|^\W*(?:would|might|may|could|should|must|'d|will|ought to) (?:probably |surely |certainly )?(?:know"
    r"|remember|tell"
    r"|help|be able)\b"
)
_GONE_AFTER = re.compile(
    r"^\W*(?:has |have |had |is |was |were |are |been |being |already |recently |just |since |long |got )*(?:resigned"
    r"|retired|quit|stepped down|let go|moved on|gone|ousted|dethroned|departed|passed away|laid off|had (?:his|her"
    r"|its|their) (?:day|time))\b|^\W*(?:has|have|had|is|was|were|are|got) (?:\w+ ){0,2}?(?:replaced|superseded"
    r"|succeeded|removed|ousted|overtaken|overwritten|withdrawn|abandoned|left)\b|^\W*(?:held|applied|was valid|was "
    r"true|was so|lasted) (?:only )?(?:then|once|before|until|back)\b"
)
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|'ll|due to|set to|about to|plans? to)\b[^.]{0,40}\b(?:from next|next (?:year|month"
    r"|week|time)|soon|tomorrow|eventually|someday|some day|one day|in (?:the )?future|later on|at some point|in due "
    r"course)\b|\bfuture\b"
)
_PERCENT = re.compile(r"\b(\d{1,3}(?:\.\d+)?) ?(?:%|percent|per cent)|\b(one|1|two|2) (?:in|out of) (?:an? )?(?:\w+)")
_CHANCE = re.compile(r"\b(?:chances?|probab\w*|likel\w*|odds|sure|certain\w*|confiden\w*|bet|wager\w*|possib\w*)\b")
_SLIM = re.compile(
    r"\b(?:slim|small|little|remote|tiny|low|minimal|minuscule|negligible|slight|faint|outside|vanishing\w*|not much "
    r"of a|zero|next to no)(?: \w+)? (?:chance|probability|likelihood|odds|possibility|confidence|hope)\b|\bodds are "
    r"(?:against|slim|low|long)\b|\blong shot\b|\bconfidence ?(?:is|:)? ?(?:very )?low\b"
)
EVEN = 50.0
"""Below this chance in per cent, a value is unlikely."""
_ALMOST_SURE = 80.0


def stands_beside(before: str, after: str) -> bool:
    """Return whether the value between these words only helps to name something else."""
    return bool(_BESIDE.search(before) or _RANGE.search(before) or _BESIDE_AFTER.search(after))


def is_gone(after: str) -> bool:
    """Return whether the value before these words is said to hold no longer."""
    return _GONE_AFTER.search(after) is not None


def is_to_come(around: str) -> bool:
    """Return whether the value is said to hold only in the future."""
    return _FUTURE.search(around) is not None


def chance_of(around: str) -> float | None:
    """Return the stated probability in per cent; None if none is stated, or it is close to certain."""
    if _SLIM.search(around):
        return 0.0
    if not _CHANCE.search(around):
        return None
    told = _PERCENT.search(around)
    if not told:
        return None
    sure = float(told[1]) if told[1] else 10.0
    return sure if sure < _ALMOST_SURE else None
