"""What a template parser sees in a text before it knows what any of it means: names, days, amounts, known words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

MONTHS = "January February March April May June July August September October November December".split()
_DAY = rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}(?:,? (?:at )?\d\d:\d\d)?|\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d)?Z?"
_FORMS = (
    ("day", _DAY),
    ("cidr", r"\d{1,3}(?:\.\d{1,3}){3}/\d\d"),
    ("ip", r"\d{1,3}(?:\.\d{1,3}){3}(?![\d/])"),
    ("version", r"\d+\.\d+\.\d+(?![.\d])"),
    ("usd", r"\$\d[\d,]*(?:\.\d+)?"),
    ("code", r"[A-Z]{2,5}-\d{3,}|[a-z]+(?:-[a-z]+){0,3}-\d+\b"),
    ("account", r"\b[a-z]\.[a-z]{3,}\b"),
    ("quarter", r"[A-ZÀ-Þ][\w'.-]*(?: [A-ZÀ-Þ][\w'.-]*)* branch Q\d \d{4}"),
    ("percent", r"\d+(?:\.\d+)?%"),
    ("amount", r"\d[\d,]*(?:\.\d+)? (?:ms|MB|GB|TB|kWh|[a-z-]+\b|m\b)"),
    ("number", r"\d[\d,]*(?:\.\d+)?"),
    ("quoted", r"“[^”]+”"),
)
_FORM = re.compile("|".join(f"(?P<{name}>{form})" for name, form in _FORMS))
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'.&-]*\w(?: (?:[A-ZÀ-Þ][\w'.&-]*\w|(?:of|the|de|van) (?=[A-ZÀ-Þ])))*")
_TAIL = re.compile(r"(?: [a-z][\w-]*){1,4}")
_NOT_NAMES = frozenset(
    "the a an on as of from in at by it its this that these those and but or so one for to with what which who when "
    "where how is are was were please note new status found order here there he she they".split()
)


@dataclass(frozen=True)
class Mention:
    """A value or a name in a text; `value` is typed as facts are: a number, an ISO day, or the text."""

    start: int
    end: int
    form: str
    value: Any
    text: str


def word_lists() -> dict[str, tuple[str, ...]]:
    """Every public list of words by its name."""
    folder = files("assay.memory_eval.world").joinpath("vocabulary")
    found = {}
    for one in folder.iterdir():
        if one.is_dir():
            for file in one.iterdir():
                found[file.name.removesuffix(".json")] = tuple(json.loads(file.read_text("utf-8")))
    return found


@cache
def _known_words() -> tuple[re.Pattern[str], dict[str, str]]:
    lists = {name: of for name, of in word_lists().items() if not name.startswith("near_")}
    by_word = {word: name for name, of in lists.items() for word in of if len(word) > 2 and "{" not in word}
    longest = sorted(by_word, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"), by_word


@cache
def _sentences() -> list[tuple[str, re.Pattern[str]]]:
    """Words of whole sentences, such as the symptoms, with their places for numbers and services."""
    found = []
    for name in ("symptoms", "problem_causes", "fixes", "root_causes"):
        for wording in word_lists()[name]:
            text = re.escape(wording.partition(": ")[2] if name != "root_causes" else wording)
            text = text.replace(r"\{service\}", r"[\w-]+").replace(r"\{number\}", r"\d+")
            found.append((name, re.compile(text)))
    return found


@cache
def _tails() -> frozenset[str]:
    return frozenset(
        word
        for name, of in word_lists().items()
        if name.startswith(("components_", "topic_", "network_"))
        for word in of
    )


def mentions_in(text: str) -> list[Mention]:
    """Every name and value of a text, in order, none within another; the longest first."""
    pattern, by_word = _known_words()
    found = [
        Mention(m.start(), m.end(), f"list:{name}", m[0], m[0])
        for name, form in _sentences()
        for m in form.finditer(text)
    ]
    found += [
        Mention(m.start(), m.end(), str(m.lastgroup), _typed(str(m.lastgroup), m[0]), m[0])
        for m in _FORM.finditer(text)
    ]
    found += list(_names(text))
    found += [Mention(m.start(), m.end(), f"list:{by_word[m[0]]}", m[0], m[0]) for m in pattern.finditer(text)]
    return _apart(found)


def _names(text: str) -> Iterator[Mention]:
    for match in _NAME.finditer(text):
        start, name = match.start(), match[0]
        while name and name.split(" ")[0].lower() in _NOT_NAMES:
            first, _, rest = name.partition(" ")
            start, name = start + len(first) + 1, rest
        name = re.sub(r"'s$", "", name)
        if not name:
            continue
        tail = _TAIL.match(text, start + len(name))
        words = tail[0].split() if tail else []
        for num in range(len(words), 0, -1):
            if " ".join(words[:num]) in _tails():
                name = f"{name} {' '.join(words[:num])}"
                break
        yield Mention(start, start + len(name), "name", name, name)


def _apart(found: Iterable[Mention]) -> list[Mention]:
    kept: list[Mention] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.form == "name", one.start)):
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _typed(form: str, text: str) -> Any:
    if form == "day":
        return day_of(text)
    if form in ("usd", "percent", "amount", "number"):
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", text)
        assert digits is not None
        plain = digits[0].replace(",", "").rstrip(".")
        return float(plain) if "." in plain else int(plain)
    return text.strip("“”")


def day_of(text: str) -> str:
    if text[:4].isdigit() and text[4:5] == "-":
        return text.replace("T", " ").removesuffix("Z")
    parts = text.replace(",", "").replace(" at ", " ").split()
    day = f"{parts[2]}-{MONTHS.index(parts[1]) + 1:02}-{int(parts[0]):02}"
    return f"{day} {parts[3]}" if len(parts) > 3 else day
