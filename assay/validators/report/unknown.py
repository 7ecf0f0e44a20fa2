"""Unknown answers: the questions a report answers for each changed file, and where it cannot.

A question that does not apply to a file (the complexity of a picture) is not unknown. One that applies and that no
analyzer answered is, with its reason; nothing in a report may say "None" about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.validators.changes.language_table import Kind, Language, names_of, of_kind
from assay.validators.report.annotations import Path
from assay.validators.wording import listed


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
class Unknown:
    """Question without an answer for some changed files, with their language or kind and the reason.

    `is_source`: one of them is source that ships, so the title may name it.
    """

    question: Question
    what: str
    why: str
    files: tuple[Path, ...] = ()
    is_source: bool = False


SCANNED = (Question.secrets, Question.dangers)
"""The questions that scanners answer; Tier 3 searches for dangers too, for fewer of them."""
BY_TIER = (
    SCANNED,
    (Question.complexity, Question.duplication, Question.test_integrity),
    (
        *(Question.dependents, Question.interface, Question.coverage, Question.dependencies, Question.infrastructure),
        *(Question.dangers, Question.guards, Question.supply_chain, Question.schema),
    ),
)
"""The questions of each tier, in the tiers' order."""
_CODE = frozenset(
    (
        *(Question.dependents, Question.interface, Question.complexity, Question.duplication, Question.coverage),
        *(Question.dangers, Question.guards),
    )
)
_BY_KIND: dict[Kind, frozenset[Question]] = {
    Kind.code: _CODE,
    Kind.template: frozenset((Question.dependents, Question.duplication, Question.dangers)),
    Kind.style: frozenset((Question.dependents, Question.duplication)),
    Kind.query: frozenset((Question.dependents, Question.duplication)),
    Kind.interface: frozenset((Question.dependents, Question.interface)),
    Kind.notebook: frozenset((Question.complexity, Question.duplication, Question.dangers)),
    Kind.infrastructure: frozenset((Question.infrastructure,)),
    Kind.settings: frozenset(),
    Kind.prose: frozenset(),
    Kind.data: frozenset(),
}


def questions_of(language: Language | None, *, is_test: bool = False) -> frozenset[Question]:
    """Return the questions that apply to a file of this language; an unlisted kind counts as code."""
    asked = _CODE if language is None else _BY_KIND[language.kind]
    if is_test:
        asked &= {Question.complexity, Question.duplication}
        is_code = language is None or language.kind is Kind.code
        asked |= {Question.test_integrity} if is_code else frozenset()
    return asked | {Question.secrets}


def grouped(question: Question, files: Iterable[tuple[str, str, str, bool]]) -> Iterator[Unknown]:
    """Yield one `Unknown` per language and reason of these files: (path, language, why, whether it is source)."""
    groups: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for path, what, why, is_source in files:
        groups[what, why].append((path, is_source))
    for (what, why), members in groups.items():
        paths = tuple(path for path, _ in members)
        yield Unknown(question, what, why, paths, any(is_source for _, is_source in members))


def unknown_of_source(unknown: Collection[Unknown]) -> Iterator[tuple[Question, list[str]]]:
    """Yield what a title may name of changed source, with its languages: contracts, dependents, other interfaces."""
    contracts = frozenset(names_of(of_kind(Kind.interface)))
    # What a contract file promises comes first, and who uses such a file is not asked.
    interfaces = [one for one in about(unknown, Question.interface) if one.is_source and one.what in contracts]
    dependents = [one for one in about(unknown, Question.dependents) if one.is_source and one.what not in contracts]
    others = [one for one in about(unknown, Question.interface) if one.is_source and one.what not in contracts]
    asked = ((Question.interface, interfaces), (Question.dependents, dependents), (Question.interface, others))
    for question, found in asked:
        names = list(dict.fromkeys(one.what for one in found))
        if names:
            yield question, names


def about(unknown: Iterable[Unknown], *questions: Question) -> list[Unknown]:
    """Return the unknown answers to these questions."""
    return [one for one in unknown if one.question in questions]


def in_words(unknown: Collection[Unknown]) -> str:
    """Return `unknown (Go, Rust)`, or "" if everything is known."""
    if not unknown:
        return ""
    names = list(dict.fromkeys(one.what for one in unknown))
    return f"unknown ({listed(names, 3)})"
