"""A draft of a private pack: productions that the public pack does not have, as far as a program can draw them.

Words become synonyms, frames are combined of parts, and names are made of syllables. Anyone with Assay can draw
drafts too, so a draft hides little until its author rewords it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from assay.memory_eval.world.packs import public_pack
from assay.seeded_random import Draws

MOST_COMBINED = 10
_PLACE = re.compile(r"(\{\w+\})")
_FIXED = frozenset("key id its be as head tail between line top row".split())
"""Keys whose texts are signs rather than words."""
_FEWER = 2, 3
"""Share of the sounds that one coined list uses: names of a list sound alike."""


@cache
def _rules() -> Mapping[str, Any]:
    rules: dict[str, Any] = json.loads(files(__package__).joinpath("draft.json").read_text("utf-8"))
    return rules


def draft_pack(name: str, key: bytes) -> dict[str, Any]:
    """Return the JSON of a draft; `key` is secret random bytes."""
    draws = Draws("draft of a pack", key)
    public = public_pack().parts
    parts = {part: _reworded(public[part], draws) for part in ("attributes", "told", "asked")}
    for path, pieces in _rules()["combined"].items():
        *way, last = path.split("/")
        slot: Any = parts
        for step in way:
            slot = slot[step]
        texts = ["".join(combination) for combination in product(*pieces)]
        slot[last] = draws.some(texts, min(len(texts), MOST_COMBINED))
    coined = {of: _sounds(rule, draws) for of, rule in _rules()["coined"].items()}
    return {"name": name, **parts, "words": {}, "coined": coined}


def _reworded(part: Any, draws: Draws, key: str = "") -> Any:
    if isinstance(part, Mapping):
        return {name: _reworded(value, draws, name) for name, value in part.items()}
    if isinstance(part, list):
        reworded = [one if isinstance(one, Mapping) else _reworded(one, draws, key) for one in part]
        # Two productions may become one; a slot keeps the new ones, if there are any.
        new = [one for one in reworded if one not in part]
        return list(dict.fromkeys(new)) if new and isinstance(new[0], str) else reworded
    return part if key in _FIXED or not isinstance(part, str) else _with_synonyms(part, draws)


def _with_synonyms(text: str, draws: Draws) -> str:
    pieces = _PLACE.split(text)
    return "".join(
        piece if piece.startswith("{") else _pattern().sub(lambda found: _synonym(found, draws), piece)
        for piece in pieces
    )


@cache
def _pattern() -> re.Pattern[str]:
    known = sorted(_rules()["synonyms"], key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})\b")


def _synonym(found: re.Match[str], draws: Draws) -> str:
    word: str = draws.one(_rules()["synonyms"][found[0]])
    return word


def _sounds(rule: list[Any], draws: Draws) -> dict[str, Any]:
    """Return the rule of a coined list, with a part of all sounds."""
    num, least, most, capital, ends = rule
    kept = {}
    for kind, sounds in _rules()["sounds"].items():
        every = sounds.split(" ")
        kept[kind] = " ".join(draws.some(every, -(-len(every) * _FEWER[0] // _FEWER[1])))
    return {"num": num, "least": least, "most": most, "capital": capital, "ends": ends, **kept}


def num_shared(parts: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many productions of a pack are public, and how many there are."""
    own, public = _texts(parts), _texts(public_pack().parts)
    return len(own & public), len(own)


def _texts(part: Any, key: str = "") -> set[str]:
    if isinstance(part, Mapping):
        if key in ("words", "coined"):
            return set()
        return {text for name, value in part.items() for text in _texts(value, name)}
    if isinstance(part, list):
        return {text for one in part for text in _texts(one, key)}
    return {part} if isinstance(part, str) and key not in _FIXED else set()
