"""Attribution: statements of the user and of the agent's notes are claims, statements of other people are not."""

from __future__ import annotations

import re

_MEMORY = (
    r"notes?|records?|memor\w+|files?|logs?|databases?|knowledge|history|transcripts?|entr(?:y|ies)|data|archives?"
    r"|understanding|recollection|summary|index|store|context|conversations?|chats?|dialogues?|messages?|turns?|journal"
    r"|register|ledger|list|search|lookup|look-up|retrieval|review|reading|answer|best|final|first|last|search|source"
    r"|sources|check|cache|snapshot|result|results|match|hit|document\w*|passage|snippet|statement|sentence|line|fact"
    r"|update|correction|note|profile|card|table|row|count|calculation|total|sum|tally|response|reply|conclusion|hunch"
)
_SAYS = (
    r"(?:say|said|claim|think|thought|believe|insist|swear|swore|maintain|argue|assert|allege|suggest|assume|suppose"
    r"|guess|reckon|report|print|wr[io]te|written|announce|declare|contend|speculate|fear|hope|bet|imagine|pretend"
    r"|told|tell|hear|heard|mention|state|hold|vouch|testif|remember|recall|repeat|propose|keep)(?:s|es|ed|ies|ied"
    r"|ing)?"
)
_SOMEBODY = re.compile(
    rf"\b(?:an?|my|his|her|their|our|some|another|one|various|several|certain|these|those)"
    rf" (?!(?:[^\W_]+ ){{0,2}}?(?:{_MEMORY})\b)(?:[^\W_]+ ){{1,3}}?(?:of (?:mine|ours|yours|theirs|his|hers) )?"
    rf"(?:[^\W_]+ly |still |would |might |once |even )?{_SAYS}\b"
    r"|\b(?:he|she|they|others?|somebody|someone|anybody|anyone|everybody|everyone|people|folks|critics"
    rf"|experts|journalists|colleagues|friends|neighbou?rs|strangers|the (?:internet|web|press|media|newspapers?"
    rf"|tabloids?"
    rf"|crowd|public|street|gossip))(?: [^\W_]+){{0,2}}? {_SAYS}\b"
    rf"|\b(?:many|most|some|few)(?: (?:people|others|folks|of \w+|\w+s))? {_SAYS}\b"
    r"|\b(?:others?|somebody|someone|some|people|the internet|the web|wikipedia|the papers?) (?:have|has"
    r"|had(?! to\b)|got"
    r"|put|list"
    r"|give|gives|gave|read)\b"
    rf"|\b(?:reddit|twitter|facebook|wikipedia|google|quora|youtube|tiktok|instagram|linkedin|chatgpt|hearsay"
    rf"|legend|scripture) {_SAYS}\b"
    r"|\b(?:has|have|had|is|was|were|being) (?:been )?(?:alleged|rumou?red|whispered|suggested|speculated|said "
    r"by|claimed by"
    r"|asserted|conjectured)\b"
    r"|\bin (?:an? |my |the |some |another )?(?:\w+ )?(?:dreams?|novels?|fairy ?tales?|movies?|films?|stor(?:y"
    r"|ies)|universes?|worlds?"
    r"|fictions?|fantas\w+|joke|jest|theory|play)\b"
    r"|\b(?!it's|that's|here's|what's|there's|let's|user's|today's|who's|he's|she's)(?:[^\W_]+'s|[^\W_]+s'|their"
    r"|his|her) (?:\w+ )?"
    r"(?:answer|guess|view|opinion|claim|theory|version|belief|account|suggestion|bet)\b"
    r"|\bthe (?:other|opposing|rival|opposite|next) [^\W_]+ (?:[^\W_]+ )?(?:answer\w*|repl\w+|respond\w*"
    r"|sa(?:ys?|id)|argue\w*"
    r"|claim\w*|thinks?|thought|believe\w*|has|have|had|got)\b"
    r"|\b(?:word|legend|rumou?r|gossip|tradition|story) (?:has|had) it\b|\bi (?:once |only |merely |vaguely "
    r")?(?:overheard"
    r"|heard (?:some|people|it said|a rumou?r))\b"
    r"|\baccording to (?:some|others?|somebody|someone|a|an|rumou?rs?|gossip|legend|hearsay|my (?!notes?|records?"
    r"|memor|log|file|understanding|database|data|knowledge|conv|chat))\b"
    r"|\bin (?:some|other|certain) (?:people|person|circles|versions)\b"
)
_OUR_NOTES = re.compile(
    r"\b(?:notes|records|logs|files|entries|messages|memories|conversations)\b([^\n]{0,80}?)\bthey(?= )", re.DOTALL
)
_ASSERTS = frozenset(
    "have had 've got get keep kept hold know knew remember remembered recall recalled recollect believe think say "
    "said answer go going give find found see saw seen note noted record recorded write wrote written list listed "
    "count counted read hear heard gather understand conclude concluded confirm assert state stated declare submit "
    "offer choose settle am 'm sure certain confident positive tell told report reckon suppose trust assure promise "
    "bet identify identified retrieve retrieved learned learnt learn derive compute computed calculate calculated "
    "arrive arrived come came end ended stand stick insist maintain show mean provide repeat quote cite return "
    "returned locate located log logged store stored save saved put mark marked guess figure make reach reached is "
    "was it's are were be that's use take infer deduce deduced add added assume assumed need want like would name "
    "call select present respond reply present's pull up be conclude's memorized memorised filed jotted looked sum "
    "correct subtract verified checked saw expect".split()
)
_FIRST_PERSON = re.compile(r"(?:^|[^\w'])i((?:'ve|'d|'ll|'m)?(?: [^\W_]+(?:'[a-z]+)?){1,5}) $")
_ALMOST = re.compile(
    r"\b(?:i|we|you)(?:'d|'ve|'m| was| were| am| would| could| might| have| had)*(?: \w+ly)? (?:almost|nearly|tempted"
    r"|about to|going to|meant to|wanted to|invented|made up|making up|dreamt|dreamed|imagined?|fabricated|pulled"
    r"|picked|concocted|only)\b"
)


def half_said(before: str) -> bool:
    """Return whether "I" is followed by a verb that is not a statement: "I invented …", "I almost said …"."""
    first = _FIRST_PERSON.search(before)
    if _ALMOST.search(before) and " know" not in before and " have" not in before and "told" not in before:
        return True
    return first is not None and not _ASSERTS.intersection(re.findall(r"'?[a-z]+", first[1]))


def said_by_another(before: str) -> bool:
    """Return whether what follows is attributed to another person: "a colleague insists on …"."""
    return _SOMEBODY.search(before) is not None


def with_notes_named(text: str) -> str:
    """Replace "they" by the notes just mentioned: "I looked at my notes. They say …"."""
    return _OUR_NOTES.sub(lambda found: f"notes{found[1]}notes", text)
