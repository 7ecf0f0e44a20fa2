"""Wording of a rule: the sentence of a reviewer as an imperative, without the politeness around it.

"Hmm, could we please use `let else` here?" -> "Use `let else`"
"""

from __future__ import annotations

import re

from assay.github_app.rule_matching.polarity import base_verbs, verbs
from assay.github_app.rule_matching.words import stem

MOST_CHARACTERS = 240

_OPENINGS = re.compile(
    r"""(?ix) ^(?:\W*\b(?:
      hmm+ | hm | also | and | but | so | ok(?:ay)? | oh | ah | yeah | actually | maybe | perhaps | probably | btw
      | fwiw
      | imo | imho | nit(?:pick)? | minor | super | tiny | optional(?:ly)? | similarly | likewise | in\ general
      | generally | personally | as\ a | or | then | again | just
      | i\ (?:think|guess|feel\ like|suspect|wonder\ if|suggest|recommend|propose)
      | i(?:'d|\ would) (?:\ (?:probably|also|just|maybe|personally|rather|still|slightly))*
        (?:\ (?:suggest|recommend|prefer|like|love|consider|expect|vote|go\ ahead\ and))? (?:\ (?:to|that|if|for))?
      | (?:can|could|would|should|shall|may) \ (?:we|you) (?:\ (?:please|also|just|maybe|instead|at\ least|perhaps))*
      | (?:we|you) \ (?:should|could|can|may|might|must|need\ to|have\ to|ought\ to|probably\ want\ to|want\ to)
        (?:\ (?:probably|also|just|maybe|instead|always|want\ to|at\ least))*
      | let'?s | please | pls | plz | kindly | how\ about | what\ about | why\ not | why\ don'?t\ we | do\ we\ want\ to
      | (?:any|is\ there\ a|is\ there\ any) \ reason \ (?:not\ to | (?:that\ )?we\ (?:don'?t|can'?t))
      | (?:do|would) \ you \ mind | would\ it \ (?:make\ sense|be\ (?:possible|better|nicer?|good|worth))
        \ (?:to|if\ we)
      | (?:it|that) (?:'d|\ would|\ might|\ may|\ could) \ (?:also\ )?be \ (?:nicer?|good|great|better|best|helpful
        |useful|clearer|cleaner|worth(?:while)?) \ (?:to|if\ (?:we|you)(?:\ (?:could|can))?)
      | (?:it|this) \ (?:is|seems) \ better \ to | it'?s \ (?:nicer|better) \ to | remember\ to | make\ sure\ to
      | (?:we|i) \ (?:usually|generally|typically|normally|always|prefer\ to|tend\ to)
    )\b [\s,:.!-]*)+"""
)
_ENDINGS = re.compile(
    r"""(?ix) (?:[\s,(]+(?: here | too | as\ well | please | pls | instead | then | also | for\ (?:now|this) | perhaps
      | maybe | though | (?:in|for)\ this\ (?:case|one|pr|file|function|method|test) | if\ possible | imo | no
      | right | or\ so | like\ (?:this|so) | e\.?g\.? | i\.?e\.? | see | cf\.? | as\ per | per )[\s.,:;!?)]*)+$"""
)
_POINTING = re.compile(
    r"(?i)\b(?:this|that|these|those|here|it|its|above|below|previous|same|they|them|he|she|i|i'm|my|your|you|"
    r"one|line|lines|ditto|there|such|other|another|also|too|pr|did|was|were|both|then|now)\b"
)
_UNFINISHED = re.compile(
    r"(?i)[`\"…]|\.\.|\b(?:like|while|e\.g|such as|and|or|but|of|for|the|a|to|in|with|as|more)$"
    r"|'(?:re|s|ll|ve|d)$|\b(?:few|couple)\b"
)
_TENTATIVE = frozenset(("try", "consider", "note", "say", "see", "let", "keep", "go", "make", "wait"))
_FORBIDDING = re.compile(r"(?i)^(?:do not|don'?t|never|avoid|no|prefer)\b")
_GERUND = re.compile(r"(?i)^([a-z]{2,12})ing\b")
_HAS_NAME = re.compile(r"`[^`]+`")


def imperative(said: str) -> str:
    """Return a sentence without the request around it, in one line of at most `MOST_CHARACTERS`."""
    line = " ".join(said.split())
    kept = _ENDINGS.sub("", _OPENINGS.sub("", line)).strip(" .!,;:?")
    if not kept:
        return line[:MOST_CHARACTERS]
    kept = _from_gerund(kept)
    kept = kept if kept.startswith("`") else kept[0].upper() + kept[1:]
    return kept if len(kept) <= MOST_CHARACTERS else kept[: MOST_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"


def is_imperative(text: str) -> bool:
    """Return whether a text begins with a verb that reviewers use for requests, or forbids something."""
    first = text.split(" ", 1)[0].lower()
    return bool(_FORBIDDING.match(text)) or (first in base_verbs() and first not in _TENTATIVE)


def stands_alone(text: str) -> bool:
    """Return whether a text points at nothing outside it: "use `x`" does, "move this below the line" does not."""
    plain = _HAS_NAME.sub("x", text)
    return not _POINTING.search(plain) and not _UNFINISHED.search(plain)


def style(text: str) -> float:
    """Return how far a wording reads like a line of a style guide; higher is better.

    Imperative, self-contained, short, and about a named thing.
    """
    num_words = len(text.split())
    points = 2.0 * is_imperative(text) - 1.0 * len(_POINTING.findall(_HAS_NAME.sub("x", text)))
    points += 0.5 * bool(_HAS_NAME.search(text))
    points -= 0.1 * max(0, num_words - 16) + 0.7 * max(0, 4 - num_words)
    return points - 1.5 * ("?" in text or text.endswith("…"))


def _from_gerund(text: str) -> str:
    """Return "use x" for "using x", which follows "how about" or "do you mind"."""
    found = _GERUND.match(text)
    if not found:
        return text
    root = found[1].lower()
    for verb in (root, root + "e", root[:-1] if root[-1:] == root[-2:-1] else ""):
        if verb and stem(verb) in verbs():
            return verb + text[found.end() :]
    return text
