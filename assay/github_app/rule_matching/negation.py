"""What a text advises against, by its negations: "use x, not y" is against y."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer

MOST_CHARACTERS = 1_500
_TOKEN = re.compile(r"[^\W_][\w'+#@./:=-]*|[.,;!?\n]")
_AGAINST = frozenset(
    "not no never avoid without dont don't can't cannot mustn't shouldn't won't stop remove drop forbid ban delete "
    "unnecessary redundant needless skip disable".split()
)
_AGAINST_TWO = frozenset((("instead", "of"), ("rather", "than"), ("no", "longer"), ("get", "rid")))
_BREAK = frozenset("but because since so however although which otherwise when if then prefer".split())
_NEW_VERB = frozenset("use using prefer add keep want please".split())
_FILLER = (
    frozenset(
        "a an the this that these those it is are be we you i to of in on for with as at by from and or all use "
        "using used please should must would could can may want need do does have has just here there always every "
        "rule code line prefer instead rather than of too also make let add keep thing want".split()
    )
    | _AGAINST
)
_ASKS = re.compile(r"(?i)\b(?:use|prefer|add|allow|keep|want|should|must|always|please|need)\b")
_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=4096)
def sides_of(text: str) -> dict[str, bool]:
    """Return the content words of a text, as stems, each with whether the text is against it."""
    tokens = [token.lower().rstrip(".:/-") or token for token in _TOKEN.findall(text[:MOST_CHARACTERS])]
    found: dict[str, bool] = {}
    against, since = False, 0
    for place, word in enumerate(tokens):
        pair = (word, tokens[place + 1] if place + 1 < len(tokens) else "")
        if word in _AGAINST or pair in _AGAINST_TWO:
            against, since = True, 0
        elif word in _BREAK or word in ".,;!?\n" or (word in _NEW_VERB and since > 0):
            against = False
        elif word not in _FILLER and len(word) > 1:
            found.setdefault(_stemmer.stemWord(word), against)
            since += 1
    return found


def are_opposite(one: str, other: str) -> bool:
    """Return whether two texts share words and each asks for what the other is against, in most of these words."""
    a, b = sides_of(one), sides_of(other)
    shared = a.keys() & b.keys()
    turned = [word for word in shared if a[word] != b[word]]
    # "any makes this unreadable" is not for `any`: of a single word, the other text has to ask for it.
    asking = other if turned and a[turned[0]] else one
    is_sure = len(turned) > 1 or _ASKS.search(asking) is not None
    return bool(turned) and is_sure and len(turned) > len(shared) / 2


def polarity_of(text: str) -> str:
    """Return `dont` for a rule against something, `prefer` for one that also names what it asks for, else `do`."""
    against = set(sides_of(text).values())
    return "do" if True not in against else "prefer" if False in against else "dont"
