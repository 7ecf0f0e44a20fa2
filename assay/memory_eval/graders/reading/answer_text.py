"""Normalized text of an answer: bounded, extracted from JSON, without markup, with its length."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.graders.reading.normalizing import plain
from assay.memory_eval.truth import NOT_GIVEN

MAX_CHARS = 20_000
"""Longest part of an answer that is read; every length budget ends before."""

CHARS_PER_WORD = 12
"""Least characters per counted word, so that leaving out blanks does not shorten an answer."""

_WORD = re.compile(r"[^\W_]+(?:['.,:-][^\W_]+)*")
_ANSWER_KEYS = ("answer", "final_answer", "finalanswer", "final answer", "response", "result", "value")
_CITED = re.compile(
    r"\b(turns|messages|notes)(?: nos?\.?| numbers)?:? #?\d{1,6}"
    r"(?:(?:,? and |, ?| ?& ?| ?[\u2013-] ?| to )#?\d{1,6}\b(?![,.]\d))+",
    re.IGNORECASE,
)
"""A trailing citation: "turns 3, 17 and 60"."""
_LINE_KEYS = ("answer", "final_answer", "final answer", "response")
_KEY_LINE = re.compile(r"\s*- \S|[a-z][\w ]{0,20}: ?\S|[a-z][\w ]{0,20}:\s*$")
_FENCED = re.compile(r"\A```[\w-]*\s*\n(.*)\n\s*```\Z", re.DOTALL)
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class AnswerText:
    """`text` is lower case, `cased` the same with capitals and equal offsets; `num_words` counts the whole answer."""

    text: str
    cased: str
    num_words: int

    @classmethod
    def of(cls, answer: object, most_words: int | None = None) -> AnswerText:
        """Normalize any answer: text, bytes, None. Never raises; answers longer than `most_words` are not parsed."""
        raw = _as_text(answer)
        num_words = _num_words(raw, most_words)
        if most_words is not None and num_words >= most_words:
            return cls("", "", num_words)
        cased = _CITED.sub(r"\1", plain(_unwrapped(raw[:MAX_CHARS].strip()))[:MAX_CHARS])
        text = cased.lower()
        return cls(text, cased if len(cased) == len(text) else text, num_words)


def value_within(answer: object) -> tuple[Any, str]:
    """Return the typed value and the words of an answer that is JSON with both; the answer as it is otherwise."""
    text = _as_text(answer)
    inner = text[:MAX_CHARS].strip()
    inner = fenced[1].strip() if (fenced := _FENCED.match(inner)) else inner
    if inner.startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            data = json.loads(inner)
            if {"answer", "value"} <= data.keys() and isinstance(data["answer"], str):
                return data["value"], data["answer"]
    return NOT_GIVEN, text


def _as_text(answer: object) -> str:
    if answer is None:
        return ""
    if isinstance(answer, bytes | bytearray):
        return bytes(answer[: 4 * MAX_CHARS]).decode("utf-8", "replace")
    return answer if isinstance(answer, str) else str(answer)


def _num_words(raw: str, most_words: int | None) -> int:
    head = raw[: 2 * MAX_CHARS].strip()
    beyond = max(0, len(raw) - 2 * MAX_CHARS)
    squeezed = len(" ".join(head.split())) + beyond
    if most_words is not None and squeezed // CHARS_PER_WORD >= most_words:
        return squeezed // CHARS_PER_WORD
    return max(len(_WORD.findall(head)), squeezed // CHARS_PER_WORD)


def _unwrapped(text: str) -> str:
    """Return the content of a JSON answer; other text unchanged."""
    fenced = _FENCED.match(text)
    inner = fenced[1].strip() if fenced else text
    if not inner.startswith(("{", "[", '"')):
        return _answer_line(inner) or text
    try:
        data = json.loads(inner, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_lines(_answer_in(data), 0))


def _answer_line(text: str) -> str | None:
    """Return what follows "answer:" if every line has a key and a value."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(_KEY_LINE.match(line) for line in lines):
        return None
    for place, line in enumerate(lines):
        key, _, value = line.partition(":")
        if key.strip().lower() in _LINE_KEYS:
            items = []
            for other in lines[place + 1 :]:
                if not other.lstrip().startswith("- "):
                    break
                items.append(other)
            return "\n".join([value.strip(), *items]).strip() or None
    return None


def _answer_in(data: Any) -> Any:
    if isinstance(data, dict):
        keys = {str(key).lower(): key for key in data}
        for wanted in _ANSWER_KEYS:
            if wanted in keys:
                return data[keys[wanted]]
    return data


def _lines(data: Any, depth: int) -> list[str]:
    if depth > _MAX_DEPTH:
        return []
    if isinstance(data, dict):
        return _lines_of_object(data, depth)
    if isinstance(data, list):
        return [f"• {line}" for item in data for line in _lines(item, depth + 1)]
    if isinstance(data, bool):
        return ["yes" if data else "no"]
    return ["unknown" if data is None else str(data)]


def _lines_of_object(data: dict[str, Any], depth: int) -> list[str]:
    """Return one line for a flat object in a list (a table row), else one per key."""
    if depth and not any(isinstance(value, dict | list) for value in data.values()):
        return [", ".join(f"{key}: {_lines(value, depth + 1)[0]}" for key, value in data.items())]
    return [f"{key}: {' '.join(_lines(value, depth + 1))}" for key, value in data.items()]
