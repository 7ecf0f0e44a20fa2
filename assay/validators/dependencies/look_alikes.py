"""Names that a reader takes for those of much-used packages, by a list that `tests/bench/popular_names.py` writes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

SHORTEST = 5
"""Letters of the shortest name that others may be taken for: of shorter ones too many are one letter apart."""
_AFFIX = re.compile(r"(?:js|py|node|python|rust|ruby|lib|api|sdk|core|utils?|official|dev|pro|plus)")
_SEPARATORS = re.compile(r"[-_.]")
_DIGITS = re.compile(r"\d+")


class LookAlike(NamedTuple):
    """Much-used name, and how another differs from it. `is_close`: by a letter or by separators, not by an affix."""

    name: str
    how: str
    is_close: bool


class _Popular(NamedTuple):
    names: frozenset[str]
    by_deletion: dict[str, list[str]]
    by_letters: dict[str, list[str]]


def look_alike(ecosystem: str, name: str) -> LookAlike | None:
    """Return the much-used package of an ecosystem that a name may be taken for; None if it is one itself."""
    known = _popular().get(ecosystem)
    if known is None or name in known.names:
        return None
    return next(_close(name, known), None) or next(_affixed(name, known), None)


def _close(name: str, known: _Popular) -> Iterator[LookAlike]:
    letters = _SEPARATORS.sub("", name)
    for other in known.by_letters.get(letters, ()):
        yield LookAlike(other, "by its separators", True)
    found = dict.fromkeys(other for form in _deletions(name) for other in known.by_deletion.get(form, ()))
    for other in found:
        is_version = _DIGITS.sub("", name) == _DIGITS.sub("", other)
        if not is_version and (how := _difference(name, other)):
            yield LookAlike(other, how, True)


def _difference(name: str, other: str) -> str:
    """Return how two names differ if it is by one letter, or by two that changed places; else ""."""
    if len(name) == len(other):
        at = [number for number, (one, two) in enumerate(zip(name, other, strict=True)) if one != two]
        is_swap = len(at) == 2 and at[1] == at[0] + 1 and name[at[0]] == other[at[1]] and name[at[1]] == other[at[0]]
        return "by one letter" if len(at) == 1 else "by two swapped letters" if is_swap else ""
    return "by one letter" if abs(len(name) - len(other)) == 1 else ""


def _affixed(name: str, known: _Popular) -> Iterator[LookAlike]:
    for cut in (name.partition("-")[::2], name.rpartition("-")[::2], (name.removesuffix(".js"), "js")):
        for affix, rest in (cut, cut[::-1]):
            if _AFFIX.fullmatch(affix) and rest in known.names and len(rest) >= SHORTEST:
                yield LookAlike(rest, f"by `{affix}`", False)


def _deletions(name: str) -> Iterator[str]:
    """Yield a name, and the name without each of its letters: names one letter apart share one of these."""
    yield name
    yield from {name[:at] + name[at + 1 :] for at in range(len(name))}


@cache
def _popular() -> dict[str, _Popular]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    text = (resources.files("assay.validators.dependencies") / "popular.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            ecosystem, _, name = line.partition(" ")
            names[ecosystem].append(name)
    return {ecosystem: _indexed(each) for ecosystem, each in names.items()}


def _indexed(names: list[str]) -> _Popular:
    by_deletion: defaultdict[str, list[str]] = defaultdict(list)
    by_letters: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if len(name) >= SHORTEST:
            by_letters[_SEPARATORS.sub("", name)].append(name)
            for form in _deletions(name):
                by_deletion[form].append(name)
    return _Popular(frozenset(names), by_deletion, by_letters)
