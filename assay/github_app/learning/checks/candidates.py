"""Candidate checks for what a rule forbids, most specific first.

The check of a rule from the phrasebook precedes checks made from a name: a call of it, an import of it, the bare name.
`compiling` decides whether a candidate is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.github_app.learning.checks.named_mistakes import mistakes
from assay.github_app.rule_matching.languages import AST_GREP, SCRIPTS
from assay.validators import CheckKind, LearnedCheck, Where

LEAST_NAME = 3
"""Shortest name used; shorter ones are ambiguous: `db`, `i`."""
MOST_NAME = 80

_NAME = re.compile(r"[@A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*){0,5}")
_PACKAGE = re.compile(r"@?[A-Za-z_][\w.-]*(?:/[\w.-]+){0,3}")
_PLAIN = re.compile(r"[A-Z]?[a-z]+")
"""Name that may be a keyword or a common word: `pub`, `bool`, `New`. The bare word is not what a rule means."""


def candidates(rule: str, names: Sequence[str], language: str | None) -> Iterator[LearnedCheck]:
    """Yield checks for a rule, in lower case, and the code names it is against."""
    for mistake in mistakes():
        if mistake.is_meant(rule, language):
            yield mistake.check
    for name in names:
        yield from _of_name(name.strip(), language)


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
    if _NAME.fullmatch(name) and not _PLAIN.fullmatch(name):
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
