"""Who says it: what you told, and what my notes say, is the answer; what somebody else says is only theirs."""

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
    rf"|experts|journalists|colleagues|friends|neighbou?rs|strangers|the (?:internet|web|press|media|newspapers?|tabloids?"
    rf"|crowd|public|street|gossip))(?: [^\W_]+){{0,2}}? {_SAYS}\b"
    rf"|\b(?:many|most|some|few)(?: (?:people|others|folks|of \w+|\w+s))? {_SAYS}\b"
    r"|\b(?:others?|somebody|someone|some|people|the internet|the web|wikipedia|the papers?) (?:have|has|had|got|put|list"
    r"|give|gives|gave|read)\b"
    rf"|\b(?:reddit|twitter|facebook|wikipedia|google|quora|youtube|tiktok|instagram|linkedin|chatgpt|hearsay|legend|scripture) {_SAYS}\b"
    r"|\b(?:has|have|had|is|was|were|being) (?:been )?(?:alleged|rumou?red|whispered|suggested|speculated|said by|claimed by"
    r"|asserted|conjectured)\b"
    r"|\bin (?:an? |my |the |some |another )?(?:\w+ )?(?:dreams?|novels?|fairy ?tales?|movies?|films?|stor(?:y|ies)|universes?|worlds?"
    r"|fictions?|fantas\w+|joke|jest|theory|play)\b"
    r"|\b(?:word|legend|rumou?r|gossip|tradition|story) (?:has|had) it\b|\bi (?:once |only |merely |vaguely )?(?:overheard"
    r"|heard (?:some|people|it said|a rumou?r))\b"
    r"|\baccording to (?:some|others?|somebody|someone|a|an|rumou?rs?|gossip|legend|hearsay|my (?!notes?|records?"
    r"|memor|log|file|understanding|database|data|knowledge|conv|chat))\b"
    r"|\bin (?:some|other|certain) (?:people|person|circles|versions)\b"
)
_OUR_NOTES = re.compile(
    r"\b(?:notes|records|logs|files|entries|messages|memories|conversations)\b([^\n]{0,80}?)\bthey(?= )", re.DOTALL
)


def said_by_another(before: str) -> bool:
    """Whether what follows is told as somebody else's word: "a colleague insists on …"."""
    return _SOMEBODY.search(before) is not None


def with_notes_named(text: str) -> str:
    """With "they" read as the notes spoken of just before: "I looked at my notes. They say …"."""
    return _OUR_NOTES.sub(lambda found: f"notes{found[1]}notes", text)
