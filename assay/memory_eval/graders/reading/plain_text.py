"""Normalized text of an answer: bounded, without markup, its words with their places."""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.memory_eval.truth import NOT_GIVEN

MAX_CHARS = 20_000
"""Longest part of an answer that is read; every length budget ends before."""
CHARS_PER_WORD = 12
"""Least characters per counted word, so that leaving out blanks does not shorten an answer."""

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),  # noqa: RUF001
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑−﹣", "-"),  # noqa: RUF001 - hyphens and a minus that look alike
        **dict.fromkeys("–‒—―", " - "),  # noqa: RUF001
        **dict.fromkeys("→⇒➜➔", " -> "),
        **dict.fromkeys("❌✗✘🚫", " not "),
        **dict.fromkeys("\u2028\u2029\x85\x0b\x0c\r", "\n"),
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe",  # noqa: RUF001
    }
)  # fmt: skip
_STRUCK = re.compile(r"~~([^~\n]{1,300})~~")
_MARKUP = re.compile(
    r"<!--[^<>]{0,2000}-->|</?[a-z][\w-]{0,20}(?:\s[^<>\n]{0,200})?/?>|^[ \t]*(?:```|~~~)[\w-]*[ \t]*$|\*+"
    r"|^[ \t]*#{1,6}[ \t]+"
    r"|^[ \t]*>[ \t]?|(?<![^\W_])_+(?=\S)|(?<=\S)_+(?![^\W_])|\\(?=[$*_#|%~.!()\[\]{}-])|\[\^?\d{1,3}\](?!\()"
    r"|【[^【】\n]{0,60}】|^[ \t]*\|?[ \t]*:?-{2,}:?[ \t|:-]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_HEAD = re.compile(r"^[ \t]*\|[^\n]{1,300}\n(?=[ \t]*\|?[ \t]*:?-{2,}[ \t|:-]*$)", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}\)")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)](?=[ \t]+[^\W\d]))[ \t]+", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_WORD = re.compile(r"(?:(?<![^\W_])v(?=\d))?([^\W_]+)")
_ARTICLE = re.compile(r"^\W*(?:the|an?) (?=\W*\w)")
_COUNTED = re.compile(r"[^\W_]+(?:['.,:-][^\W_]+)*")
_FENCED = re.compile(r"\A```[\w-]*\s*\n(.*)\n\s*```\Z", re.DOTALL)
_ANSWER_KEYS = ("answer", "final_answer", "response", "result", "value")
_DROPPED = {"Cf", "Co", "Cs", "Cn", "Mn", "Me"}
_BLANKED = {"So", "Sk", "Cc"}


@dataclass(frozen=True, slots=True)
class Text:
    """A normalized text in lower case, and its words as (word, start, end)."""

    text: str
    words: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, text: str) -> Text:
        """Normalize a text."""
        plain = _normalized(text[:MAX_CHARS])
        return cls(plain, tuple((match[1], *match.span(1)) for match in _WORD.finditer(plain)))


def answer_in(answer: object) -> tuple[Any, str]:
    """Return the typed value and the words of an answer that is JSON with both; the answer's words otherwise."""
    text = _as_text(answer)
    inner = text[:MAX_CHARS].strip()
    inner = fenced[1].strip() if (fenced := _FENCED.match(inner)) else inner
    if not inner.startswith(("{", "[", '"')):
        return NOT_GIVEN, text
    data: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        data = json.loads(inner)
    if isinstance(data, dict) and {"answer", "value"} <= data.keys() and isinstance(data["answer"], str):
        return data["value"], data["answer"]
    if isinstance(data, dict):
        found = next((data[key] for key in _ANSWER_KEYS if key in data), NOT_GIVEN)
        return NOT_GIVEN, found if isinstance(found, str) else text if found is NOT_GIVEN else json.dumps(found)
    return NOT_GIVEN, data if isinstance(data, str) else text


def num_words(answer: object) -> int:
    """Return the length of a whole answer in words, at least one for every `CHARS_PER_WORD` characters."""
    text = _as_text(answer)
    head = text[: 2 * MAX_CHARS]
    squeezed = len(" ".join(head.split())) + max(0, len(text) - len(head))
    return max(len(_COUNTED.findall(head)), squeezed // CHARS_PER_WORD)


def _as_text(answer: object) -> str:
    if isinstance(answer, bytes | bytearray):
        return bytes(answer[: 4 * MAX_CHARS]).decode("utf-8", "replace")
    return "" if answer is None else str(answer)


def _normalized(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    text = _LINK.sub(r"\1", _TABLE_HEAD.sub("", _STRUCK.sub(r" (not \1) ", text)))
    text = _BULLET.sub("• ", _MARKUP.sub("", text))
    if not text.isascii() or not text.replace("\n", "").isprintable():
        parts = ((sign, unicodedata.category(sign)) for sign in unicodedata.normalize("NFD", text))
        text = "".join(
            " " if kind in _BLANKED and sign not in "\n°^" else sign for sign, kind in parts if kind not in _DROPPED
        )
    return _BLANKS.sub(" ", text).strip().lower()


@lru_cache(maxsize=8192)
def plain_value(text: str) -> str:
    """Normalize a value of a question to search for it in an answer."""
    return _normalized(text)


@lru_cache(maxsize=8192)
def words_of(text: str) -> tuple[str, ...]:
    """Return the normalized words of a value, without an article in front."""
    return tuple(_WORD.findall(_ARTICLE.sub("", _normalized(text))))
