"""This project's own history as the App would remember it: each landed commit as a pull request, judged for real.

What is real are the commits, their times, and the verdicts on their risk. That each was a pull request, and merged at
once, is made up: the history says no more.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.outcomes import validation_completed
from assay.github_app.store import EventKind, OutcomeKind, RunState, Store
from assay.validators import ChangeSet, Options, Repository, Tier, ValidationConfig, change_between, validate

MOST = 4
NEWEST = 400
MOST_FILES = 20
FIRST = 1001
"""The number of the first one; the pull request that the demo opens has a small number."""


def remember(store: Store, place: RepositoryFacts, copy: Path, each: Callable[[int, int], None]) -> int:
    """Store small commits of the newest history, the oldest first; return how many."""
    with Repository(copy) as repository:
        commits = small_commits(repository, MOST_FILES)
        chosen = commits[:: max(1, len(commits) // MOST)][:MOST][::-1]
        for number, commit in enumerate(chosen, FIRST):
            each(number - FIRST, len(chosen))
            told = repository.good("show", "--no-patch", "--format=%ct", commit)
            at = datetime.fromtimestamp(int(told.decode().strip()), UTC)
            _landed(store, place, number, change_between(repository, f"{commit}^1", commit), at)
    return len(chosen)


def small_commits(repository: Repository, most_files: int) -> list[str]:
    """Return the newest first-parent commits that change few files, newest first."""
    wanted = ("--first-parent", "--min-parents=1", f"--max-count={NEWEST}", "--shortstat", "--format=%H")
    words = repository.good("log", *wanted, repository.resolve("HEAD")).decode().split("\n")
    stats = [line for line in words if line.strip()]
    return [one for one, then in pairwise(stats) if then.startswith(" ") and int(then.split()[0]) <= most_files]


def _landed(store: Store, place: RepositoryFacts, number: int, change: ChangeSet, at: datetime) -> None:
    commit = change.commits[0]
    facts = PullFacts(
        id=number, number=number, title=commit.message.splitlines()[0], body="", author=Person(commit.author_name),
        head_sha=change.head_sha, head_ref=f"commit-{number}", base_sha=change.merge_base, base_ref="main",
        head_repository=place, base_repository_id=place.id, state="closed", is_merged=True, created_at=at,
        updated_at=at, closed_at=at, merged_at=at, merge_commit_sha=change.head_sha,
    )  # fmt: skip
    store.pulls.see(facts, place, at, action="opened")
    store.events.append(EventKind.pr_opened, f"{place.id}:{number}", at, place.id, number)
    run, _ = store.runs.begin(place.id, number, change.head_sha, "demo", at)
    report = validate(change, ValidationConfig(), Options(tiers=(Tier.risk,)))
    validation_completed(store, run, report, at)
    store.runs.advance(run.id, RunState.completed, at)
    store.outcomes.put(place.id, number, OutcomeKind.merged, change.head_sha, at)
