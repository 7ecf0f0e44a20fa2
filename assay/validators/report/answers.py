"""Which changed files a question applies to, and what is unknown once the analyzers of a tier have run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.validators.change import ChangedFile, FileKind
from assay.validators.classify import Nature
from assay.validators.language_table import Kind, language_of, suffix_of
from assay.validators.manifest_table import is_lock, manifest_of
from assay.validators.report.model import Outcome, QualityResult, RiskAssessment, ToolKind, ToolRun, ToolsResult
from assay.validators.report.unknown import BY_TIER, Question, Unknown, grouped, questions_of

NO_ANALYZER = "no analyzer covers it"
_UNREAD = {
    FileKind.binary: "binary content is not read",
    FileKind.oversize: "too large to be read",
    FileKind.symlink: "links are not followed",
    FileKind.submodule: "a submodule's content is another repository",
}
_LEFT_OUT = frozenset((Question.complexity, Question.duplication, Question.coverage))
"""What generated and vendored code is not asked: nobody writes it by hand."""
_OF_THE_HEAD = frozenset(
    (
        *(Question.complexity, Question.duplication, Question.secrets),
        *(Question.dangers, Question.guards, Question.supply_chain, Question.schema),
    )
)
"""What a deleted file is not asked: it holds nothing any more, and takes its checks with it."""
_OF_MANIFESTS = frozenset((Question.dependencies, Question.supply_chain))
_MIGRATION = re.compile(r"(?:^|/)(?:migrate|[Mm]igrations?)/")
_NAMED_IN_TITLE = frozenset((Kind.code, Kind.interface))


class Analyzer(Protocol):
    """What says of itself which question it answers, and for which rows of the table of languages."""

    @property
    def answers(self) -> Question | None:
        """The question; None where its findings answer none of them."""

    @property
    def covers(self) -> frozenset[str]:
        """Keys of languages or manifests it can read."""


def asked_of(file: ChangedFile) -> frozenset[Question]:
    """The questions that apply to a changed file. Empty where only its name or mode changed."""
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
    if file.nature is Nature.source and _MIGRATION.search(file.path) is not None:
        asked |= {Question.schema}
    if manifest_of(file.path) is not None and file.nature not in (Nature.test, Nature.vendored, Nature.generated):
        asked |= {Question.dependencies, *(() if is_lock(file.path) else (Question.supply_chain,))}
    return asked if file.exists else asked - _OF_THE_HEAD


@dataclass
class Answers:
    """What the analyzers of one tier answered: fill it as they run, then ask for `unknown`."""

    files: Collection[ChangedFile]
    _covered: dict[Question, set[str]] = field(default_factory=dict)
    _failed: dict[Question, list[tuple[frozenset[str], str]]] = field(default_factory=dict)
    _said: list[Unknown] = field(default_factory=list)

    def ran(self, analyzer: Analyzer) -> None:
        """Note that an analyzer did its work."""
        if analyzer.answers is not None:
            self._covered.setdefault(analyzer.answers, set()).update(analyzer.covers)

    def failed(self, analyzer: Analyzer, why: str) -> None:
        """Note that an analyzer gave no answer."""
        if analyzer.answers is not None:
            self._covered.setdefault(analyzer.answers, set())
            self._failed.setdefault(analyzer.answers, []).append((analyzer.covers, why))

    def say(self, unknown: Unknown) -> None:
        """Take what an analyzer itself could not answer."""
        self._said.append(unknown)

    def unknown(self) -> tuple[Unknown, ...]:
        """Every unknown answer, by question."""
        said = {(one.question, path) for one in self._said for path in one.files}
        found = list(self._said)
        for question in sorted(self._covered, key=list(Question).index):
            asked = [file for file in self.files if question in asked_of(file) and (question, file.path) not in said]
            found += grouped(question, self._gaps(question, asked))
        return tuple(found)

    def _gaps(self, question: Question, files: Iterable[ChangedFile]) -> Iterator[tuple[str, str, str, bool]]:
        for file in files:
            key, name = _row(file, question)
            why = self._why(question, key, file)
            if why:
                yield file.path, name, why, is_title_worthy(file)

    def _why(self, question: Question, key: str, file: ChangedFile) -> str:
        """Why nothing answered; "" where something did."""
        covered = key in self._covered[question]
        is_streamed = file.nature is Nature.lock and file.kind is FileKind.oversize
        if covered and (file.kind is FileKind.text or is_streamed):
            return ""
        if covered:
            return _UNREAD[file.kind]
        return next((why for keys, why in self._failed.get(question, ()) if key in keys), NO_ANALYZER)


def unanswered(files: Iterable[ChangedFile], question: Question, why: str) -> Iterator[Unknown]:
    """The question as unknown for all of these files it applies to, for one reason."""
    asked = (file for file in files if question in asked_of(file))
    yield from grouped(question, ((file.path, _row(file, question)[1], why, is_title_worthy(file)) for file in asked))


def answered(
    files: Iterable[Mapping[str, Any]], tiers: tuple[ToolsResult | None, QualityResult | None, RiskAssessment | None]
) -> tuple[dict[str, Any], ...]:
    """The report's list of files, each with those of the questions it is asked that these tiers leave unknown."""
    unknown: dict[str, set[str]] = defaultdict(set)
    for tier in tiers:
        for one in tier.unknown if tier is not None else ():
            for path in one.files:
                unknown[path].add(str(one.question))
    lost = {str(question) for question in _lost(*tiers)}
    return tuple(
        {**file, "unknown": sorted(set(file.get("asked", ())) & (unknown[file["path"]] | lost))} for file in files
    )


def _lost(tools: ToolsResult | None, quality: QualityResult | None, risk: RiskAssessment | None) -> Iterator[Question]:
    """The questions that nothing answered for any file."""
    for tier, questions in zip((tools, quality, risk), BY_TIER, strict=True):
        if tier is None:
            yield from questions
    if tools is not None and not any(scanned(run) for run in tools.runs):
        yield Question.secrets
    if risk is not None and risk.coverage.percent is None:
        yield Question.coverage


def scanned(run: ToolRun) -> bool:
    """Whether a run is that of a scanner that did its work."""
    return run.kind is ToolKind.sast and run.outcome in (Outcome.passed, Outcome.failed)


def language_name(path: str) -> str:
    """What reports call the kind of file at this path: `Go`, or "`.xyz` files" where the table does not know it."""
    language = language_of(path)
    if language is not None:
        return language.name
    suffix = suffix_of(path)
    return f"{suffix} files" if suffix[1:].isalnum() and len(suffix) <= 12 else "files of no known kind"


def is_title_worthy(file: ChangedFile) -> bool:
    """Whether an unknown about this file may stand in the title: source that ships."""
    language = language_of(file.path)
    if language is None or language.kind not in _NAMED_IN_TITLE:
        return False
    return file.nature is Nature.source or (language.kind is Kind.interface and file.nature is Nature.config)


def _row(file: ChangedFile, question: Question) -> tuple[str, str]:
    """The key and the name that decide whether an analyzer covers the file."""
    if question in _OF_MANIFESTS and (manifest := manifest_of(file.path)) is not None:
        return manifest.key, manifest.name
    language = language_of(file.path)
    return language.key if language is not None else "", language_name(file.path)
