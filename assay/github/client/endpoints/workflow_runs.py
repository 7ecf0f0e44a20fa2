"""Workflow runs; their head decides which uploaded results are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.github.client.connection import RepositoryClient, understood
from assay.github.events.github_json import person_from, repository_from
from assay.github.events.model import Person, RepositoryFacts


@dataclass(frozen=True, slots=True)
class WorkflowRunFacts:
    """Workflow run. `head_sha` is the pull request's head even if the job checks out a merge commit.

    `head_repository` is None if the fork was deleted. `actor` caused the run's first attempt; the tokens of all
    attempts have the rights of the first.
    """

    id: int
    name: str
    workflow_path: str
    head_sha: str
    trigger: str
    status: str | None
    conclusion: str | None
    run_attempt: int
    head_repository: RepositoryFacts | None
    pull_numbers: tuple[int, ...] = ()
    repository_id: int | None = None
    actor: Person | None = None


class WorkflowRuns(RepositoryClient):
    """Workflow runs."""

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        """Return a run by its id."""
        what = "read the workflow run"
        data = self._connection.get(f"{self._path}/actions/runs/{run_id}", what, "actions: read")
        return understood(_run, data, what)


def _run(data: dict[str, Any]) -> WorkflowRunFacts:
    head, home = data.get("head_repository"), data.get("repository")
    actor = data.get("actor")
    return WorkflowRunFacts(
        id=int(data["id"]),
        name=str(data.get("name") or ""),
        workflow_path=str(data.get("path") or ""),
        head_sha=str(data["head_sha"]),
        trigger=str(data.get("event") or ""),
        status=data.get("status"),
        conclusion=data.get("conclusion"),
        run_attempt=int(data.get("run_attempt") or 1),
        head_repository=repository_from(head) if isinstance(head, dict) else None,
        pull_numbers=tuple(int(one["number"]) for one in data.get("pull_requests") or ()),
        repository_id=repository_from(home).id if isinstance(home, dict) else None,
        actor=person_from(actor) if isinstance(actor, dict) else None,
    )
