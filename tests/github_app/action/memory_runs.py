"""Runs of a schedule that examine a memory, and the repository they leave reports and issues in."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.action.memory.report import memory_report
from assay.github.client import ArtifactFacts, IssueFacts, Repo
from assay.github.events.model import Person
from assay.memory_eval import EvalReport, EvalResult
from tests.github_app.action.jobs import environment as job_environment


def result(number: int, score: float | None, **more: Any) -> EvalResult:
    given = {"question": f"Question {number}?", "category": "needle_in_haystack"} | more
    return EvalResult(
        question_id=f"q{number}", score=score, dimensions={}, expected="x", answer="y", reasoning="", **given
    )


def report(seed: int | None = 42, score: float = 0.8, num: int = 20, **more: Any) -> EvalReport:
    results = [result(number, score) for number in range(num)]
    given: dict[str, Any] = {"world_version": "1", "agent": "mine"} | more
    return EvalReport(
        num_turns=100, num_questions=num, total_facts_delivered=80, learning_time_s=1.0, questioning_time_s=1.0,
        grading_time_s=0.1, overall_score=score, category_breakdown=(), results=results, memory_stats={}, seed=seed,
        **given,
    )  # fmt: skip


def packed(content: bytes, name: str = "report.json") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


class Store(Repo):
    """The artifacts of a repository."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[ArtifactFacts, bytes]] = {}

    def keep(self, name: str, content: bytes | EvalReport, *, run: int = 7, branch: str = "main", of: int = 1) -> None:
        content = json.dumps(content.to_dict()).encode() if isinstance(content, EvalReport) else content
        archive, number = packed(content), len(self.kept) + 1
        digest = f"sha256:{hashlib.sha256(archive).hexdigest()}"
        facts = ArtifactFacts(number, name, len(archive), False, run, None, digest, branch, of)
        self.kept[number] = (facts, archive)

    def expire(self, run: int) -> None:
        for number, (facts, archive) in self.kept.items():
            if facts.run_id == run:
                self.kept[number] = (replace(facts, is_expired=True), archive)

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        return tuple(one for one, _ in self.kept.values() if one.run_id == run_id and name in (None, one.name))

    def artifacts_named(self, name: str) -> Iterator[ArtifactFacts]:
        yield from (one for one, _ in reversed(self.kept.values()) if one.name == name)

    def artifact_archive(self, artifact_id: int, most_bytes: int, deadline_s: float = 0) -> bytes:
        return self.kept[artifact_id][1]


class Tracker(Repo):
    """The issues of a repository."""

    def __init__(self) -> None:
        self.issues: dict[int, tuple[IssueFacts, str, bool]] = {}

    def open_issues(self, label: str) -> Iterator[IssueFacts]:
        yield from (issue for issue, named, is_open in self.issues.values() if is_open and named == label)

    def create_issue(self, title: str, body: str, label: str) -> IssueFacts:
        number = len(self.issues) + 1
        issue = IssueFacts(number, title, body, Person("github-actions[bot]", 9, "Bot"), f"https://x/{number}")
        self.issues[number] = (issue, label, True)
        return issue

    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts:
        issue = replace(self.issues[number][0], title=title, body=body)
        self.issues[number] = (issue, self.issues[number][1], is_open)
        return issue


def mixed(score: float, **more: Any) -> EvalReport:
    """A report of forty questions, ten of them half right whatever the score of the others."""
    results = [result(number, score if number % 4 else 0.5) for number in range(40)]
    return replace(report(42, (3 * score + 0.5) / 4, 40, **more), results=results)


class Fake(Store, Tracker):
    """A repository: its artifacts and its issues."""

    def __init__(self) -> None:
        Store.__init__(self)
        Tracker.__init__(self)


class Nightly:
    """The runs of a schedule, each with the report that the one before left."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.repo, self.run_id = folder, Fake(), 0

    def run(
        self, score: float | None, *, keeps: bool = True, environment: Mapping[str, str] | None = None, **given: str
    ) -> dict[str, str]:
        """One run that found this score; its outputs. `given` are inputs, `environment` goes before what is usual."""
        self.run_id += 1
        here = self.folder / str(self.run_id)
        here.mkdir()
        if score is not None:
            self.repo.keep("assay-memory-42-data", mixed(score), run=self.run_id)
        inputs = {"EXAMS": "[42]"} | {name.upper(): value for name, value in given.items()}
        env = job_environment(here, RUN_ID=str(self.run_id), REPOSITORY_ID="1", **inputs) | dict(environment or {})
        env["GITHUB_WORKSPACE"] = str(self.folder)
        self.code = memory_report(env)
        outputs = dict(line.split("=", 1) for line in (here / "output").read_text().splitlines())
        self.summary = (here / "summary").read_text()
        if keeps:
            self.repo.keep("assay-memory-report-data", Path(outputs["report"]).read_bytes(), run=self.run_id)
        return outputs

    @property
    def issues(self) -> list[tuple[str, bool]]:
        return [(issue.body, is_open) for issue, _, is_open in self.repo.issues.values()]

    @property
    def is_open(self) -> list[bool]:
        return [is_open for _, is_open in self.issues]
