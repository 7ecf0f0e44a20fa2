"""Import of a repository's history from GitHub (`assay sync`) into the same rows that webhooks produce.

It can be interrupted and restarted: each pull request is written in one transaction, and an unchanged one is not read
again. History is recorded as events with their original time, so it never replaces newer data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from assay.github.client import PastFile, Repo
from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited
from assay.github.events.model import About, PushedCommit, PushEvent, RepositoryFacts
from assay.github_app.outcomes.record.follow_up_fixes import note_follow_ups
from assay.github_app.outcomes.record.past_events import DELIVERY, PastPull, events_of, past_heads
from assay.github_app.outcomes.record.pull_life import DEFAULT_WEB_URL
from assay.github_app.outcomes.record.recording import record
from assay.github_app.outcomes.record.sources import commits_seen, sources_seen
from assay.github_app.provenance.instructions import Instructions, instructions_of
from assay.github_app.runtime.context import now
from assay.github_app.store import ChangedLines, DeclaredBy, Side, Store
from assay.validators import CommitInfo, Nature, nature_of, shown

READING = 1
"""Version of the import; a new version reads all pull requests again."""

ONE_LOOK = 100
"""Pull requests per page of the API; a list of one page cannot change while it is read."""
MOST_LOOKS = 20

_NOT_OURS = (Nature.lock, Nature.generated, Nature.vendored)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress callbacks: pull requests done and in total; the end of a wait for GitHub's rate limit."""

    done: Callable[[int, int], None] = lambda _done, _all: None
    waiting: Callable[[datetime], None] = lambda _until: None


@dataclass(slots=True)
class SyncResult:
    """Result of an import. `unread` maps pull requests that could not be read to the reason."""

    repository: RepositoryFacts
    num_read: int = 0
    num_known: int = 0
    unread: dict[int, str] = field(default_factory=dict)


def sync(
    store: Store,
    repo: Repo,
    since: datetime,
    *,
    app_id: int | None = None,
    installation_id: int | None = None,
    is_refresh: bool = False,
    web_url: str = DEFAULT_WEB_URL,
    clock: Callable[[], datetime] = now,
    wait_until: Callable[[datetime], None] | None = None,
    progress: Progress | None = None,
) -> SyncResult:
    """Read every pull request that changed since, and the commits on the default branch.

    `is_refresh` also reads pull requests that are stored and unchanged. `wait_until` waits for the end of GitHub's rate
    limit; without it the limit is raised.

    Raises:
        RateLimited: the rate limit is reached; the next call continues after what was read.
        GithubRefused, PermissionMissing: no access to the repository.
        GithubUnavailable: GitHub did not answer, not even its lists.
        StoreUnavailable: the database cannot be written.
    """
    reader = _Reader(repo, wait_until, progress or Progress())
    facts = reader.patiently(repo.facts)
    synced = SyncResult(facts)
    known = {} if is_refresh else store.syncs.of(facts.id)
    listed = reader.listed(since)
    for place, number in enumerate(sorted(listed)):
        reader.progress.done(place, len(listed))
        row = known.get(number)
        if row is not None and (row.reading, row.updated_at) == (READING, listed[number]):
            synced.num_known += 1
            continue
        try:
            found = reader.read(facts, number, store, installation_id, app_id)
        except RateLimited:
            raise
        except (GithubRefused, GithubUnavailable) as error:
            synced.unread[number] = str(error)
            continue
        _write(store, found, clock(), web_url, app_id)
        synced.num_read += 1
    reader.progress.done(len(listed), len(listed))
    _record_reverts(store, reader, repo, facts, since, installation_id)
    return synced


@dataclass(frozen=True, slots=True)
class _PullData:
    """Data of one pull request: commits newest first, files only if their changed lines are needed."""

    past: PastPull
    commits: tuple[CommitInfo, ...]
    files: tuple[PastFile, ...]
    instructions: Instructions | None


class _Reader:
    """Reader of GitHub's API that waits at the rate limit if the caller allows it."""

    def __init__(self, repo: Repo, wait_until: Callable[[datetime], None] | None, progress: Progress) -> None:
        self._repo = repo
        self._wait_until = wait_until
        self.progress = progress
        self._contents: dict[str, bytes | None] = {}
        self._instructions: dict[str, Instructions | None] = {}
        self._by_version: dict[str, Instructions] = {}

    def patiently(self, ask: Callable[[], T]) -> T:
        """Return the result of `ask`, repeated after each rate limit."""
        while True:
            try:
                return ask()
            except RateLimited as error:
                if self._wait_until is None:
                    raise
                self.progress.waiting(error.retry_at)
                self._wait_until(error.retry_at)

    def listed(self, since: datetime) -> dict[int, datetime | None]:
        """Return the pull requests that changed since, by number, with the time of their last change.

        GitHub lists the newest first. A pull request that changes while a long list is read moves to its front, so the
        front is read again until it has nothing new.
        """
        found: dict[int, datetime | None] = {}
        for _ in range(MOST_LOOKS):
            num_seen, newest, is_news = 0, None, False
            for pull in self._repo.pulls_since(since, self.patiently):
                num_seen, newest = num_seen + 1, newest or pull.updated_at
                at, known = pull.updated_at, found.get(pull.number)
                if pull.number not in found or (at is not None and (known is None or known < at)):
                    found[pull.number], is_news = at, True
            if num_seen <= ONE_LOOK or newest is None or not is_news:
                break
            since = newest
        return found

    def read(
        self, facts: RepositoryFacts, number: int, store: Store, installation_id: int | None, app_id: int | None
    ) -> _PullData:
        """Read all data of a pull request."""
        repo, ask = self._repo, self.patiently
        pull = ask(lambda: repo.pull(number))
        is_ours = pull.head_repository is not None and pull.head_repository.id == facts.id
        past = PastPull(
            repository=facts,
            pull=pull,
            pushes=ask(lambda: repo.pushes(pull.head_ref)) if is_ours else (),
            timeline=ask(lambda: repo.timeline(number)),
            reviews=ask(lambda: repo.reviews(number)),
            comments=ask(lambda: repo.comments(number)),
            line_comments=(line_comments := ask(lambda: repo.review_comments(number))),
            threads=ask(lambda: repo.threads(number)) if line_comments else (),
            installation_id=installation_id,
        )
        known = store.pulls.get(facts.id, number)
        first = (known.first_push_head if known else None) or _first_push(past)
        checks = ask(lambda: repo.checks(first)) if first else ()
        commits = ask(lambda: repo.commits_of(number))
        infos = tuple(CommitInfo(one.sha, one.author_name, one.author_email, one.message) for one in reversed(commits))
        wants_files = pull.is_merged and not store.changes.of(facts.id, number, pull.head_sha)
        files = ask(lambda: repo.files(number)) if wants_files else ()
        ours = tuple(check for check in checks if app_id is None or check.app_id != app_id)
        from_files = known is not None and known.prompt_version_source == DeclaredBy.files
        instructions = None if from_files else ask(lambda: self._instructions_at(pull.base_sha))
        return _PullData(replace(past, checks=ours), infos, files, instructions)

    def _instructions_at(self, sha: str) -> Instructions | None:
        """Return the instruction files at a base, or None if there are none or GitHub truncates the listing."""
        if sha not in self._instructions:
            tree = self._repo.tree(sha, self._contents)
            found = instructions_of(tree) if tree is not None else None
            # Most bases have the same instructions: share one copy.
            self._instructions[sha] = self._by_version.setdefault(found.version, found) if found else None
        return self._instructions[sha]


def _write(store: Store, found: _PullData, at: datetime, web_url: str, app_id: int | None) -> None:
    """Write one pull request in one transaction."""
    past, pull = found.past, found.past.pull
    repository_id, number = past.repository.id, pull.number
    with store.together():
        heads, known = past_heads(past), store.pulls.get(repository_id, number)
        # Heads derived from dates serve only pull requests without a recorded opening.
        with_heads = heads.is_exact or known is None or known.opened_head is None
        for event in events_of(_without_known_threads(store, past), heads, with_heads=with_heads):
            record(event, store, at, web_url=web_url, app_id=app_id)
        if found.instructions is not None:
            sources_seen(store, repository_id, pull, found.commits, found.instructions, at)
        else:
            commits_seen(store, repository_id, pull, found.commits, at)
        if found.files:
            store.changes.put(repository_id, number, pull.head_sha, _lines(found.files), at)
            note_follow_ups(store, repository_id, number)
        store.syncs.put(repository_id, number, READING, pull.updated_at, at)


def _without_known_threads(store: Store, past: PastPull) -> PastPull:
    """Remove threads whose stored state is current; update reopened ones in the store."""
    known = {row.node_id: row.is_resolved for row in store.reviews.threads(past.repository.id, past.pull.number)}
    news = tuple(thread for thread in past.threads if known.get(thread.node_id, False) != thread.is_resolved)
    for thread in news:
        if not thread.is_resolved and past.pull.updated_at is not None:
            place = (past.repository.id, past.pull.number)
            at = past.pull.updated_at
            store.reviews.put_thread(*place, thread.node_id, thread.comment_ids, at, is_resolved=False)
    return replace(past, threads=news)


def _record_reverts(
    store: Store, reader: _Reader, repo: Repo, facts: RepositoryFacts, since: datetime, installation_id: int | None
) -> None:
    """Record commits on the default branch that may be reverts."""
    commits = repo.commits_since(facts.default_branch, since, reader.patiently)
    reverting = [one for one in commits if "revert" in one.message.lower()]
    for one in reversed(reverting):
        about = About("push", "", DELIVERY, facts, installation_id, None)
        pushed = (PushedCommit(one.sha, one.message),)
        ref = f"refs/heads/{facts.default_branch}"
        record(PushEvent(about, ref, one.sha, one.sha, pushed), store, one.at)


def _first_push(past: PastPull) -> str | None:
    """Return the first head whose CI counts: at opening, or when a draft became ready for review."""
    heads = past_heads(past)
    if not past.was_draft:
        return heads.first
    ready = next((event for event in past.drafts if event.what == "ready_for_review"), None)
    return heads.at(ready.at, past.pull.head_sha) if ready and heads.pushes else None


def _lines(files: Sequence[PastFile]) -> Iterator[ChangedLines]:
    for one in files:
        if nature_of(one.path) in _NOT_OURS:
            continue
        yield from (ChangedLines(Side.base, shown(one.base_path), first, last) for first, last in one.removed)
        yield from (ChangedLines(Side.head, shown(one.path), first, last) for first, last in one.added)
