"""Questions that apply to changed files, and those left unknown after a tier's analyzers ran."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assay.validators.changes.change import ChangedFile, FileKind
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import Kind, language_of, suffix_of
from assay.validators.changes.manifest_table import is_lock, manifest_of, names_new_package
from assay.validators.report.change_facts import FileEntry
from assay.validators.report.model import Outcome, QualityResult, RiskAssessment, ToolKind, ToolsResult
from assay.validators.report.unknown import BY_TIER, NotChecked, Question, questions_of

NO_ANALYZER = "no analyzer covers it"
_UNREAD = {
    FileKind.binary: "binary content is not read",
    FileKind.oversize: "too large to be read",
    FileKind.symlink: "links are not followed",
    FileKind.submodule: "a submodule's content is another repository",
}
_LEFT_OUT = {Question.complexity, Question.duplication, Question.coverage}
"""Questions that do not apply to generated and vendored code, which is not written by hand."""
_OF_THE_HEAD = frozenset(map(Question, "complexity duplication secrets dangers guards supply_chain schema".split()))
"""Questions that do not apply to a deleted file, which has no content."""
_OF_MANIFESTS = {Question.dependencies, Question.supply_chain}
MIGRATIONS = re.compile(r"(?:^|/)(?:migrate|[Mm]igrations?)/")
"""Folders of migrations, of a database's schema or of data."""
_NAMED_IN_TITLE = frozenset((Kind.code, Kind.interface))


class Analyzer(Protocol):
    """Analyzer that declares which question it answers, and for which rows of the language table."""

    @property
    def answers(self) -> Question | None:
        """Question it answers, or None."""

    @property
    def covers(self) -> frozenset[str]:
        """Keys of the languages or manifests it reads."""


def asked_of(file: ChangedFile) -> frozenset[Question]:
    """Return the questions that apply to a changed file; none if only its name or mode changed."""
    if file.kind is FileKind.text and not file.hunks and file.status.value in ("renamed", "modified"):
        return frozenset()
    language = language_of(file.path)
    asked = questions_of(language, is_test=file.nature is Nature.test)
    if language is None and (file.kind is not FileKind.text or file.nature is not Nature.data):
        asked = frozenset((Question.secrets,))
    if file.nature in (Nature.generated, Nature.vendored):
        asked -= _LEFT_OUT
    elif file.nature in (Nature.docs, Nature.lock):
        asked &= {Question.secrets}
    if file.nature is Nature.source and MIGRATIONS.search(file.path) is not None:
        asked |= {Question.schema}
    if file.nature not in (Nature.test, Nature.vendored, Nature.generated):
        if manifest_of(file.path) is not None:
            asked |= {Question.dependencies, *(() if is_lock(file.path) else (Question.supply_chain,))}
        elif names_new_package(file.path, file.added.values(), file.removed.values()):
            asked |= {Question.dependencies}
    return asked if file.exists else asked - _OF_THE_HEAD


@dataclass
class Answers:
    """Answers of one tier's analyzers: record them as they run, then read `unknown`."""

    files: Collection[ChangedFile]
    _covered: dict[Question, set[str]] = field(default_factory=dict)
    _failed: dict[Question, list[tuple[frozenset[str], str]]] = field(default_factory=dict)
    _said: list[NotChecked] = field(default_factory=list)

    def ran(self, analyzer: Analyzer) -> None:
        """Record that an analyzer ran."""
        if analyzer.answers is not None:
            self._covered.setdefault(analyzer.answers, set()).update(analyzer.covers)

    def failed(self, analyzer: Analyzer, why: str) -> None:
        """Record that an analyzer failed."""
        if analyzer.answers is not None:
            self._covered.setdefault(analyzer.answers, set())
            self._failed.setdefault(analyzer.answers, []).append((analyzer.covers, why))

    def say(self, unknown: NotChecked) -> None:
        """Record a question that an analyzer could not answer."""
        self._said.append(unknown)

    def unknown(self) -> tuple[NotChecked, ...]:
        """Return every unknown answer, by question."""
        said = {(one.question, path) for one in self._said for path in one.files}
        found = list(self._said)
        for question in sorted(self._covered, key=list(Question).index):
            asked = [file for file in self.files if question in asked_of(file) and (question, file.path) not in said]
            found += _grouped(question, ((file, self._why(question, file)) for file in asked))
        return tuple(found)

    def _why(self, question: Question, file: ChangedFile) -> str:
        """Return why no analyzer answered, or "" if one did."""
        key, _ = _row(file, question)
        if key not in self._covered[question]:
            return next((why for keys, why in self._failed.get(question, ()) if key in keys), NO_ANALYZER)
        is_streamed = file.nature is Nature.lock and file.kind is FileKind.oversize
        return "" if is_streamed else _UNREAD.get(file.kind, "")


def unanswered(files: Iterable[ChangedFile], question: Question, why: str) -> Iterator[NotChecked]:
    """Yield the question as unknown, for one reason, for all files it applies to."""
    return _grouped(question, ((file, why) for file in files if question in asked_of(file)))


def _grouped(question: Question, files: Iterable[tuple[ChangedFile, str]]) -> Iterator[NotChecked]:
    """Yield one entry for each language and reason; a file without a reason has an answer."""
    groups: dict[tuple[str, str], list[ChangedFile]] = defaultdict(list)
    for file, why in files:
        if why:
            groups[_row(file, question)[1], why].append(file)
    for (what, why), members in groups.items():
        paths = tuple(file.path for file in members)
        yield NotChecked(what, why, question=question, files=paths, is_source=any(map(is_title_worthy, members)))


def answered(
    files: Iterable[FileEntry], tiers: tuple[ToolsResult | None, QualityResult | None, RiskAssessment | None]
) -> tuple[FileEntry, ...]:
    """Return the report's files, each with the questions these tiers leave unknown."""
    tools, _, risk = tiers
    lost = {each for tier, asked in zip(tiers, BY_TIER, strict=True) if tier is None for each in asked}
    ended = (Outcome.passed, Outcome.failed)
    if tools is not None and not any(run.kind is ToolKind.sast and run.outcome in ended for run in tools.runs):
        lost.add(Question.secrets)
    if risk is not None and risk.coverage.percent is None:
        lost.add(Question.coverage)
    notes = [one for tier in tiers if tier is not None for one in tier.not_checked]
    unknown = {(path, one.question) for one in notes for path in one.files}
    return tuple(
        {**file, "unknown": sorted(one for one in {*file["asked"]} if one in lost or (file["path"], one) in unknown)}
        for file in files
    )


def account_of(file: ChangedFile, *, is_excluded: bool) -> FileEntry:
    """Return the entry of a file in the list of all changed files, with nothing unknown yet."""
    return {
        "path": file.path,
        "base_path": file.base_path,
        "status": file.status,
        "kind": file.kind,
        "nature": file.nature,
        "claimed": file.claimed,
        "added": sum(len(hunk.head_lines) for hunk in file.hunks),
        "removed": sum(len(hunk.base_lines) for hunk in file.hunks),
        "added_lines": _ranges((hunk.head_start, hunk.head_lines) for hunk in file.hunks),
        "removed_lines": _ranges((hunk.base_start, hunk.base_lines) for hunk in file.hunks),
        "language": language_name(file.path),
        "asked": [] if is_excluded else sorted(asked_of(file)),
        "unknown": [],
    }


def _ranges(places: Iterable[tuple[int, Sequence[object]]]) -> list[list[int]]:
    return [[start, start + len(lines) - 1] for start, lines in places if lines]


def language_name(path: str) -> str:
    """Return the name of a file's kind: `Go`, or "`.xyz` files" if the language table lacks it."""
    language = language_of(path)
    if language is not None:
        return language.name
    suffix = suffix_of(path)
    return f"{suffix} files" if suffix[1:].isalnum() and len(suffix) <= 12 else "files of no known kind"


def is_title_worthy(file: ChangedFile) -> bool:
    """Return whether the title may name an unknown of this file: shipped source only."""
    language = language_of(file.path)
    if language is None or language.kind not in _NAMED_IN_TITLE:
        return False
    return file.nature is Nature.source or (language.kind is Kind.interface and file.nature is Nature.config)


def _row(file: ChangedFile, question: Question) -> tuple[str, str]:
    """Return the key and the name that decide whether an analyzer covers the file."""
    if question in _OF_MANIFESTS and (manifest := manifest_of(file.path)) is not None:
        return manifest.key, manifest.name
    language = language_of(file.path)
    return language.key if language is not None else "", language_name(file.path)
