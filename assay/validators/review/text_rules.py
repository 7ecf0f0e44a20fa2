"""Check rules in words: ask which added lines break one, check the quotes, and refute each answer.

A rule may apply to files of any kind that people write, documents and settings included. The model gets their hunks
with the lines around them, and reads further with the tools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.llm import ModelUnavailable
from assay.validators.changes.change import ChangedFile, ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import ValidationConfig
from assay.validators.io.globs import matcher
from assay.validators.quality.inputs.changed_texts import read_files
from assay.validators.quality.inputs.severities import severity_of
from assay.validators.quality.inputs.text_rules import TextRule
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.review import MODEL_TOOL, Side
from assay.validators.report.unknown import NotChecked
from assay.validators.review.claims import Dropped, Place
from assay.validators.review.facts.fact import Neighbourhood
from assay.validators.review.facts.grouping import MOST_PARTS, split_by_lines
from assay.validators.review.facts.rendering import rendered, safe_line
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.asker import Asker, Question, ask_all
from assay.validators.review.questions.checking import ClaimDropped, changed_place, overlap, statement_of
from assay.validators.review.questions.schemas import MOST_CLAIMS, RULES
from assay.validators.review.refuting import REFUTATION, Verdict, statement_text, verdict_of
from assay.validators.review.trees import Trees

MOST_RULES = 30
"""Maximum rules in one question."""
MOST_REFUTED = 20
"""Maximum answers of one change that are refuted, and so reported."""
NO_ANSWER = "the model gave no answer"
TOO_MANY_RULES = "more rules than one question can hold"
TOO_MANY_LINES = "more lines than the questions can hold"
_NATURES = (Nature.source, Nature.test, Nature.docs, Nature.config, Nature.data)


@dataclass
class CheckedRules:
    """Findings of rules in words, counts of what was dropped, and what was not checked."""

    findings: list[Finding] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    dropped: Counter[Dropped] = field(default_factory=Counter)
    num_claims: int = 0
    num_refuted: int = 0
    was_asked: bool = False


@dataclass(frozen=True, slots=True)
class _Broken:
    """Answer that passed the checks: a rule, and the added lines that break it."""

    rule: TextRule
    place: Place
    why: str


@dataclass(frozen=True)
class TextRules:
    """Check of a change against rules in words; `ask` answers questions, `refute` the refutations."""

    change: ChangeSet
    rules: Sequence[TextRule]
    config: ValidationConfig
    ask: Asker
    refute: Asker

    def check(self, trees: Trees) -> CheckedRules:
        """Return the findings that stand."""
        checked = CheckedRules()
        on = [rule for rule in self.rules if severity_of(self.config, rule.name, rule.severity) is not None]
        scopes = {rule: matcher(rule.paths) for rule in on}

        def rules_of(path: str) -> list[TextRule]:
            return [rule for rule, holds in scopes.items() if holds(path)]

        read = read_files(self.change, *_NATURES, new_generated=True)
        files = [each.file for each in read if each.file.added and each.head_text is not None]
        files = [file for file in files if rules_of(file.path)]
        parts = list(split_by_lines(files))
        for file in (file for part in parts[MOST_PARTS:] for file in part):
            checked.not_checked.append(self._lost(f"rules in words on {shown(file.path)}", TOO_MANY_LINES, *self.rules))
        asked: list[list[TextRule]] = []
        for part in parts[:MOST_PARTS]:
            mine = {rule for file in part for rule in rules_of(file.path)}
            rules = [rule for rule in self.rules if rule in mine]
            checked.not_checked += [self._lost(rule.label, TOO_MANY_RULES, rule) for rule in rules[MOST_RULES:]]
            asked.append(rules[:MOST_RULES])
        self._settle(self._broken(parts[:MOST_PARTS], asked, trees, checked), trees, checked)
        checked.not_checked = list(dict.fromkeys(checked.not_checked))
        checked.dropped = +checked.dropped
        return checked

    def _lost(self, what: str, why: str, *rules: TextRule) -> NotChecked:
        """Return a note on rules that got no answer; what a model finds blocks as an error alone."""
        found = {severity_of(self.config, one.name, one.severity) for one in rules}
        return NotChecked(what, why, Severity.error in found)

    def _broken(
        self,
        parts: Sequence[tuple[ChangedFile, ...]],
        asked: Sequence[Sequence[TextRule]],
        trees: Trees,
        checked: CheckedRules,
    ) -> list[_Broken]:
        """Ask about the files of each part; return the answers that pass the checks."""
        questions: list[Question] = []
        for files, rules in zip(parts, asked, strict=True):
            part = Neighbourhood(files)
            questions.append(Question(rendered(part, trees), _question(rules), RULES))
            for one in part.left_out:
                checked.not_checked.append(self._lost(f"rules in words on {one}", TOO_MANY_LINES, *rules))
        checked.was_asked = bool(questions)
        found: list[_Broken] = []
        for rules, answer in zip(asked, ask_all(self.ask, questions), strict=True):
            if isinstance(answer, ModelUnavailable):
                checked.not_checked += [self._lost(rule.label, f"{NO_ANSWER}: {answer.text}", rule) for rule in rules]
                continue
            given = answer.get("findings")
            for one in given[:MOST_CLAIMS] if isinstance(given, list) else ():
                checked.num_claims += 1
                try:
                    broken = _checked(one, rules, trees)
                    if any(broken.rule is other.rule and overlap(broken.place, other.place) for other in found):
                        raise ClaimDropped(Dropped.duplicate)
                    found.append(broken)
                except ClaimDropped as drop:
                    checked.dropped[drop.why] += 1
        return found

    def _settle(self, found: Sequence[_Broken], trees: Trees, checked: CheckedRules) -> None:
        """Refute the answers; report each, or count why not."""
        kept = found[:MOST_REFUTED]
        checked.dropped[Dropped.over_limit] += len(found) - len(kept)
        checked.num_refuted += len(kept)
        questions = [
            Question(statement_text(one.place, _statement(one), trees), prompt("refute").text, REFUTATION)
            for one in kept
        ]
        for broken, answer in zip(kept, ask_all(self.refute, questions), strict=True):
            if isinstance(answer, ModelUnavailable):
                checked.dropped[Dropped.no_refutation] += 1
                why = f"{NO_ANSWER} to a refutation: {answer.text}"
                checked.not_checked.append(self._lost(broken.rule.label, why, broken.rule))
                continue
            verdict = verdict_of(answer, trees)
            if verdict is Verdict.stands:
                checked.findings.append(_finding(broken))
            else:
                checked.dropped[Dropped.refuted if verdict is Verdict.refuted else Dropped.not_upheld] += 1


def _statement(broken: _Broken) -> list[str]:
    return [f"These lines break a rule of the repository: {safe_line(broken.rule.text)}", broken.why]


def _question(rules: Iterable[TextRule]) -> str:
    lines = [
        f"{number}. {safe_line(rule.text)} (applies to {safe_line(', '.join(rule.paths))})"
        for number, rule in enumerate(rules, 1)
    ]
    return "\n".join([prompt("rules").text, "", "Rules:", *lines])


def _checked(given: Any, rules: Sequence[TextRule], trees: Trees) -> _Broken:
    """Return an answer whose rule applies to added lines that it quotes. Raises `ClaimDropped`."""
    number = given.get("rule") if isinstance(given, Mapping) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= len(rules):
        raise ClaimDropped(Dropped.invalid)
    rule, place = rules[number - 1], changed_place(given.get("place"), trees)
    if place.side is not Side.head:
        raise ClaimDropped(Dropped.not_changed)
    if not matcher(rule.paths)(place.path):
        raise ClaimDropped(Dropped.invalid)
    return _Broken(rule, place, statement_of(given, "why"))


def _finding(broken: _Broken) -> Finding:
    return Finding(
        tier=Tier.quality,
        severity=broken.rule.severity,
        rule=broken.rule.name,
        file=broken.place.path,
        line=broken.place.start,
        end_line=broken.place.end,
        message=f"{broken.rule.message}: {broken.why}",
        suggestion=broken.rule.suggestion,
        tool=MODEL_TOOL,
        context=broken.place.text,
    )
