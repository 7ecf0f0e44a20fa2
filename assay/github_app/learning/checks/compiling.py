"""Compile a rule into a regex or glob check, accepted only if it finds the code that reviewers commented on.

made = compiled(forbidden_by(text, comments), examples)
made.check        # None: made.why says why there is none
"""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from assay.github_app.learning.checks.candidates import CheckTarget, candidates
from assay.github_app.rule_matching.languages import language_of
from assay.validators import CheckKind, CouldNotRun, LearnedCheck, where_check_matches

_log = logging.getLogger(__name__)

NEAR = 8
"""Maximum distance in lines of an added line from the commented line, which is the last of its hunk."""
MOST_EXAMPLES = 10
MOST_CANDIDATES = 12
MOST_HUNK_LINES = 200
LEAST_SHARE = 0.5
"""Share of the examples in which a check must find the commented code; at least one in any case."""

MOST_SAID = 5
"""Maximum comments searched for what the rule forbids, and maximum characters of each."""
MOST_CHARACTERS = 1500
_CUE = re.compile(
    r"\b(?:not|never|no|avoid|without|instead of|rather than|over|don'?t|stop using|remove|drop)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.;!?\n](?:\s|$)|,\s|\s-\s|\b(?:use|prefer|but|because|since|please)\b", re.IGNORECASE)
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_CODE_LIKE = re.compile(
    r"(?<![\w`.])[A-Za-z_]\w*(?:(?:\.|::)\w+)+(?:\(\))?|\b[A-Za-z_]\w*\(\)|\b[a-z]+(?:[A-Z]\w*|_\w+)\b"
)
_PLAIN = re.compile(r"[A-Za-z][\w-]{2,40}")
_QUOTED = re.compile(r"(?m)^[^\S\n]*>[^\n]*$|```.*?(?:```|\Z)", re.DOTALL)
_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Parts of a rule that a check can be made of.

    `names` are the code names it is against (`os.path`), `words` the plain words (moment), and `instead` the
    replacements it asks for. `text` is the rule, `said` the reviewers' comments, in lower case.
    """

    text: str
    said: str
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Code that a reviewer commented on: the new side of the hunk, and the commented lines (1-based)."""

    path: str
    text: str
    lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class Compiled:
    """Resulting check, or the reason for none; it finds `num_found` of `num_examples` examples.

    If not `is_final`, a later attempt may succeed: a tool was missing or the time ran out.
    """

    check: LearnedCheck | None
    why: str = ""
    num_found: int = 0
    num_examples: int = 0
    is_final: bool = True


def forbidden_by(text: str, comments: Sequence[str] = (), language: str | None = None) -> Forbidden:
    """Collect what a rule forbids from its text and from the comments of the reviewers who asked for it."""
    rule = re.sub(r"^\s*rule:\s*", "", text, flags=re.IGNORECASE)
    said = [_QUOTED.sub(" ", one)[:MOST_CHARACTERS] for one in comments[:MOST_SAID]]
    names: list[str] = []
    words: list[str] = []
    instead: list[str] = []
    for one in (rule, *said):
        against, wanted = _sides(one)
        for clause in against:
            names += _names(clause)
            words += _PLAIN.findall(_SPAN.sub(" ", clause))[:4]
        for clause in wanted:
            instead += _names(clause)
    bad = dict.fromkeys(names)
    return Forbidden(
        rule.strip().rstrip(".").lower(),
        "\n".join((rule, *said)).lower(),
        tuple(bad),
        tuple(dict.fromkeys(words)),
        tuple(name for name in dict.fromkeys(instead) if name not in bad),
        language,
    )


def example_of(path: str | None, hunk: str | None, side: str | None = None) -> Example | None:
    """Return the code a comment is about; None if it is not on an added line."""
    if not path or not hunk or side == "LEFT":
        return None
    lines = [line for line in hunk.split("\n")[-MOST_HUNK_LINES:] if not _HEADER.match(line)]
    new = [line for line in lines if line[:1] in ("+", " ", "")]
    added = {i for i, line in enumerate(new, 1) if line[:1] == "+" and i > len(new) - NEAR}
    if not added:
        return None
    return Example(path, textwrap.dedent("\n".join(line[1:] for line in new)) + "\n", frozenset(added))


def compiled(rule: Forbidden, examples: Sequence[Example], timeout_s: float = 10.0) -> Compiled:
    """Return the first check that finds the commented code and does not match the replacement."""
    examples = list(examples)[:MOST_EXAMPLES]
    if not examples:
        return Compiled(None, "no commented code is available to test a check on")
    language = rule.language or language_of(examples[0].path)
    mine = [one for one in examples if language is None or language_of(one.path) in (language, None)] or examples
    checks: list[LearnedCheck] = []
    for check in candidates(
        CheckTarget(rule.text, rule.said, rule.names, rule.words, language, _CUE.search(rule.said) is not None)
    ):
        if check not in checks:
            checks.append(check)
    if not checks:
        return Compiled(None, "it names nothing that a pattern could match", 0, len(mine))
    trouble = ""
    for check in checks[:MOST_CANDIDATES]:
        try:
            num_found = _num_found(check, mine, timeout_s)
            finds = num_found > 0 and num_found >= LEAST_SHARE * len(mine)
            if finds and not _is_wanted(check, rule, mine[0].path, timeout_s):
                return Compiled(check, "", num_found, len(mine))
        except CouldNotRun as error:
            _log.warning("check could not be tested: %s", error)
            trouble = str(error)
    if trouble:
        return Compiled(None, f"a check could not be tested: {trouble}"[:200], 0, len(mine), is_final=False)
    return Compiled(None, "none of its patterns finds the commented code", 0, len(mine))


def _num_found(check: LearnedCheck, examples: Sequence[Example], timeout_s: float) -> int:
    """Return the number of examples in which the check finds a commented line. Raises `CouldNotRun`."""
    texts = [(f"{i}/{one.path}", one.text) for i, one in enumerate(examples)]
    places = where_check_matches(check, texts, timeout_s)
    hit = {
        index for index, start, end in places if any(line in examples[index].lines for line in range(start, end + 1))
    }
    return len(hit)


def _is_wanted(check: LearnedCheck, rule: Forbidden, path: str, timeout_s: float) -> bool:
    """Return whether the check matches what the rule asks for instead. Raises `CouldNotRun`."""
    texts = [(path, f"{each}\n") for each in rule.instead] + [(path, f"{each}()\n") for each in rule.instead]
    if not texts or check.kind is CheckKind.semgrep:
        return False
    numbered = [(f"{i}/{path}", text) for i, (path, text) in enumerate(texts)]
    return bool(where_check_matches(check, numbered, timeout_s))


def _sides(text: str) -> tuple[list[str], list[str]]:
    """Return the clauses after a negation, and the rest: `use x, not y` is (["y"], ["use x, "])."""
    against: list[str] = []
    wanted: list[str] = []
    at = 0
    for cue in _CUE.finditer(text):
        if cue.start() < at:
            continue
        wanted.append(text[at : cue.start()])
        rest = re.match(
            r"\s*(?:to\s+)?(?:use|using|call|calling|import|importing)?\s*", text[cue.end() :], re.IGNORECASE
        )
        start = cue.end() + (rest.end() if rest else 0)
        stop = _CLAUSE.search(text, start)
        at = stop.start() if stop else len(text)
        against.append(text[start:at])
    return against, [*wanted, text[at:]]


def _names(clause: str) -> list[str]:
    """Return the code names in a clause: code spans, and words that look like code."""
    return [*_SPAN.findall(clause), *_CODE_LIKE.findall(_SPAN.sub(" ", clause))]
