"""Candidate checks for what a rule forbids, most specific first.

A named mistake (`bare except`, the type `any`) precedes checks made from a name alone: a call of it, an import of it,
the bare word. `compiling` decides whether a candidate is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.github_app.learning.checks.named_mistakes import mistakes
from assay.github_app.rule_matching.languages import AST_GREP, SCRIPTS
from assay.validators import CheckKind, LearnedCheck, Where

LEAST_NAME = 3
"""Shortest name used; shorter ones are ambiguous: `db`, `i`."""
MOST_NAME = 80

_NAME = re.compile(r"[@A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*){0,5}")
_PACKAGE = re.compile(r"@?[A-Za-z_][\w.-]*(?:/[\w.-]+){0,3}")


@dataclass(frozen=True, slots=True)
class CheckTarget:
    """What a rule forbids.

    `text` is the rule and `said` the reviewers' words, in lower case. `names` and `words` are the code names and plain
    words it is against, `is_against` whether anything in it is negative.
    """

    text: str
    said: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    language: str | None
    is_against: bool


def candidates(target: CheckTarget) -> Iterator[LearnedCheck]:
    """Yield checks for what a rule forbids, most specific first."""
    for mistake in mistakes():
        if mistake.is_meant(target.text, target.said, target.language, is_against=target.is_against):
            yield mistake.check
    for name in target.names:
        yield from _of_name(name.strip(), target.language)
    for word in target.words:
        # A plain word matches only as a call or an import; elsewhere it is ambiguous.
        yield from _calls(word, target.language)
        yield from _imports(word, target.language)


def _of_name(name: str, language: str | None) -> Iterator[LearnedCheck]:
    is_call = name.endswith(")")
    name = re.sub(r"\(.{0,40}\)$", "", name)
    if not LEAST_NAME <= len(name) <= MOST_NAME:
        return
    if _NAME.fullmatch(name):
        yield from _calls(name, language)
    if is_call:
        return
    if _PACKAGE.fullmatch(name):
        yield from _imports(name, language)
    if _NAME.fullmatch(name):
        yield _regex(rf"(?<![\w.$@]){re.escape(name)}(?![\w$])")


def _calls(name: str, language: str | None) -> Iterator[LearnedCheck]:
    known = AST_GREP.get(language or "")
    if known is not None and not set(name) & set("$@>"):
        yield LearnedCheck(CheckKind.ast_grep, language=known, rule={"pattern": f"{name}($$$)"})
    yield _regex(rf"(?<![\w.$@]){re.escape(name)}\s*\(")


def _imports(name: str, language: str | None) -> Iterator[LearnedCheck]:
    module = re.escape(name)
    if language in (None, "python") and "/" not in name:
        yield _regex(rf"^[ \t]*(?:from\s+{module}(?:\.[\w.]+)?\s+import\b|import\s+(?:[\w., ]+,\s*)?{module}(?![\w]))")
    if language in (None, *SCRIPTS):
        quoted = rf"['\"]{module}(?:/[^'\"\n]*)?['\"]"
        imported = rf"^[ \t]*(?:import|export)\b[^\n]*{quoted}|\brequire\(\s*{quoted}|\bimport\(\s*{quoted}"
        yield _regex(imported, Where.text)
    if language == "go":
        yield _regex(rf"^[ \t]*(?:import\s+)?(?:[\w.]+\s+)?\"{module}\"\s*$", Where.text)


def _regex(pattern: str, where: Where = Where.code) -> LearnedCheck:
    return LearnedCheck(CheckKind.regex, pattern, where)
