"""Compile a rule into a regex or glob check, accepted only if it finds the code that reviewers commented on.

made = compiled(forbidden_by(text), examples)
made.check        # None: made.why says why there is none
"""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from assay.github_app.learning.checks.candidates import candidates, literal_arguments
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

MOST_CHARACTERS = 1500
TIMEOUT_S = 10.0
"""Seconds for one run of a check."""
WIDER = "its arguments are not literals, so a pattern would find other calls too"
_CUE = re.compile(
    r"\b(?:not|never|no|avoid|without|instead of|rather than|over|don'?t|stop using|remove|drop)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.;!?\n](?:\s|$)|,\s|\s-\s|\b(?:use|prefer|but|because|since|please)\b", re.IGNORECASE)
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_ONLY_NAMES = re.compile(
    r"\s*(?:(?:the|an?) )?(?:(?:plain|standard|bare|raw) )?`[^`\n]+`(?:(?:,? (?:and|or) |, |/)`[^`\n]+`)*\s*[.;]?\s*"
)
"""Clause that forbids names and nothing else. `not `x` when …` forbids it in some places, which no pattern can tell."""
_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Parts of a rule that a check can be made of.

    `text` is the rule in lower case, `names` are the code names it is against (`os.path`), and `instead` the
    replacements it asks for.
    """

    text: str
    names: tuple[str, ...] = ()
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


def forbidden_by(text: str, language: str | None = None) -> Forbidden:
    """Return what a rule forbids: the code names in backticks after a negation ("not `x`", "instead of `x`")."""
    rule = re.sub(r"^\s*rule:\s*", "", text, flags=re.IGNORECASE)[:MOST_CHARACTERS]
    against, wanted = _sides(rule)
    names = dict.fromkeys(name for one in against if _ONLY_NAMES.fullmatch(one) for name in _SPAN.findall(one))
    instead = dict.fromkeys(name for clause in wanted for name in _SPAN.findall(clause) if name not in names)
    return Forbidden(rule.strip().rstrip(".").lower(), tuple(names), tuple(instead), language)


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


def compiled(rule: Forbidden, examples: Sequence[Example]) -> Compiled:
    """Return the first check that finds the commented code and does not match the replacement."""
    examples = list(examples)[:MOST_EXAMPLES]
    if not examples:
        return Compiled(None, "no commented code is available to test a check on")
    language = rule.language or language_of(examples[0].path)
    mine = [one for one in examples if language is None or language_of(one.path) in (language, None)] or examples
    checks: list[LearnedCheck] = []
    for check in candidates(rule.text, rule.names, language):
        if check not in checks:
            checks.append(check)
    if not checks:
        is_wider = any(literal_arguments(name) is None for name in rule.names)
        return Compiled(None, WIDER if is_wider else "it names nothing that a pattern could match", 0, len(mine))
    trouble = ""
    for check in checks[:MOST_CANDIDATES]:
        try:
            num_found = _num_found(check, mine)
            finds = num_found > 0 and num_found >= LEAST_SHARE * len(mine)
            if finds and not _is_wanted(check, rule, mine[0].path):
                return Compiled(check, "", num_found, len(mine))
        except CouldNotRun as error:
            _log.warning("check could not be tested: %s", error)
            trouble = str(error)
    if trouble:
        return Compiled(None, f"a check could not be tested: {trouble}"[:200], 0, len(mine), is_final=False)
    return Compiled(None, "none of its patterns finds the commented code", 0, len(mine))


def _num_found(check: LearnedCheck, examples: Sequence[Example]) -> int:
    """Return the number of examples in which the check finds a commented line. Raises `CouldNotRun`."""
    texts = [(f"{i}/{one.path}", one.text) for i, one in enumerate(examples)]
    places = where_check_matches(check, texts, TIMEOUT_S)
    hit = {
        index for index, start, end in places if any(line in examples[index].lines for line in range(start, end + 1))
    }
    return len(hit)


def _is_wanted(check: LearnedCheck, rule: Forbidden, path: str) -> bool:
    """Return whether the check matches what the rule asks for instead. Raises `CouldNotRun`."""
    texts = [(path, f"{each}\n") for each in rule.instead] + [(path, f"{each}()\n") for each in rule.instead]
    if not texts or check.kind is CheckKind.semgrep:
        return False
    numbered = [(f"{i}/{path}", text) for i, (path, text) in enumerate(texts)]
    return bool(where_check_matches(check, numbered, TIMEOUT_S))


def _sides(text: str) -> tuple[list[str], list[str]]:
    """Return the clauses after a negation, and the rest: `use x, not y` is (["y"], ["use x, "])."""
    against: list[str] = []
    wanted: list[str] = []
    at = 0
    for cue in _CUE.finditer(text):
        before = text[at : cue.start()]
        # "Iterate over `rows`" forbids nothing; "prefer `x` over `y`" does.
        if cue.start() < at or (cue[0].lower() == "over" and "prefer" not in before.lower()):
            continue
        wanted.append(before)
        rest = re.match(
            r"\s*(?:to\s+)?(?:use|using|call|calling|import|importing)?\s*", text[cue.end() :], re.IGNORECASE
        )
        start = cue.end() + (rest.end() if rest else 0)
        stop = _CLAUSE.search(text, start)
        at = stop.start() if stop else len(text)
        against.append(text[start:at])
    return against, [*wanted, text[at:]]
