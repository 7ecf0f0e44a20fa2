"""The Porter stemmer (Porter 1980) with the departures of NLTK's `PorterStemmer`, which LoCoMo's F1 uses.

Another stemmer, such as Snowball's "porter", stems "dies", "enjoy" and "news" differently, and so gives other scores.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_VOWELS = frozenset("aeiou")
_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = tuple(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5a, _step_5b):
        word = step(word)
    return word


def _consonants(word: str) -> list[bool]:
    """Return for each letter whether it is a consonant: a "y" is one unless it follows one."""
    found: list[bool] = []
    for letter in word:
        found.append(not found or not found[-1] if letter == "y" else letter not in _VOWELS)
    return found


def _measure(word: str) -> int:
    """Return the number of vowel-consonant sequences."""
    kinds = _consonants(word)
    return sum(not before and after for before, after in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _is_double(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _consonants(word)[-1]


def _is_short(word: str) -> bool:
    """Return whether it ends with consonant, vowel, consonant, the last not w, x or y; or is vowel, consonant."""
    kinds = _consonants(word)
    if len(word) == 2:
        return kinds == [False, True]
    return len(word) > 2 and kinds[-3:] == [True, False, True] and word[-1] not in "wxy"


def _step_1a(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    for suffix, instead in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(suffix):
            return word[: -len(suffix)] + instead
    return word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(word: str) -> str:
    """Restore the end of a word that lost "ed" or "ing"."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _is_double(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and _consonants(word)[-2] else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    for suffix, instead in _STEP_2:
        if word.endswith(suffix):
            return word[: -len(suffix)] + instead if _measure(word[: -len(suffix)]) > 0 else word
    # The "l" counts as part of the stem, unlike in the rules above.
    return word[:-1] if word.endswith("logi") and _measure(word[:-3]) > 0 else word


def _step_3(word: str) -> str:
    for suffix, instead in _STEP_3:
        if word.endswith(suffix):
            return word[: -len(suffix)] + instead if _measure(word[: -len(suffix)]) > 0 else word
    return word


def _step_4(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            is_cut = _measure(rest) > 1 and (suffix != "ion" or rest[-1] in "st")
            return rest if is_cut else word
    return word


def _step_5a(word: str) -> str:
    if not word.endswith("e"):
        return word
    rest = word[:-1]
    measure = _measure(rest)
    return rest if measure > 1 or (measure == 1 and not _is_short(rest)) else word


def _step_5b(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
