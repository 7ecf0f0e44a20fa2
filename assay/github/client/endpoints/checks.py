"""Check Runs: read those of all Apps, write Assay's. A run is searched by `external_id` before it is created."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from assay.github.client.connection import RepositoryClient, quoted, understood
from assay.github.client.endpoints.annotations import Annotation, batches, standing
from assay.github.client.identity import Us
from assay.github.client.limits import (
    MOST_ACTION_DESCRIPTION,
    MOST_ACTION_IDENTIFIER,
    MOST_ACTION_LABEL,
    MOST_ACTIONS,
    MOST_OUTPUT_BYTES,
    MOST_TITLE,
)
from assay.github.client.truncate import cut, cut_chars
from assay.github.errors import GithubUnavailable
from assay.github.events.github_json import check_from, status_from
from assay.github.events.model import CheckFacts

CHECK_NAME = "Assay"
"""Fixed name, as branch protection refers to it; verdicts are in the title."""

_READ = "checks: read"
_WRITE = "checks: write"


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


class Checks(RepositoryClient):
    """Check Runs and statuses of commits."""

    def create_check(self, head_sha: str, output: CheckOutput, external_id: str) -> int:
        """Create a run with all its annotations and return its id.

        The last request completes it, so that no partial result is shown.
        """
        groups = list(batches(output.annotations)) or [[]]
        body: dict[str, Any] = {"name": CHECK_NAME, "head_sha": head_sha, "external_id": external_id}
        body |= _state(output) if len(groups) == 1 else {"status": str(CheckStatus.in_progress), **_times(output)}
        body["output"] = _output(output, groups[0])
        data = self._connection.send("POST", f"{self._path}/check-runs", "create the check run", _WRITE, body=body).data
        check_id = data.get("id") if isinstance(data, dict) else None
        if not isinstance(check_id, int):
            raise GithubUnavailable("create the check run", "the answer has no id", code="github.unreadable")
        self._patch(check_id, output, groups[1:])
        self._learn_from(data)
        return check_id

    def update_check(self, check_id: int, output: CheckOutput) -> None:
        """Update a run; only new annotations are added."""
        known = standing(self._connection, self._path, check_id) if output.annotations else frozenset()
        self._learn_from(self._patch(check_id, output, batches(output.annotations, known) or [[]]))

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
        what = "read the check run"
        data = self._connection.get(f"{self._path}/check-runs/{check_id}", what, _READ)
        return understood(_shown, data, what)

    def our_verdict(self, head_sha: str) -> CheckFacts | None:
        """Return this App's newest run on a commit."""
        found = self._check_runs(head_sha, check_name=CHECK_NAME, filter="latest")
        ours = [one for one in found if self.us.app_id is not None and one.app_id == self.us.app_id]
        return max(ours, key=_age, default=None)

    def checks(self, sha: str, *, with_statuses: bool = True) -> tuple[CheckFacts, ...]:
        """Return the newest check run or status of each name and App on a commit."""
        runs = self._check_runs(sha, filter="latest")
        return newest_of((*runs, *(self._statuses(sha) if with_statuses else ())))

    def _patch(self, check_id: int, output: CheckOutput, groups: Iterable[list[dict[str, Any]]]) -> Any:
        """Send an update per group; the last one sets status and conclusion, and its response is returned."""
        path = f"{self._path}/check-runs/{check_id}"
        remaining = list(groups)
        answer: Any = None
        for index, group in enumerate(remaining, 1):
            body: dict[str, Any] = {"name": CHECK_NAME, "output": _output(output, group)}
            if index == len(remaining):
                body |= _state(output)
            # Annotations are appended, so an update that contains some must not be sent twice.
            what = "update the check run"
            answer = self._connection.send("PATCH", path, what, _WRITE, body=body, is_repeatable=not group).data
        return answer

    def _learn_from(self, data: Any) -> None:
        """Learn the account of a token, which may belong to another App, from a written run."""
        app = data.get("app") if isinstance(data, dict) else None
        slug = app.get("slug") if isinstance(app, dict) else None
        if self.us.app_id is None and isinstance(slug, str) and slug:
            self.us = Us(f"{slug}[bot]")

    def _check_runs(self, sha: str, **parameters: Any) -> list[CheckFacts]:
        path = f"{self._path}/commits/{quoted(sha)}/check-runs"
        what = "read the check runs"
        found = self._connection.pages(path, what, _READ, inside="check_runs", **parameters)
        return [understood(check_from, one, what) for one in found]

    def _statuses(self, sha: str) -> list[CheckFacts]:
        """Return the newest status of each context, as in GitHub's combined status."""
        path = f"{self._path}/commits/{quoted(sha)}/status"
        what = "read the commit's statuses"
        found = self._connection.pages(path, what, "statuses: read", inside="statuses")
        return [understood(lambda given: status_from(given, sha), one, what) for one in found]


def newest_of(checks: Iterable[CheckFacts]) -> tuple[CheckFacts, ...]:
    """Return the newest check run or status of each name and App."""
    newest: dict[tuple[str, str, int | None], CheckFacts] = {}
    for one in checks:
        key = (one.source, one.name, one.app_id)
        if key not in newest or _age(newest[key]) <= _age(one):
            newest[key] = one
    return tuple(newest.values())


def _of_head(external_id: str) -> str:
    """Return the App's id of a Check Run without the turn, with which it ends; the Action's has none."""
    return external_id.rpartition(":")[0] if external_id.startswith("assay:") else external_id


def _shown(data: dict[str, Any]) -> CheckOutput:
    output = data.get("output") or {}
    return CheckOutput(
        status=CheckStatus(data["status"]),
        title=str(output.get("title") or ""),
        summary=str(output.get("summary") or ""),
        text=str(output.get("text") or ""),
        conclusion=CheckConclusion(data["conclusion"]) if data.get("conclusion") else None,
        details_url=data.get("details_url"),
    )


def _state(output: CheckOutput) -> dict[str, Any]:
    body: dict[str, Any] = {"status": str(output.status), **_times(output)}
    if output.conclusion is not None:
        body["conclusion"] = str(output.conclusion)
        if output.completed_at is not None:
            body["completed_at"] = _moment(output.completed_at)
    body["actions"] = [
        {"label": one.label, "description": one.description, "identifier": one.identifier} for one in output.buttons
    ]
    return body


def _times(output: CheckOutput) -> dict[str, Any]:
    body = {"details_url": output.details_url} if output.details_url else {}
    if output.started_at is not None:
        body["started_at"] = _moment(output.started_at)
    return body


def _output(output: CheckOutput, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {
        "title": cut(cut_chars(output.title, MOST_TITLE), MOST_TITLE),
        "summary": cut(output.summary, MOST_OUTPUT_BYTES),
        "text": cut(output.text, MOST_OUTPUT_BYTES),
    }
    return body | ({"annotations": annotations} if annotations else {})


def _age(check: CheckFacts) -> tuple[float, int]:
    begun = check.started_at.timestamp() if check.started_at else 0.0
    return begun, int(check.external_key) if check.external_key.isdigit() else 0


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
