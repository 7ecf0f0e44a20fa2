"""Proposals for how a rule can be checked, best first, each with its effect.

A linter rule from the table, a pattern from what comment and commented code share, a rule about paths or titles; last
the review by a model, and advice alone. A check must find the commented code. A person chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.github_app.learning.checks.examples import Example
from assay.github_app.learning.checks.linter_table import LinterRule, least_phrase, linter_rules, spans_in, words_of
from assay.github_app.learning.checks.shared_code import is_conditional, named_checks, shared_checks
from assay.github_app.learning.checks.whole_change import change_checks
from assay.github_app.rule_matching.languages import globs_of, language_of
from assay.validators import CheckKind, CouldNotRun, LearnedCheck, run_checks_on

MOST_PROPOSALS = 6
MOST_EXAMPLES = 10
MOST_TRIED = 40
TIMEOUT_S = 10.0
LEAST_SCORE = 1.0
"""Score of a check that is proposed before the review by a model."""
LETTERS = "abcdefgh"
_OUTSIDE = re.compile(r"\b(?:library|production|outside (?:of )?tests|except in tests)\b", re.IGNORECASE)
_IN_TESTS = re.compile(
    r"\bin (?:the |our )?(?:tests?|specs?)\b|\btests? (?:should|must|never|may not)\b", re.IGNORECASE
)
_TEST_FOLDERS = ("**/test/**", "**/tests/**", "**/__tests__/**", "**/spec/**")
_TESTS = (*_TEST_FOLDERS, "test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "*Test.*", "*Tests.*")
_TEST_PATH = re.compile(r"(?:^|/)(?:__)?(?:tests?|spec)(?:__)?/|(?:^|/)test_|[._]test\.|[._]spec\.|Tests?\.\w+$")


class Way(StrEnum):
    """How a rule is upheld."""

    linter = "linter"
    pattern = "pattern"
    change = "change"
    review = "review"
    advice = "advice"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a check would have found: lines of the commented code, places of the base, and of the last changes.

    `None` where they could not be read.
    """

    num_commented: int = 0
    num_base: int | None = None
    num_changes: int | None = None
    num_read: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to uphold a rule, in the files of `paths`; `what` describes it in a few words."""

    way: Way
    what: str
    check: LearnedCheck | None = None
    paths: tuple[str, ...] = ("**",)
    effect: Effect = field(default_factory=Effect)

    @property
    def effect_text(self) -> str:
        """Effect in one line; "" for what has no check."""
        if self.check is None:
            return ""
        told = []
        if self.effect.num_base is not None:
            told.append(f"{_places(self.effect.num_base)} of the base")
        told.append(f"{self.effect.num_commented or 'none'} of the commented code")
        if self.effect.num_changes is not None:
            told.append(f"{self.effect.num_changes or 'none'} of the last {self.effect.num_read} changes")
        return f"would have matched {', '.join(told)}"


@dataclass(frozen=True, slots=True)
class Past:
    """Files of the base (path, text), and the files of past changes with the numbers of the lines they added."""

    base: Sequence[tuple[str, str]] = ()
    changes: Sequence[Sequence[tuple[str, str, frozenset[int]]]] = ()


def propose(texts: Sequence[str], examples: Sequence[Example], past: Past | None = None) -> list[Proposal]:
    """Return the proposals for a rule: `texts` are its wording and the comments that ask for it.

    There are always the review by a model and advice; a check is proposed only if it finds the commented code, or
    there is no such code. Raises `CouldNotRun` if there is no check, and one could not be tried.
    """
    examples = list(examples)[:MOST_EXAMPLES]
    tried = _distinct([*_by_linter(texts, examples), *_by_code(texts, examples), *_by_change(texts, examples)])
    found, why_not = _that_find(tried[:MOST_TRIED], examples)
    if why_not is not None and not any(one.check for _, one in found):
        raise CouldNotRun(why_not)
    found.sort(key=lambda pair: -pair[0])
    chosen = [(score, _with_effect(one, past)) for score, one in found[:MOST_PROPOSALS]]
    scope = chosen[0][1].paths if chosen else _scope(" ".join(texts), examples)
    review = Proposal(Way.review, "a question to the model that reviews changes", paths=scope)
    advice = Proposal(Way.advice, "advice to authors and agents, never checked", paths=scope)
    good = [one for score, one in chosen if score >= LEAST_SCORE]
    return [*good, review, *(one for score, one in chosen if score < LEAST_SCORE), advice]


_Scored = tuple[float, Proposal]


def _by_linter(texts: Sequence[str], examples: Sequence[Example]) -> Iterator[_Scored]:
    languages = {language_of(one.path) for one in examples}
    words = [(words_of(text), words_of(spans_in(text)), least_phrase(text) if examples else 2) for text in texts]
    for rule in linter_rules():
        if languages and rule.languages and languages.isdisjoint(rule.languages):
            continue
        fits = ((2.0 * rule.fit(one, least), rule.fit(spans)) for one, spans, least in words)
        fit = max((fit + 1.5 * bool(in_span) if fit else 0.0 for fit, in_span in fits), default=0.0)
        if fit:
            yield fit, _of_linter(rule, " ".join(texts), examples)


def _of_linter(rule: LinterRule, text: str, examples: Sequence[Example]) -> Proposal:
    what = f"{rule.name} of {rule.linter}"
    if rule.check is None:
        return Proposal(Way.review, f"{what}, in the repository's own settings", paths=_scope(text, examples))
    how = what if rule.check.kind is CheckKind.ruff else f"the search for {what}"
    paths = _scope(text, examples, rule.languages, is_outside=rule.is_outside_tests)
    return Proposal(Way.linter, how, rule.check, paths)


def _by_code(texts: Sequence[str], examples: Sequence[Example]) -> Iterator[_Scored]:
    for text in texts:
        pairs = [pair for one in examples for pair in shared_checks(text, one)] if examples else named_checks(text)
        for place, (token, check) in enumerate(pairs):
            score = (3.0 if f"`{token}`" in text else 1.5) - 0.05 * place
            if is_conditional(text, token):
                score -= 3.0
            yield score, Proposal(Way.pattern, _described(token, check), check, _scope(text, examples))


def _by_change(texts: Sequence[str], examples: Sequence[Example]) -> Iterator[_Scored]:
    for text in texts:
        for score, what, check in change_checks(text, [one.path for one in examples]):
            yield score, Proposal(Way.change, what, check)


def _described(token: str, check: LearnedCheck) -> str:
    if check.kind is CheckKind.named:
        return f"uses of `{check.pattern}`, under any name"
    if check.kind is CheckKind.ast_grep:
        return f"calls like `{token}`"
    return f"`{token}` in {'comments' if check.where == 'comments' else 'code'}"


def _scope(
    text: str, examples: Sequence[Example], languages: Sequence[str] = (), *, is_outside: bool = False
) -> tuple[str, ...]:
    """Return where a rule applies: the files of the language of its examples, tests alone, or all but tests."""
    names = dict.fromkeys(filter(None, (language_of(one.path) for one in examples))) or dict.fromkeys(languages)
    if "typescript" in names or "javascript" in names:
        names = {**names, "typescript": None, "javascript": None}
    globs = tuple(glob for name in names for glob in globs_of(name))[:9] or ("**",)
    is_test = any(_TEST_PATH.search(one.path) for one in examples)
    if is_test and _IN_TESTS.search(text):
        return _TESTS
    if not is_test and (is_outside or _OUTSIDE.search(text)):
        return (*globs, *(f"!{glob}" for glob in _TESTS))
    return globs


def _distinct(found: Sequence[_Scored]) -> list[_Scored]:
    """Return each check once, with its best score, best first."""
    best: dict[str, _Scored] = {}
    for score, one in found:
        key = repr(one.check) if one.check is not None else one.what
        if key not in best or best[key][0] < score:
            best[key] = (score, one)
    return sorted(best.values(), key=lambda pair: -pair[0])


def _that_find(found: Sequence[_Scored], examples: Sequence[Example]) -> tuple[list[_Scored], str | None]:
    """Return the proposals whose check finds commented code, and why one was not tried.

    One that finds the commented line itself scores more.
    """
    of_files = [pair for pair in found if pair[1].way in (Way.linter, Way.pattern)]
    kept = [pair for pair in found if pair[1].way is Way.change or pair[1].check is None]
    texts = [(f"{i}/{one.path}", one.text) for i, one in enumerate(examples)]
    answers = run_checks_on([one.check for _, one in of_files if one.check is not None], texts, TIMEOUT_S)
    for (score, one), answer in zip(of_files, answers, strict=True):
        lines = {(i, line) for i, start, end in answer.places for line in range(start, min(end, start + 50) + 1)}
        hits = sum(any((i, line) in lines for line in example.lines) for i, example in enumerate(examples))
        exact = any((i, example.line) in lines for i, example in enumerate(examples))
        if examples and not hits:
            continue
        kept.append((score + 0.5 * exact, replace(one, effect=Effect(hits))))
    return kept, next((answer.why_not for answer in answers if answer.why_not), None)


def _with_effect(one: Proposal, past: Past | None) -> Proposal:
    if one.check is None or past is None or one.way is Way.change:
        return one
    files = [file for change in past.changes for file in change]
    texts = [*past.base, *((f"c{i}/{path}", text) for i, (path, text, _) in enumerate(files))]
    (answer,) = run_checks_on([one.check], texts, TIMEOUT_S)
    num_base = len({place for place in answer.places if place[0] < len(past.base)})
    hit = {
        i - len(past.base)
        for i, start, end in answer.places
        if i >= len(past.base) and _is_added(files[i - len(past.base)][2], start, end)
    }
    at, num_broken = 0, 0
    for change in past.changes:
        num_broken += any(i in hit for i in range(at, at + len(change)))
        at += len(change)
    effect = Effect(one.effect.num_commented, num_base, num_broken, len(past.changes))
    return replace(one, effect=effect)


def _is_added(added: frozenset[int], start: int, end: int) -> bool:
    return any(start <= line <= end for line in added)


def _places(num: int) -> str:
    return f"{num or 'no'} place{'' if num == 1 else 's'}"
