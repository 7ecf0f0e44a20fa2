"""Split a comment into the words that are compared: stems, split identifiers, clause marks.

"Please don't use `anyValue` here, log it." -> ("not", "use", "ani`", "valu`", "|", "log", "it", "|")
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Any

BREAK = "|"
"""Separator between two clauses."""

CODE = "`"
"""Suffix of a stem from a code span."""

MOST_WORDS = 600

_PIECE = re.compile(
    r"(?P<code>`{1,2}[^`\n]{1,300}`{1,2})"
    r"|(?P<word>[^\W_][\w]*(?:'[a-z]{1,3})?(?:[.](?=[^\W\d]))?)"
    r"|(?P<symbol>===|!==|==|!=|=>|->|→|\?\.|\?\?|&&|\|\||%[svwd]\b|&str|::|\.\.\.|…)"
    r"|(?P<stop>[.;:!?,()\n\u2013\u2014]|\s-\s)",
)
_DO_NOT = re.compile(
    r"(?i)\b(?:do|should|must|need|let'?s|to|please|pls)\s+not\b"
    r"|\b(?:(?<!\bi )(?<!you )(?<!this )(?<!it )(?<!they )don't|shouldn't|mustn't|needn't|dont|shouldnt)\b"
)
_DOUBTED = re.compile(
    r"(?i)\b(?:do|did) (?:we|you|i) (?:really |actually |even |still |ever )?(?:need|want|have to)\b"
    r"|\bis (?:this|it|that) (?:really |even )?(?:needed|necessary)\b"
    r"|\b(?:i|we) (?:do not|don't|dont) think (?:that )?(?:we|you|this|it) (?:should|needs?|has to|have to|want)\b"
)
_SUGGESTED = re.compile(
    r"(?i)\b(?:should|could|would|can|is|do|does|are)n't\s+(we|this|it|you|that|these|there|the)\b|\bwhy not\b"
)
_IN_CODE = re.compile(r"[^\W_]+|===|!==|==|!=|=>|->|\?\.|\?\?|&&|\|\||%[svwd]|[!*&?@#<>+]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the stems of a cleaned text in order, with filler words and clause breaks; at most `MOST_WORDS`."""
    found: list[str] = []
    plain = _DOUBTED.sub("avoid", _SUGGESTED.sub(r"should \1", unicodedata.normalize("NFKC", text)))
    for piece in _PIECE.finditer(_DO_NOT.sub("dont", plain)):
        if len(found) >= MOST_WORDS:
            break
        if piece["code"]:
            found += [stem(part) + CODE for part in _code_parts(piece["code"])]
        elif piece["word"]:
            found += _plain(piece["word"].rstrip("."))
        elif piece["symbol"]:
            found.append(_table()["symbols"].get(piece["symbol"], piece["symbol"]))
        elif found and found[-1] != BREAK:
            found.append(BREAK)
    return tuple(found)


def is_filler(token: str) -> bool:
    """Return whether a word has no meaning alone: articles, pronouns, politeness."""
    return token in _table()["filling"]


def is_symbol(token: str) -> bool:
    """Return whether a word stands for a sign of code, as `arrow` for `=>`."""
    return token in _table()["signs"]


def stem(word: str) -> str:
    """Return the stem of a word, for patterns and comments alike."""
    return _stemmed(word.lower())


def without_code(word: str) -> str:
    """Return the stem without the code mark."""
    return word.removesuffix(CODE)


def _plain(word: str) -> list[str]:
    lower = word.lower()
    if lower.endswith("n't"):
        return ["not"]
    lower = _table()["contracted"].get(lower, lower)
    if is_filler(lower):
        return [lower]
    lower = lower.removesuffix("'s").removesuffix("'d").removesuffix("'ll").removesuffix("'re").removesuffix("'ve")
    parts = [part for piece in word.split("_") if piece for part in _split(piece)]
    if len(parts) > 1:
        return [stem(part) + CODE for part in parts]
    return [stem(lower.replace("'", ""))]


def _split(word: str) -> list[str]:
    """Split an identifier into words; a proper name stays whole."""
    return [word] if word.lower() in _table()["names"] else _CAMEL.split(word)


def _code_parts(span: str) -> list[str]:
    parts: list[str] = []
    for piece in _IN_CODE.findall(span.strip("`")):
        symbol = _table()["symbols"].get(piece)
        parts += [symbol] if symbol else [part for one in piece.split("_") if one for part in _split(one)]
    return parts[:40]


@lru_cache(maxsize=50_000)
def _stemmed(word: str) -> str:
    if len(word) > 40:
        return word[:40]
    known = _table()["forms"].get(word, word)
    return known if known in _table()["unstemmed"] else str(_stemmer().stemWord(known))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """Load the word lists of words.yaml."""
    import yaml

    raw = yaml.safe_load(files("assay.github_app.rule_matching").joinpath("words.yaml").read_text("utf-8"))
    forms = {form: word for word, others in raw["forms"].items() for form in others}
    sets = {name: frozenset(raw[name]) for name in ("filling", "unstemmed", "names")}
    return {**raw, **sets, "forms": forms, "signs": frozenset(raw["symbols"].values())}
