"""What was not checked: the questions a report answers for each changed file, and where it cannot.

A question that does not apply to a file (the complexity of a picture) is not unknown. One that applies and that no
analyzer answered is, with its reason; nothing in a report may say "None" about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.validators.changes.language_table import Kind, Language, names_of, of_kind
from assay.validators.report.annotations import Path
from assay.validators.wording import listed

USES = "which dependents use the change"
"""What was not checked where time ended before the uses were known."""


class Question(StrEnum):
    """Question a report answers for each changed file it applies to."""

    dependents = "dependents"
    interface = "interface"
    complexity = "complexity"
    duplication = "duplication"
    test_integrity = "test_integrity"
    coverage = "coverage"
    dependencies = "dependencies"
    secrets = "secrets"
    infrastructure = "infrastructure"
    dangers = "dangers"
    guards = "guards"
    supply_chain = "supply_chain"
    schema = "schema"


QUESTIONS = {question: question.replace("_", " ") for question in Question} | {
    Question.interface: "public interface",
    Question.dangers: "dangerous code",
    Question.guards: "access checks",
    Question.schema: "database schema",
}
"""Names of the questions."""


class Missing(StrEnum):
    """Results without which a change needs approval: those of tests, or of every command."""

    tests = "tests missing"
    results = "results missing"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """What was not checked, and why; with a `question`, the changed `files` for which nothing answered it.

    `could_block`: a check was cut off, and its findings could have blocked. `is_source`: one of the files is source
    that ships, so the title may name it; `what` is their language or kind then. `is_aside`: an analyzer read the files,
    and what it does not check is hardly in them, so the first screen leaves it out.
    """

    what: str
    why: str
    could_block: bool = False
    question: Question | None = None
    files: tuple[Path, ...] = ()
    is_source: bool = False
    is_aside: bool = False


SCANNED = (Question.secrets, Question.dangers)
"""The questions that scanners answer; Tier 3 searches for dangers too, for fewer of them."""
_QUALITY = (Question.complexity, Question.duplication, Question.test_integrity)
BY_TIER = (SCANNED, _QUALITY, tuple(each for each in Question if each not in (Question.secrets, *_QUALITY)))
"""The questions of each tier, in the tiers' order."""
_BY_KIND = {
    Kind.code: "dependents interface complexity duplication coverage dangers guards",
    Kind.template: "dependents duplication dangers",
    Kind.style: "dependents duplication",
    Kind.query: "dependents duplication",
    Kind.interface: "dependents interface",
    Kind.notebook: "complexity duplication dangers",
    Kind.infrastructure: "infrastructure",
}
"""Questions that apply to files of a kind; none to settings, prose and data."""


def questions_of(language: Language | None, *, is_test: bool = False) -> frozenset[Question]:
    """Return the questions that apply to a file of this language; an unlisted kind counts as code."""
    kind = language.kind if language is not None else Kind.code
    asked = frozenset(map(Question, _BY_KIND.get(kind, "").split()))
    if is_test:
        asked &= {Question.complexity, Question.duplication}
        asked |= {Question.test_integrity} if kind is Kind.code else frozenset()
    return asked | {Question.secrets}


def unknown_of_source(unknown: Collection[NotChecked]) -> Iterator[tuple[Question, list[str]]]:
    """Yield what a title may name of changed source, with its languages: contracts, dependents, other interfaces."""
    contracts = frozenset(names_of(of_kind(Kind.interface)))
    # What a contract file promises comes first, and who uses such a file is not asked.
    asked = ((Question.interface, True), (Question.dependents, False), (Question.interface, False))
    for question, is_contract in asked:
        found = (one for one in about(unknown, question) if one.is_source and (one.what in contracts) is is_contract)
        if names := list(dict.fromkeys(one.what for one in found)):
            yield question, names


def open_questions(notes: Iterable[NotChecked]) -> tuple[NotChecked, ...]:
    """Return the entries that leave a question open."""
    return tuple(one for one in notes if one.question is not None)


def about(unknown: Iterable[NotChecked], *questions: Question) -> list[NotChecked]:
    """Return the entries on these questions."""
    return [one for one in unknown if one.question in questions]


def in_words(unknown: Iterable[NotChecked]) -> str:
    """Return `unknown (Go, Rust)`, or "" if everything is known."""
    names = list(dict.fromkeys(one.what for one in unknown))
    return f"unknown ({listed(names, 3)})" if names else ""
