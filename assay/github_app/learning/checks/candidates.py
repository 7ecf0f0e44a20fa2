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
_ARGUMENT = re.compile(
    r"(?:[A-Za-z_]\w*\s*=\s*)?"
    r"(?:-?\d[\w.]*|'[^'\"\\$]*'|\"[^'\"\\$]*\"|(?:true|false|null|undefined|None|True|False)\b)"
)
_ARGUMENTS = re.compile(rf"\s*(?:{_ARGUMENT.pattern}\s*(?:,\s*|(?=\))))*\)\s*")
_PLAIN = re.compile(r"[A-Z]?[a-z]+")
"""Name that may be a keyword or a common word: `pub`, `bool`, `New`. The bare word is not what a rule means."""


def candidates(rule: str, names: Sequence[str], language: str | None) -> Iterator[LearnedCheck]:
    """Yield checks for a rule, in lower case, and the code names it is against."""
    for mistake in mistakes():
        if mistake.is_meant(rule, language):
            yield mistake.check
    for name in names:
        yield from _of_name(name.strip(), language)


def literal_arguments(name: str) -> list[str] | None:
    """Return the arguments of a call, [] for a bare name or empty parentheses, None if one is not a literal."""
    _, opening, rest = name.partition("(")
    return _ARGUMENT.findall(rest) if not opening or _ARGUMENTS.fullmatch(rest) else None


def _of_name(name: str, language: str | None) -> Iterator[LearnedCheck]:
    arguments = literal_arguments(name)
    name, is_call, _ = name.partition("(")
    if arguments is None or not LEAST_NAME <= len(name) <= MOST_NAME:
        return
    if _NAME.fullmatch(name):
        yield from _calls(name, arguments, language)
    if is_call:
        return
    if _PACKAGE.fullmatch(name):
        yield from _imports(name, language)
    if _NAME.fullmatch(name) and not _PLAIN.fullmatch(name):
        yield _regex(rf"(?<![\w.$@]){re.escape(name)}(?![\w$])")


def _calls(name: str, arguments: Sequence[str], language: str | None) -> Iterator[LearnedCheck]:
    """Yield checks for calls: with exactly these arguments, with a single named one among others, or with any."""
    known = AST_GREP.get(language or "")
    if known is not None and not set(name) & set("$@>"):
        shapes = [", ".join(arguments) or "$$$"]
        if len(arguments) == 1 and re.match(r"\w+\s*=", arguments[0]):
            shapes = [f"$$$, {arguments[0]}, $$$", f"$$$, {arguments[0]}"]
        if language in ("python", *SCRIPTS):
            shapes += [one.translate(str.maketrans("'\"", "\"'")) for one in shapes]
        patterns = [{"pattern": f"{name}({one})"} for one in dict.fromkeys(shapes)]
        rule = patterns[0] if len(patterns) == 1 else {"any": patterns}
        yield LearnedCheck(CheckKind.ast_grep, language=known, rule=rule)
    if not arguments:
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
