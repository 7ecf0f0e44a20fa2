"""What was not checked: the questions a report answers for each changed file, and where it cannot.

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


def grouped(question: Question, files: Iterable[tuple[str, str, str, bool]]) -> Iterator[NotChecked]:
    """Yield one entry per language and reason of these files: (path, language, why, whether it is source)."""
    groups: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for path, what, why, is_source in files:
        groups[what, why].append((path, is_source))
    for (what, why), members in groups.items():
        paths = tuple(path for path, _ in members)
        is_source = any(of_source for _, of_source in members)
        yield NotChecked(what, why, question=question, files=paths, is_source=is_source)


def unknown_of_source(unknown: Collection[NotChecked]) -> Iterator[tuple[Question, list[str]]]:
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


def open_questions(notes: Iterable[NotChecked]) -> tuple[NotChecked, ...]:
    """Return the entries that leave a question open."""
    return tuple(one for one in notes if one.question is not None)


def about(unknown: Iterable[NotChecked], *questions: Question) -> list[NotChecked]:
    """Return the entries on these questions."""
    return [one for one in unknown if one.question in questions]


def in_words(unknown: Collection[NotChecked]) -> str:
    """Return `unknown (Go, Rust)`, or "" if everything is known."""
    if not unknown:
        return ""
    names = list(dict.fromkeys(one.what for one in unknown))
    return f"unknown ({listed(names, 3)})"
