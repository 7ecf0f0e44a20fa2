"""Linter rules for what reviewers ask for (linter_rules.yaml), found by the words of a comment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import snowballstemmer
import yaml

from assay.github_app.rule_matching.languages import AST_GREP
from assay.validators import CheckKind, LearnedCheck, Where

MOST_CHARACTERS = 1_500
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_CALL = re.compile(r"`[^`\n(]{1,80}\([^`\n)][^`\n]{0,80}`")
_KEYWORD = re.compile(r"\w{1,40}=\w{1,40}")
_ASKING = re.compile(
    r"\b(?:not|no|never|avoid|without|instead|rather|over|use|set|add|always|please|missing|stop|remove|drop|should|must|need|needs|don'?t)\b|[`!]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z0-9]+(?:[_'][a-z0-9]+)*")
_stemmer = snowballstemmer.stemmer("english")


@dataclass(frozen=True, slots=True)
class LinterRule:
    """Rule of a linter for some languages; `check` is None if only the linter can search for it."""

    linter: str
    name: str
    languages: tuple[str, ...]
    phrases: tuple[frozenset[str], ...]
    check: LearnedCheck | None
    is_outside_tests: bool

    def fit(self, words: frozenset[str], least: int = 1) -> int:
        """Return the number of words of the longest phrase among these words; 0 if it is shorter than `least`."""
        return max((len(phrase) for phrase in self.phrases if phrase <= words and len(phrase) >= least), default=0)


@cache
def linter_rules() -> tuple[LinterRule, ...]:
    """Return all rules, in the order of the file."""
    text = files("assay.github_app.learning.checks").joinpath("linter_rules.yaml").read_text("utf-8")
    return tuple(
        _rule(group, name, {"words": row} if isinstance(row, str) else row)
        for group in yaml.safe_load(text)
        for name, row in group["rules"].items()
    )


def meant_by(text: str, language: str | None) -> LinterRule | None:
    """Return the rule that a text means by a phrase of several words, if only one rule has so long a phrase in it."""
    words = words_of(text)
    fits = [(rule.fit(words, 2), rule) for rule in linter_rules() if language in (None, *rule.languages)]
    best = max((fit for fit, _ in fits), default=0)
    meant = [rule for fit, rule in fits if fit == best]
    return meant[0] if best and len(meant) == 1 else None


def least_phrase(text: str) -> int:
    """Return the least words of a phrase that counts: one only in a text that asks for something, or in a short one."""
    return 1 if _ASKING.search(text) or text.count(" ") < 3 else 2


def spans_in(text: str) -> str:
    """Return the code spans of a comment, as a text."""
    return " ".join(_SPAN.findall(text[:MOST_CHARACTERS]))


def words_of(text: str) -> frozenset[str]:
    """Return the words of a comment in lower case: as written, their parts and their stems."""
    text = text[:MOST_CHARACTERS].lower()
    found = {span.strip() for span in _SPAN.findall(text)}
    # Of a call with arguments only named ones count: "`fetch({cache: true})`" is not about every `fetch`.
    for span in _CALL.findall(text):
        found.update(_KEYWORD.findall(span))
    text = _CALL.sub(" ", text)
    for chunk in text.replace("`", " ").split():
        bare = chunk.strip(".,;:?()[]\"'")
        parts = _WORD.findall(bare)
        found |= {chunk, bare, *parts, *(f".{part}" for part in parts[1:])}
    return frozenset(found | {_stemmer.stemWord(word) for word in found if word.isalpha()})


def _rule(group: dict[str, Any], name: str, row: dict[str, Any]) -> LinterRule:
    phrases = tuple(
        frozenset(word if not word.isalpha() else _stemmer.stemWord(word) for word in phrase.lower().split())
        for phrase in str(row["words"]).split(";")
    )
    languages = tuple(group["languages"])
    grammar = group.get("grammar") or AST_GREP.get(next(iter(languages), ""), "")
    check = LearnedCheck(CheckKind.ruff, name) if group["linter"] == "ruff" else _own_search(row, grammar)
    return LinterRule(group["linter"], name, languages, phrases, check, row.get("outside") == "tests")


def _own_search(row: dict[str, Any], grammar: str) -> LearnedCheck | None:
    if "ast" in row:
        return LearnedCheck(CheckKind.ast_grep, language=grammar, rule=row["ast"])
    if "name" in row:
        return LearnedCheck(CheckKind.named, row["name"])
    where = next((where for where in Where if where in row), None)
    return None if where is None else LearnedCheck(CheckKind.regex, row[where], where)
