"""Grammar of exams, and the productions of one exam: of each slot about 60 %, drawn by its key.

The grammar has three parts: `attributes` words each attribute, `told` has the frames of statements, `asked` those of
questions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from assay.seeded_random import Draws

SHARE = 60
"""Per cent of the productions of a slot that one exam uses."""
_FIELD = re.compile(r"\{(\w+)\}")
_PARTS = ("attributes", "told", "asked")


@cache
def _grammar() -> Mapping[str, Any]:
    folder = files("assay.memory_eval.world").joinpath("grammar")
    return {name: json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")) for name in _PARTS}


def grammar(*path: str) -> Any:
    """Return what the grammar has at a path, None if there is nothing."""
    found: Any = _grammar()
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


class Productions:
    """The part of the grammar that an exam uses, chosen by `draws`."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._chosen: dict[tuple[str, ...], Sequence[Any]] = {}

    def of(self, *path: str) -> Sequence[Any]:
        """Return the chosen productions of a slot; () if the grammar has none."""
        chosen = self._chosen.get(path)
        if chosen is None:
            all_of_it = grammar(*path) or ()
            if isinstance(all_of_it, str):
                all_of_it = (all_of_it,)
            num = -(-len(all_of_it) * SHARE // 100)
            chosen = self._draws.apart("/".join(path)).some(all_of_it, num)
            self._chosen[path] = chosen
        return chosen


@lru_cache(maxsize=20_000)
def _split(frame: str) -> tuple[str, ...]:
    return tuple(_FIELD.split(frame))


def fill(frame: str, parts: Mapping[str, str]) -> str:
    """Return a frame with its places filled; other braces are text."""
    pieces = _split(frame)
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
