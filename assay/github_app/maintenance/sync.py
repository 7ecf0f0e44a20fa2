"""`assay sync`: the history of a repository read from GitHub into the same rows that webhooks make.

It may be stopped and begun again: each pull request is read whole and written in one piece, and one that has not
changed since is not read a second time. What is newer in the store stays: history is told as events of their time, and
no older word replaces a newer one.
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
from assay.github_app.outcomes.record.recording import DEFAULT_WEB_URL, record
from assay.github_app.outcomes.record.sources import commits_seen, sources_seen
from assay.github_app.provenance.instructions import Instructions, instructions_of
from assay.github_app.runtime.context import now
from assay.github_app.store import ChangedLines, DeclaredBy, Side, Store
from assay.validators import CommitInfo, Nature, nature_of, shown

READING = 1
"""The way history is read; with another one all of it is read anew."""

ONE_LOOK = 100
"""Pull requests in one answer: a list that is no longer cannot change while it is read."""
MOST_LOOKS = 20

_NOT_OURS = (Nature.lock, Nature.generated, Nature.vendored)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """What whoever looks on is told: (pull requests done, of how many), and until when GitHub makes us wait."""

    done: Callable[[int, int], None] = lambda _done, _all: None
    waiting: Callable[[datetime], None] = lambda _until: None


@dataclass(slots=True)
class Synced:
    """What came of it. `unread` are pull requests that could not be read, each with the reason."""

    repository: RepositoryFacts
    num_read: int = 0
    num_known: int = 0
    num_reverts: int = 0
    unread: dict[int, str] = field(default_factory=dict)


def sync(
    store: Store,
    repo: Repo,
    since: datetime,
    *,
    app_id: int | None = None,
    installation_id: int | None = None,
    is_anew: bool = False,
    web_url: str = DEFAULT_WEB_URL,
    clock: Callable[[], datetime] = now,
    wait_until: Callable[[datetime], None] | None = None,
    progress: Progress | None = None,
) -> Synced:
    """Read every pull request that changed since, and the commits on the default branch.

    `is_anew` reads those too that are in the store as they stand. `wait_until` waits for GitHub's next hour; without it
    the end of the allowance is raised.

    Raises:
        RateLimited: the allowance of this hour is used up; what was read is kept, and the next call goes on from there.
        GithubRefused, PermissionMissing: the repository may not be read.
        GithubUnavailable: GitHub did not answer, not even its lists.
        StoreUnavailable: the database cannot be written.
    """
    reader = _Reader(repo, wait_until, progress or Progress())
    facts = reader.patiently(repo.facts)
    synced = Synced(facts)
    known = {} if is_anew else store.syncs.of(facts.id)
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
    synced.num_reverts = _reverts(store, reader, repo, facts, since, installation_id)
    return synced


@dataclass(frozen=True, slots=True)
class _Found:
    """What was read of a pull request: commits are newest first, files only where their lines are wanted."""

    past: PastPull
    commits: tuple[CommitInfo, ...]
    files: tuple[PastFile, ...]
    instructions: Instructions | None


class _Reader:
    """Asks GitHub, and waits where GitHub wants that and we may."""

    def __init__(self, repo: Repo, wait_until: Callable[[datetime], None] | None, progress: Progress) -> None:
        self._repo = repo
        self._wait_until = wait_until
        self.progress = progress
        self._contents: dict[str, bytes | None] = {}
        self._instructions: dict[str, Instructions | None] = {}
        self._by_version: dict[str, Instructions] = {}

    def patiently(self, ask: Callable[[], T]) -> T:
        """What `ask` gives; asked again when the time GitHub named has come."""
        while True:
            try:
                return ask()
            except RateLimited as error:
                if self._wait_until is None:
                    raise
                self.progress.waiting(error.retry_at)
                self._wait_until(error.retry_at)

    def listed(self, since: datetime) -> dict[int, datetime | None]:
        """The pull requests that changed since, by number, and when they last did.

        GitHub lists the newest first. What changes while a long list is read moves to its front, past us: so the front
        is read again, from where it began, until nothing new stands there.
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
    ) -> _Found:
        """All that is to be known of a pull request."""
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
        return _Found(replace(past, checks=ours), infos, files, instructions)

    def _instructions_at(self, sha: str) -> Instructions | None:
        """The instructions agents found at a base; None where there are none, or where not all files are listed."""
        if sha not in self._instructions:
            tree = self._repo.tree(sha, self._contents)
            found = instructions_of(tree) if tree is not None else None
            # Most bases have the same: one copy is enough.
            self._instructions[sha] = self._by_version.setdefault(found.version, found) if found else None
        return self._instructions[sha]


def _write(store: Store, found: _Found, at: datetime, web_url: str, app_id: int | None) -> None:
    """One pull request, in one piece."""
    past, pull = found.past, found.past.pull
    repository_id, number = past.repository.id, pull.number
    with store.together():
        heads, known = past_heads(past), store.pulls.get(repository_id, number)
        # Heads made out of dates are for pull requests nobody heard being opened.
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
    """Without threads that stand in the store as they stand on GitHub; one that was opened again is put right."""
    known = {row.node_id: row.is_resolved for row in store.reviews.threads(past.repository.id, past.pull.number)}
    news = tuple(thread for thread in past.threads if known.get(thread.node_id, False) != thread.is_resolved)
    for thread in news:
        if not thread.is_resolved and past.pull.updated_at is not None:
            place = (past.repository.id, past.pull.number)
            at = past.pull.updated_at
            store.reviews.put_thread(*place, thread.node_id, thread.comment_ids, at, is_resolved=False)
    return replace(past, threads=news)


def _reverts(
    store: Store, reader: _Reader, repo: Repo, facts: RepositoryFacts, since: datetime, installation_id: int | None
) -> int:
    """Tell of commits on the default branch that may take something back; how many there are."""
    commits = repo.commits_since(facts.default_branch, since, reader.patiently)
    telling = [one for one in commits if "revert" in one.message.lower()]
    for one in reversed(telling):
        about = About("push", "", DELIVERY, facts, installation_id, None)
        pushed = (PushedCommit(one.sha, one.message),)
        ref = f"refs/heads/{facts.default_branch}"
        record(PushEvent(about, ref, one.sha, one.sha, pushed), store, one.at)
    return len(telling)


def _first_push(past: PastPull) -> str | None:
    """The head whose CI is the first push's: at opening, or when a draft was called ready."""
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
