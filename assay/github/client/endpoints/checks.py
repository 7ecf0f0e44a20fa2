"""Check Runs: read those of all Apps, write Assay's. A run is searched by `external_id` before it is created."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Any

from github.CheckRun import CheckRun

from assay.github.client.endpoints.repository_client import RepositoryClient
from assay.github.client.identity import Us
from assay.github.client.limits import (
    ANNOTATIONS_PER_REQUEST,
    MOST_ACTION_DESCRIPTION,
    MOST_ACTION_IDENTIFIER,
    MOST_ACTION_LABEL,
    MOST_ACTIONS,
    MOST_ANNOTATION_BYTES,
    MOST_OUTPUT_BYTES,
    MOST_TITLE,
)
from assay.github.client.requester import quoted, understood
from assay.github.client.truncate import cut, cut_chars
from assay.github.events.github_json import check_from, status_from
from assay.github.events.model import CheckFacts

CHECK_NAME = "Assay"
"""Fixed name, as branch protection refers to it; verdicts are in the title."""


class CheckStatus(StrEnum):
    """Status of a run in GitHub's terms."""

    queued = "queued"
    in_progress = "in_progress"
    completed = "completed"


class CheckConclusion(StrEnum):
    """Conclusion of a run in GitHub's terms, reduced to those Assay uses."""

    success = "success"
    failure = "failure"
    neutral = "neutral"
    cancelled = "cancelled"
    action_required = "action_required"


class Level(StrEnum):
    """Severity of an annotation in GitHub's terms."""

    notice = "notice"
    warning = "warning"
    failure = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """Note on lines of a file in the head (1-based, inclusive). GitHub shows `message` as plain text."""

    path: str
    start_line: int
    end_line: int
    level: Level
    title: str
    message: str

    def body(self) -> dict[str, Any]:
        """Serialize it within GitHub's limits."""
        return {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": max(self.end_line, self.start_line),
            "annotation_level": str(self.level),
            "title": cut_chars(self.title, MOST_TITLE),
            "message": cut(self.message, MOST_ANNOTATION_BYTES),
        }


@dataclass(frozen=True, slots=True)
class Button:
    """Button under a completed Check Run; a press sends `identifier` in a webhook."""

    label: str
    description: str
    identifier: str

    def __post_init__(self) -> None:
        for text, most in (
            (self.label, MOST_ACTION_LABEL),
            (self.description, MOST_ACTION_DESCRIPTION),
            (self.identifier, MOST_ACTION_IDENTIFIER),
        ):
            if not text or len(text) > most:
                raise ValueError(f"a button's text has 1 to {most} characters: {text!r}")


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """Content of a Check Run. `conclusion` is set exactly if `status` is `completed`."""

    status: CheckStatus
    title: str
    summary: str
    text: str = ""
    conclusion: CheckConclusion | None = None
    annotations: tuple[Annotation, ...] = ()
    buttons: tuple[Button, ...] = ()
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    def __post_init__(self) -> None:
        if (self.conclusion is not None) != (self.status is CheckStatus.completed):
            raise ValueError("a check run has a conclusion exactly when it is completed")
        if len(self.buttons) > MOST_ACTIONS:
            raise ValueError(f"a check run takes {MOST_ACTIONS} buttons at most")

    def content(self, annotations: Sequence[Any] = ()) -> dict[str, Any]:
        """Serialize the texts within GitHub's limits, with a batch of annotations."""
        texts = {
            "title": cut(cut_chars(self.title, MOST_TITLE), MOST_TITLE),
            "summary": cut(self.summary, MOST_OUTPUT_BYTES),
            "text": cut(self.text, MOST_OUTPUT_BYTES),
        }
        return {**texts, "annotations": annotations} if annotations else texts

    def begun(self) -> dict[str, Any]:
        """Return PyGithub's arguments for a run that more requests complete."""
        given = {"details_url": self.details_url, "started_at": self.started_at and self.started_at.astimezone(UTC)}
        return {"status": "in_progress"} | {name: value for name, value in given.items() if value}

    def ended(self) -> dict[str, Any]:
        """Return PyGithub's arguments for the last request."""
        told = {**self.begun(), "status": str(self.status), "actions": [asdict(one) for one in self.buttons]}
        if self.conclusion is not None:
            told["conclusion"] = str(self.conclusion)
            told |= {"completed_at": self.completed_at.astimezone(UTC)} if self.completed_at else {}
        return told


class Checks(RepositoryClient):
    """Check Runs and statuses of commits."""

    def create_check(self, head_sha: str, output: CheckOutput, external_id: str) -> int:
        """Create a run with all its annotations and return its id.

        The last request completes it, so that no partial result is shown.
        """
        first, *more = batches(output.annotations) or [[]]
        state = output.begun() if more else output.ended()
        create = partial(self._github.create_check_run, CHECK_NAME, head_sha, external_id=external_id, **state)
        made = self._made(lambda: create(output=output.content(first)), check_from)
        self._append(int(made.external_key), output, more)
        self._learn_from(made.app_slug)
        return int(made.external_key)

    def update_check(self, check_id: int, output: CheckOutput) -> None:
        """Update a run; only new annotations are added, as updates append them and never remove one."""
        path, known = f"check-runs/{check_id}/annotations", frozenset[Key]()
        if output.annotations:
            known = frozenset(self._items(path, key_of))
        run = self._append(check_id, output, batches(output.annotations, known) or [[]])
        self._learn_from(understood(lambda run: run.app and run.app.slug, run, path))

    def our_check(self, head_sha: str, external_id: str) -> int | None:
        """Return the id of Assay's newest run with this `external_id`, of whatever turn.

        A head has one run, however often it is validated, and a restored database may not know of its later turns.
        """
        found = (one for one in self.our_checks(head_sha) if _of_head(one.external_id or "") == _of_head(external_id))
        return max((int(one.external_key) for one in found), default=None)

    def our_checks(self, head_sha: str) -> tuple[CheckFacts, ...]:
        """Return Assay's runs on a commit, of this App if it has an id, oldest first."""
        found = self._check_runs(head_sha, check_name=CHECK_NAME, filter="all")
        return tuple(sorted((one for one in found if self.us.app_id in (None, one.app_id)), key=_age))

    def shown_check(self, check_id: int) -> CheckOutput:
        """Return a run's content without annotations and buttons; `update_check` keeps its annotations."""
        return self._get(f"check-runs/{check_id}", _shown)

    def our_verdict(self, head_sha: str) -> CheckFacts | None:
        """Return this App's newest run on a commit."""
        found = self._check_runs(head_sha, check_name=CHECK_NAME, filter="latest")
        ours = [one for one in found if self.us.app_id is not None and one.app_id == self.us.app_id]
        return max(ours, key=_age, default=None)

    def checks(self, sha: str, *, with_statuses: bool = True) -> tuple[CheckFacts, ...]:
        """Return the newest check run or status of each name and App on a commit."""
        path = f"commits/{quoted(sha)}/status"
        statuses = self._items(path, lambda given: status_from(given, sha), "statuses") if with_statuses else ()
        return newest_of((*self._check_runs(sha, filter="latest"), *statuses))

    def _append(self, check_id: int, output: CheckOutput, groups: Sequence[Sequence[Any]]) -> CheckRun:
        """Send an update per group of annotations; the last one sets status and conclusion."""
        run = self._github.get_check_run(check_id)
        for number, group in enumerate(groups, 1):
            state = output.ended() if number == len(groups) else {}
            run.edit(CHECK_NAME, output=output.content(group), **state)
        return run

    def _learn_from(self, slug: str | None) -> None:
        """Learn the account of a token, which may belong to another App, from a written run."""
        if self.us.app_id is None and slug:
            self.us = Us(f"{slug}[bot]")

    def _check_runs(self, sha: str, **parameters: str) -> list[CheckFacts]:
        return list(self._items(f"commits/{quoted(sha)}/check-runs", check_from, "check_runs", parameters))


Key = tuple[str, int, str, str]
"""Identity of an annotation: path, first line, title, message."""


def key_of(data: dict[str, Any]) -> Key:
    """Return the key of an annotation in GitHub's JSON."""
    return str(data.get("path")), int(data.get("start_line") or 0), str(data.get("title")), str(data.get("message"))


def batches(annotations: Iterable[Annotation], known: Collection[Key] = ()) -> list[list[dict[str, Any]]]:
    """Return the bodies of new annotations in batches of one request."""
    new = {key_of(body): body for body in (one.body() for one in annotations)}
    bodies = [body for key, body in new.items() if key not in known]
    return [bodies[at : at + ANNOTATIONS_PER_REQUEST] for at in range(0, len(bodies), ANNOTATIONS_PER_REQUEST)]


def newest_of(checks: Iterable[CheckFacts]) -> tuple[CheckFacts, ...]:
    """Return the newest check run or status of each name and App."""
    return tuple({(one.source, one.name, one.app_id): one for one in sorted(checks, key=_age)}.values())


def _of_head(external_id: str) -> str:
    """Return the App's id of a Check Run without the turn, with which it ends; the Action's has none."""
    return external_id.rpartition(":")[0] if external_id.startswith("assay:") else external_id


def _shown(data: dict[str, Any]) -> CheckOutput:
    texts = data.get("output") or {}
    return CheckOutput(
        CheckStatus(data["status"]),
        str(texts.get("title") or ""),
        str(texts.get("summary") or ""),
        str(texts.get("text") or ""),
        conclusion=CheckConclusion(data["conclusion"]) if data.get("conclusion") else None,
        details_url=data.get("details_url"),
    )


def _age(check: CheckFacts) -> tuple[float, int]:
    begun = check.started_at.timestamp() if check.started_at else 0.0
    return begun, int(check.external_key) if check.external_key.isdigit() else 0
