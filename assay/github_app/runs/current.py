"""Pull request of a run as it is now: stored facts that GitHub confirms, or read again.

Webhooks bring a pull request's facts; one query confirms those that decide. A webhook that was lost or is late shows
there, and then the pull request is read whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.github.client import HeadState
from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.outcomes import see_pull
from assay.github_app.runtime.context import Context
from assay.github_app.store import PullRow, RunRow


@dataclass(frozen=True, slots=True)
class Current:
    """A pull request now. `state` is None if only the REST API answered; its checks are read on request."""

    pull: PullFacts
    state: HeadState | None = None


def current_pull(context: Context, run: RunRow, *, with_checks: bool = False) -> Current:
    """Return the run's pull request as it is on GitHub now.

    Raises:
        GithubRefused, GithubUnavailable: it could not be read.
    """
    if run.number is None:
        raise ValueError(f"{run.id} is not of a pull request")
    with context.repo(run.repository_id, FOR_READING) as repo:
        state = repo.head_state(run.number, run.head_sha, with_checks=with_checks)
        tip = state.base_tip if state is not None else None
        row = context.store.pulls.get(run.repository_id, run.number)
        if row is not None and state is not None and _confirms(state, row):
            return Current(replace(facts_of(row), base_tip=tip), state)
        pull = repo.pull(run.number)
        repository = context.store.repositories.get(run.repository_id)
        facts = repository.facts if repository is not None else RepositoryFacts(run.repository_id, repo.full_name)
    see_pull(context.store, facts, pull, context.clock(), web_url=context.settings.github_url)
    return Current(replace(pull, base_tip=tip), state)


def facts_of(row: PullRow) -> PullFacts:
    """Return the stored facts of a pull request; its assignees and who merged it are not among them."""
    head = (
        RepositoryFacts(row.head_repository_id, row.head_repository)
        if row.head_repository_id is not None and row.head_repository is not None
        else None
    )
    return PullFacts(
        id=row.github_id or 0,
        number=row.number,
        title=row.title,
        body=row.body,
        author=Person(row.author, row.author_id, row.author_kind),
        head_sha=row.head_sha,
        head_ref=row.head_ref,
        base_sha=row.base_sha,
        base_ref=row.base_ref,
        head_repository=head,
        base_repository_id=row.repository_id,
        is_draft=row.is_draft,
        state=row.state,
        is_merged=row.is_merged,
        merge_commit_sha=row.merge_commit_sha,
        labels=tuple(row.labels),
        created_at=row.created_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        merged_at=row.merged_at,
    )


def _confirms(state: HeadState, row: PullRow) -> bool:
    """Return whether GitHub's state is the stored one, in everything that a verdict or its publication depends on."""
    stored = (row.head_sha, row.base_ref, row.state, row.is_merged, row.is_draft, row.title)
    now = (state.head_sha, state.base_ref, state.state, state.is_merged, state.is_draft, state.title)
    return stored == now and frozenset(row.labels) == frozenset(state.labels)
