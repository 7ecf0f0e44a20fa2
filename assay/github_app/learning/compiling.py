"""From a rule in words to a check a machine carries out, where that is possible; believed only where it finds what the
reviewers pointed at.

    made = compiled(forbidden, examples)
    made.check        # None: made.why says why there is none
"""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.github_app.learning.check_templates import LANGUAGES, Wanted, candidates
from assay.validators import CheckKind, CouldNotRun, LearnedCheck, where_check_matches

_log = logging.getLogger(__name__)

NEAR = 8
"""Added lines this close to the commented line, which is the last of its hunk, are what a comment is about."""
MOST_EXAMPLES = 10
MOST_CANDIDATES = 12
MOST_HUNK_LINES = 200
LEAST_SHARE = 0.5
"""Of the examples a check must find what was commented on in at least this share, and in one at least."""

_CUE = re.compile(
    r"\b(?:not|never|no|avoid|without|instead of|rather than|over|don'?t|stop using|remove)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A rule as far as a check can be made of it: its text, what it does not want, what it wants instead."""

    text: str
    things: tuple[str, ...]
    instead: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """Code a reviewer commented on: the new side of the hunk, and which of its lines (1-based) the comment is about."""

    path: str
    text: str
    lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class Compiled:
    """The check, or why there is none; `num_found` of `num_examples` examples it finds."""

    check: LearnedCheck | None
    why: str = ""
    num_found: int = 0
    num_examples: int = 0


def forbidden_by(canonical: Mapping[str, Any], text: str, language: str | None) -> Forbidden:
    """What a rule forbids, from its normal form (`polarity`, `objects`, `over`) and its words."""
    polarity = str(canonical.get("polarity") or "")
    objects, over = (_words(canonical.get(key)) for key in ("objects", "over"))
    cue = _CUE.search(text)
    spans = _SPAN.findall(text[cue.end() :]) if cue else []
    wanted_spans = _SPAN.findall(text[: cue.start()]) if cue else _SPAN.findall(text)
    if polarity == "dont":
        return Forbidden(text, tuple(dict.fromkeys([*spans, *objects])), (), language)
    things = tuple(dict.fromkeys([*spans, *over]))
    return Forbidden(text, things, tuple(dict.fromkeys([*wanted_spans, *objects])), language)


def example_of(path: str | None, hunk: str | None, side: str | None = None) -> Example | None:
    """What a comment was about; None where it stands at no line that was added."""
    if not path or not hunk or side == "LEFT":
        return None
    lines = [line for line in hunk.split("\n")[-MOST_HUNK_LINES:] if not _HEADER.match(line)]
    new = [line for line in lines if line[:1] in ("+", " ", "")]
    added = {i for i, line in enumerate(new, 1) if line[:1] == "+" and i > len(new) - NEAR}
    if not added:
        return None
    return Example(path, textwrap.dedent("\n".join(line[1:] for line in new)) + "\n", frozenset(added))


def compiled(rule: Forbidden, examples: Sequence[Example], timeout_s: float = 10.0) -> Compiled:
    """The first check that finds what the reviewers pointed at, and is not set off by what they want instead."""
    examples = list(examples)[:MOST_EXAMPLES]
    if not examples:
        return Compiled(None, "no code that was commented on is known to try a check on")
    language = rule.language or language_of(examples[0].path)
    mine = [one for one in examples if language is None or language_of(one.path) in (language, None)] or examples
    checks: list[LearnedCheck] = []
    for thing in rule.things or ("",):
        for check in candidates(Wanted(rule.text.lower(), thing, language)):
            if check not in checks:
                checks.append(check)
    if not checks:
        return Compiled(None, "it names nothing that a pattern could be made of", 0, len(mine))
    for check in checks[:MOST_CANDIDATES]:
        num_found = _num_found(check, mine, timeout_s)
        if num_found and num_found >= LEAST_SHARE * len(mine) and not _is_wanted(check, rule, mine[0].path, timeout_s):
            return Compiled(check, "", num_found, len(mine))
    return Compiled(None, "no pattern made of it finds the code that was commented on", 0, len(mine))


def language_of(path: str) -> str | None:
    """The language of a file, by its ending."""
    return next((name for name, endings in LANGUAGES.items() if path.endswith(endings)), None)


def globs_of(language: str | None) -> tuple[str, ...]:
    """The files of a language, as path patterns; everything where it is not known."""
    return tuple(f"*{ending}" for ending in LANGUAGES.get(language or "", ())) or ("**",)


def _num_found(check: LearnedCheck, examples: Sequence[Example], timeout_s: float) -> int:
    """In how many examples the check finds a line that was commented on."""
    texts = [(f"{i}/{one.path}", one.text) for i, one in enumerate(examples)]
    try:
        places = where_check_matches(check, texts, timeout_s)
    except CouldNotRun as error:
        _log.warning("a check cannot be tried: %s", error)
        return 0
    hit = {
        index for index, start, end in places if any(line in examples[index].lines for line in range(start, end + 1))
    }
    return len(hit)


def _is_wanted(check: LearnedCheck, rule: Forbidden, path: str, timeout_s: float) -> bool:
    """Whether the check is set off by what the rule asks for instead."""
    texts = [(path, f"{each}\n") for each in rule.instead] + [(path, f"{each}()\n") for each in rule.instead]
    if not texts or check.kind is CheckKind.semgrep:
        return False
    numbered = [(f"{i}/{path}", text) for i, (path, text) in enumerate(texts)]
    try:
        return bool(where_check_matches(check, numbered, timeout_s))
    except CouldNotRun:
        return True


def _words(value: object) -> tuple[str, ...]:
    return tuple(str(one).strip("`") for one in value) if isinstance(value, list | tuple) else ()
