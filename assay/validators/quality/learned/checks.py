"""Runner for the checks of learned rules on texts: the matching lines of each check.

Checks of paths, titles and commits read no text of a file; `learned_rules` runs them on the change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import shown
from assay.validators.errors import CouldNotRun, ProgramMissing
from assay.validators.io.globs import matcher
from assay.validators.io.regex_worker import PatternMatches, PatternQuery, search
from assay.validators.languages.source_text import SourceText, split_source
from assay.validators.quality.inputs.learned_model import CheckKind, LearnedCheck, Where
from assay.validators.quality.inputs.rule_files import AST_GREP, SEMGREP, Runner, run_rule_texts
from assay.validators.quality.learned.named import NamedUses
from assay.validators.quality.learned.ruff import ruff_places
from assay.validators.wording import listed

MOST_TRIED_APART = 30
"""Maximum rules of one kind tried one by one after they failed together."""
_RELATIVES = {
    "typescript": ("TypeScript", "Tsx"),
    "javascript": ("JavaScript", "TypeScript", "Tsx"),
    "tsx": ("Tsx", "JavaScript"),
}
"""Further languages of a rule: ast-grep selects by a file's suffix."""
_RUNNERS = {CheckKind.ast_grep: AST_GREP, CheckKind.semgrep: SEMGREP}


@dataclass(frozen=True)
class Text:
    """File text at a path, split into code, comments and strings, and the names that it uses."""

    path: str
    source: SourceText

    @cached_property
    def names(self) -> NamedUses:
        return NamedUses(self.path, self.source)

    @classmethod
    def of(cls, path: str, text: str) -> Text:
        """Return the text as the file at `path` has it."""
        return cls(path, split_source(text, path))


@dataclass(frozen=True, slots=True)
class CheckMatches:
    """Matches of a check as (index of the text, first line, last line), 1-based; and why some are unknown."""

    places: tuple[tuple[int, int, int], ...] = ()
    why_not: str | None = None


def run_checks(
    checks: Sequence[tuple[LearnedCheck, Sequence[str]]], texts: Sequence[Text], timeout_s: float
) -> list[CheckMatches]:
    """Return the matches of each check with its path patterns. Never raises for the content of checks or texts."""
    answers = [CheckMatches()] * len(checks)
    for kind in CheckKind:
        mine = [i for i, (check, _) in enumerate(checks) if check.kind is kind]
        if not mine:
            continue
        given = [checks[i] for i in mine]
        found: Iterable[CheckMatches] = ()
        if kind is CheckKind.regex:
            found = _by_patterns(given, texts, timeout_s)
        elif kind is CheckKind.named:
            found = [_by_name(check.pattern, paths, texts) for check, paths in given]
        elif kind is CheckKind.ruff:
            found = _by_ruff(given, texts, timeout_s)
        elif kind in _RUNNERS:
            found = _by_tool(_RUNNERS[kind], given, texts, timeout_s)
        else:
            continue
        for i, answer in zip(mine, found, strict=True):
            answers[i] = answer
    return answers


def where_check_matches(
    check: LearnedCheck, texts: Sequence[tuple[str, str]], timeout_s: float = 20.0
) -> tuple[tuple[int, int, int], ...]:
    """Return (index of the text, first line, last line) of every match of a check in texts (path, text) of any kind.

    Raises `CouldNotRun` if the check cannot be run.
    """
    (answer,) = run_checks_on([check], texts, timeout_s)
    if answer.why_not is not None:
        raise CouldNotRun(answer.why_not)
    return answer.places


def run_checks_on(
    checks: Sequence[LearnedCheck], texts: Sequence[tuple[str, str]], timeout_s: float
) -> list[CheckMatches]:
    """Return the matches of each check in texts (path, text) of any kind."""
    return run_checks([(check, ("**",)) for check in checks], [Text.of(*text) for text in texts], timeout_s)


def code_of(path: str, text: str) -> str:
    """Return a file's text with every comment and string blanked."""
    return split_source(text, path).code


def resolved_name(path: str, text: str, name: str) -> str:
    """Return a name with what the file imports its first part as: `unittest.mock.patch` for `patch`."""
    return Text.of(path, text).names.resolved(name)


def _by_patterns(
    checks: Sequence[tuple[LearnedCheck, Sequence[str]]], texts: Sequence[Text], timeout_s: float
) -> Iterator[CheckMatches]:
    wanted: list[tuple[PatternQuery, list[int]]] = []
    for check, paths in checks:
        holds = matcher(paths)
        mine = [i for i, text in enumerate(texts) if holds(text.path)]
        wanted.append((PatternQuery(check.pattern, [_seen(texts[i].source, check.where) for i in mine]), mine))
    for (one, mine), answer in zip(wanted, search([one for one, _ in wanted], timeout_s), strict=True):
        places = [
            (index, 1 + text.count("\n", 0, start), 1 + text.count("\n", 0, max(start, end - 1)))
            for index, text, matches in zip(mine, one.texts, answer.matches, strict=True)
            for start, end in matches or ()
        ]
        yield CheckMatches(tuple(places), why_unfinished(answer, [texts[index].path for index in mine]))


def why_unfinished(answer: PatternMatches, paths: Sequence[str]) -> str | None:
    """Return why the texts at these paths were not all searched, None if they were."""
    lost = {shown(path): None for path, matches in zip(paths, answer.matches, strict=True) if matches is None}
    where = f" on {listed(list(lost), 3)}" if lost else ""
    return answer.why_not and f"its pattern did not finish{where}: {answer.why_not}"


def _by_name(name: str, paths: Sequence[str], texts: Sequence[Text]) -> CheckMatches:
    holds = matcher(paths)
    found = ((i, text.names.places(name)) for i, text in enumerate(texts) if holds(text.path))
    return CheckMatches(tuple((i, start, end) for i, places in found for start, end in places))


def _by_ruff(
    checks: Sequence[tuple[LearnedCheck, Sequence[str]]], texts: Sequence[Text], timeout_s: float
) -> list[CheckMatches]:
    """Run all rules of ruff at once; neither the repository's settings nor its `noqa` comments count."""
    wanted = [check.pattern.split(",") for check, _ in checks]
    codes = sorted({code for each in wanted for code in each})
    try:
        found = ruff_places([(text.path, text.source.text) for text in texts], codes, timeout_s)
    except CouldNotRun as error:
        return [CheckMatches(why_not=str(error))] * len(checks)
    holds = [matcher(paths) for _, paths in checks]
    return [
        CheckMatches(
            tuple((i, *lines) for i, code, lines in found if code.startswith(tuple(each)) and here(texts[i].path))
        )
        for each, here in zip(wanted, holds, strict=True)
    ]


def _seen(source: SourceText, where: Where) -> str:
    """Return the part of a text that a pattern is matched against, on its original lines."""
    if where is Where.text:
        return source.text
    if where is Where.code:
        return source.code
    lines = [""] * (source.text.count("\n") + 1)
    for comment in source.comments:
        lines[comment.line - 1] += comment.text + " "
    return "\n".join(lines)


def _by_tool(
    runner: Runner, checks: Sequence[tuple[LearnedCheck, Sequence[str]]], texts: Sequence[Text], timeout_s: float
) -> list[CheckMatches]:
    files = [(text.path, text.source.text.encode("utf-8", "surrogateescape")) for text in texts]
    index_of = {text.path: i for i, text in enumerate(texts)}
    try:
        return _run(runner, checks, files, index_of, timeout_s)
    except CouldNotRun as error:
        if isinstance(error, ProgramMissing) or len(checks) == 1 or len(checks) > MOST_TRIED_APART:
            return [CheckMatches(why_not=str(error))] * len(checks)
    # One rule that the tool cannot read keeps all from running.
    return [answer for check in checks for answer in _by_tool(runner, [check], texts, timeout_s / len(checks) + 1)]


def _run(
    runner: Runner,
    checks: Sequence[tuple[LearnedCheck, Sequence[str]]],
    files: Sequence[tuple[str, bytes]],
    index_of: dict[str, int],
    timeout_s: float,
) -> list[CheckMatches]:
    holds = [matcher(paths) for _, paths in checks]
    places: list[list[tuple[int, int, int]]] = [[] for _ in checks]
    for found in run_rule_texts(runner, [_rule_text(check) for check, _ in checks], files, timeout_s):
        if holds[found.number](found.path):
            places[found.number].append((index_of[found.path], found.start, found.end))
    return [CheckMatches(tuple(dict.fromkeys(each))) for each in places]


def _rule_text(check: LearnedCheck) -> bytes:
    """Return the rule as a file of its tool. JSON is YAML, and needs no quoting."""
    if check.kind is CheckKind.ast_grep:
        languages = _RELATIVES.get(check.language.lower(), (check.language,))
        rule = json.dumps(check.rule)
        return "---\n".join(f"id: learned\nlanguage: {language}\nrule: {rule}\n" for language in languages).encode()
    document = {
        "id": "learned",
        "languages": [check.language],
        "severity": "WARNING",
        "message": "learned",
        "pattern": check.pattern,
    }
    return json.dumps({"rules": [document]}).encode()
