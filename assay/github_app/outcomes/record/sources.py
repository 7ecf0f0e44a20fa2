"""Facts from a pull request's commits and trees: trailers, instructions, commit authors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assay.github.events.model import PullFacts
from assay.github_app.provenance.authorship import guess_maker
from assay.github_app.provenance.declarations import declared_in_commits, submitted_at
from assay.github_app.provenance.instructions import Instructions
from assay.github_app.store import DeclaredBy, EventKind, Store
from assay.validators import CommitInfo


def sources_seen(
    store: Store,
    repository_id: int,
    pull: PullFacts,
    commits: Sequence[CommitInfo],
    instructions: Instructions | None,
    at: datetime,
) -> None:
    """Store what a checkout shows about a pull request.

    `commits` are those of the change, newest first (`Repository.commits`); `instructions` are those of its base
    (`instructions_of`). Trailers take precedence over files.
    """
    with store.together():
        version = instructions.version if instructions else None
        store.pulls.declare(repository_id, pull.number, DeclaredBy.files, at, prompt_version=version)
        if instructions is not None:
            store.prompt_versions.put(repository_id, instructions.version, "files", instructions.texts, at)
        commits_seen(store, repository_id, pull, commits, at)


def commits_seen(
    store: Store, repository_id: int, pull: PullFacts, commits: Sequence[CommitInfo], at: datetime
) -> None:
    """Store what the commits of a pull request (newest first) declare, without its instructions."""
    declared = declared_in_commits(commit.message for commit in commits if commit.num_parents < 2)
    place = (repository_id, pull.number)
    with store.together():
        if declared.task_id is not None:
            made_at = submitted_at(declared.task_id, at)
            store.tasks.put(
                repository_id, declared.task_id, at, number=pull.number, branch=pull.head_ref, submitted_at=made_at
            )
        store.pulls.declare(
            *place,
            DeclaredBy.trailer,
            at,
            task_id=declared.task_id,
            model=declared.model,
            prompt_version=declared.prompt_version,
        )
        _note_version(store, repository_id, pull, at)
        guess = guess_maker(pull, commits)
        store.pulls.set_agent(*place, guess.name, guess.confidence, guess.signals, at)
        _note_agent(store, repository_id, pull, at)


def _note_version(store: Store, repository_id: int, pull: PullFacts, at: datetime) -> None:
    row = store.pulls.get(repository_id, pull.number)
    if row is None or row.prompt_version is None:
        return
    if row.prompt_version_source != DeclaredBy.files:
        store.prompt_versions.put(repository_id, row.prompt_version, "declared", {}, at)
    data = {"prompt_version": row.prompt_version, "source": row.prompt_version_source}
    key = f"{repository_id}#{pull.number}:{row.prompt_version}"
    kind = EventKind.prompt_version_seen
    store.events.append(kind, key, at, repository_id, pull.number, row.task_id, data)


def _note_agent(store: Store, repository_id: int, pull: PullFacts, at: datetime) -> None:
    row = store.pulls.get(repository_id, pull.number)
    if row is None or row.agent in (None, "unknown"):
        return
    data = {"agent": row.agent, "confidence": row.agent_confidence, "signals": list(row.agent_signals)}
    key = f"{repository_id}#{pull.number}:{row.agent}"
    store.events.append(EventKind.agent_seen, key, at, repository_id, pull.number, row.task_id, data)
