"""History read from GitHub: interrupted and gone on with, told late, told badly, and never older than what is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from assay.github.client import CommitFacts, PastCommit, PastEvent, PastFile, PastThread, Push
from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited
from assay.github.events.model import CheckFacts, CommentFacts, Person, PullFacts, RepositoryFacts, ReviewFacts
from assay.github_app.maintenance.sync import Progress, SyncResult, _Reader, sync
from assay.github_app.outcomes import ending, record, rounds
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.measures_ci import FirstPush
from assay.github_app.provenance.instructions import instructions_of
from assay.github_app.store import Store
from assay.validators import Repository
from tests.github_app.outcomes.telling import checked, commented, pulled, threaded
from tests.github_app.remembering import AUTHOR, REPOSITORY, after, check, line_comment, merged, pull, review, sha
from tests.repositories import RealRepository

NOW = after(days=60)
ROUND = (
    PastEvent("committed", after(minutes=-9), sha=sha("a")),
    PastEvent("committed", after(minutes=20), sha=sha("b")),
)


class Past:
    """A repository's lists, as `Repo` reads them; `trouble` is raised by the pull request's own page, once each."""

    def __init__(self, *pulls: PullFacts, **lists: Any) -> None:
        self.listed = {one.number: one for one in pulls}
        self.lists: dict[str, Any] = lists
        self.trouble: list[Exception] = []
        self.asked: list[int] = []

    def facts(self) -> RepositoryFacts:
        return REPOSITORY

    def pulls_since(self, since: datetime, patiently: object = None) -> Iterable[PullFacts]:
        return [one for one in self.listed.values() if one.updated_at is None or one.updated_at >= since]

    def pull(self, number: int) -> PullFacts:
        self.asked.append(number)
        if self.trouble:
            raise self.trouble.pop(0)
        return self.listed[number]

    def checks(self, sha_: str) -> tuple[CheckFacts, ...]:
        found: dict[str, tuple[CheckFacts, ...]] = self.lists.get("checks", {})
        return found.get(sha_, ())

    def __getattr__(self, name: str) -> Any:
        if name not in ("pushes", "timeline", "reviews", "comments", "review_comments", "threads", "commits_of",
                        "files", "commits_since", "tree"):  # fmt: skip
            raise AttributeError(name)
        return lambda *_: self.lists.get(name, None if name == "tree" else ())


def read(past: Past, store: Store, **more: Any) -> SyncResult:
    repo: Any = past
    return sync(store, repo, after(days=-30), clock=lambda: NOW, **more)


def done(**changes: Any) -> PullFacts:
    """A pull request with two heads that was merged after an hour."""
    return merged(after(hours=1), head_sha=sha("b"), num_added=90, num_removed=10, **changes)


def test_a_push_between_two_reviews_is_a_round(small_store: Store):
    reviews = [review(1, "changes_requested", after(minutes=10)), review(2, "approved", after(minutes=30))]
    read(Past(done(), timeline=ROUND, reviews=reviews), small_store)
    (found,) = measures(small_store)
    assert (found.num_rounds, found.num_changed_lines, found.is_merged) == (1, 100, True)
    (one,) = rounds(small_store, 5, 7)
    assert (one.asked_at, one.pushed_at) == (after(minutes=10), after(minutes=20))


def test_github_s_own_record_of_pushes_counts_before_the_dates_of_commits(small_store: Store):
    pushes = (Push(None, sha("a"), after(minutes=-5)), Push(sha("a"), sha("b"), after(minutes=45)))
    read(Past(done(), timeline=ROUND, pushes=pushes), small_store)
    assert [(head.sha, head.pushed_at) for head in small_store.pulls.heads(5, 7)] == [
        (sha("a"), after()),
        (sha("b"), after(minutes=45)),
    ]
    kinds = [event.kind for event in small_store.events.of(5, 7)]
    assert kinds == ["pr_opened", "head_pushed", "pr_outcome_recorded"]


def test_a_branch_that_lived_before_and_after_lends_no_pushes(small_store: Store):
    pushes = (
        Push(None, sha("1"), after(days=-20)),
        Push(None, sha("a"), after(minutes=-5)),
        Push(sha("a"), sha("b"), after(minutes=45)),
        Push(None, sha("2"), after(days=2)),
    )
    read(Past(done(), pushes=pushes), small_store)
    assert [head.sha for head in small_store.pulls.heads(5, 7)] == [sha("a"), sha("b")]


@pytest.mark.soak
def test_after_a_forced_push_the_first_head_is_unknown(small_store: Store):
    forced = (*ROUND, PastEvent("head_ref_force_pushed", after(minutes=25), sha=sha("b")))
    read(Past(done(), timeline=forced, checks={sha("a"): (check(),)}), small_store)
    (found,) = measures(small_store)
    assert found.first_push is FirstPush.unknown
    row = small_store.pulls.get(5, 7)
    assert row is not None
    assert row.opened_head is None


def test_the_first_push_is_where_its_ci_is_read(small_store: Store):
    failing = check(conclusion="failure")
    read(Past(done(), timeline=ROUND, checks={sha("a"): (failing,), sha("b"): (check(),)}), small_store)
    assert measures(small_store)[0].first_push is FirstPush.failed


def test_of_a_draft_it_is_the_head_that_was_called_ready(small_store: Store):
    drafted = (*ROUND, PastEvent("ready_for_review", after(minutes=30)))
    checks = {sha("a"): (check(conclusion="failure"),), sha("b"): (check(head_sha=sha("b")),)}
    read(Past(done(), timeline=drafted, checks=checks), small_store)
    (found,) = measures(small_store)
    assert found.first_push is FirstPush.passed
    assert found.time_to_merge_s == 30 * 60
    row = small_store.pulls.get(5, 7)
    assert row is not None
    assert (row.opened_as_draft, row.ready_at) == (True, after(minutes=30))


@pytest.mark.soak
def test_a_dismissed_review_asked_all_the_same(small_store: Store):
    dismissed = PastEvent("review_dismissed", after(minutes=40), review_id=1, state="changes_requested")
    reviews = [review(1, "dismissed", after(minutes=10)), review(2, "approved", after(minutes=50))]
    read(Past(done(), timeline=(*ROUND, dismissed), reviews=reviews), small_store)
    assert small_store.reviews.reviews(5, 7)[0].first_state == "changes_requested"
    assert measures(small_store)[0].num_rounds == 1


def test_threads_and_their_resolution_are_read_and_put_right(small_store: Store):
    comments = [line_comment(31, after(minutes=10), review_id=1), line_comment(32, after(minutes=11), review_id=1)]
    resolved = [PastThread("T_1", True, (31,)), PastThread("T_2", False, (32,))]
    past = Past(done(), review_comments=comments, threads=resolved)
    read(past, small_store)
    (found,) = measures(small_store)
    assert (found.num_threads, found.num_threads_resolved) == (2, 1)
    past.lists["threads"] = [PastThread("T_1", False, (31,)), PastThread("T_2", False, (32,))]
    past.listed[7] = dataclasses.replace(done(), updated_at=after(hours=2))
    read(past, small_store)
    assert measures(small_store)[0].num_threads_resolved == 0
    kinds = [event.kind for event in small_store.events.of(5, 7)]
    assert kinds.count("thread_resolved") == 1
    assert "thread_reopened" not in kinds, "nobody knows when that was"


def test_a_revert_among_the_commits_and_a_fix_of_the_same_lines_are_seen(small_store: Store):
    fix = merged(after(days=2), number=8, id=901, title="Fix hats", head_sha=sha("f"), merge_commit_sha=sha("9"))
    commits = [PastCommit(sha("6"), f"Revert\n\nThis reverts commit {sha('e')}.", after(days=3))]
    files = [PastFile("hats.py", "hats.py", ((3, 5),), ((3, 9),)), PastFile("uv.lock", "uv.lock", ((1, 9),), ((1, 9),))]
    read(Past(done(), fix, commits_since=commits, files=files), small_store)
    row = small_store.pulls.get(5, 7)
    assert row is not None
    end = ending(row, small_store.outcomes.of(5, 7))
    assert (end.reverted_at, end.fixed_by) == (after(days=3), (8,))
    assert {place.path for place in small_store.changes.of(5, 7, sha("b"))} == {"hats.py"}


def test_trailers_and_agents_are_found_in_commits(small_store: Store):
    words = "Sell\n\nPrompt-Version: shop-9\nCo-Authored-By: Claude <noreply@anthropic.com>"
    commit = CommitFacts(sha("b"), words, "Ada", "ada@example.org", AUTHOR, AUTHOR)
    read(Past(done(head_ref="claude/hats"), commits_of=(commit,)), small_store)
    (found,) = measures(small_store)
    assert (found.prompt_version, found.agent) == ("shop-9", "claude-code")


@pytest.mark.soak
def test_the_instructions_at_the_base_are_the_prompt_version(small_store: Store, repository: RealRepository):
    base = repository.commit(files={"AGENTS.md": "Be kind.\n", "app.py": "x = 1\n"})
    with Repository(repository.path) as opened:
        tree = opened.tree(base)
        read(Past(done(), tree=tree), small_store)
        expected = instructions_of(tree)
    assert expected is not None
    assert measures(small_store)[0].prompt_version == expected.version
    kept = small_store.prompt_versions.get(5, expected.version)
    assert kept is not None
    assert kept.texts == {"AGENTS.md": "Be kind.\n"}


def test_what_files_said_of_the_prompt_stays(small_store: Store):
    from assay.github_app.store import DeclaredBy

    record(pulled("opened", pull()), small_store, NOW)
    small_store.pulls.declare(5, 7, DeclaredBy.files, NOW, prompt_version="c0ffee")
    read(Past(done()), small_store)
    assert measures(small_store)[0].prompt_version == "c0ffee"


class Moving(Past):
    """A list of 250, the newest first, in which the oldest is changed while it is read: it moves past whoever reads."""

    def __init__(self) -> None:
        minutes = range(250)
        super().__init__(*(merged(after(minutes=n), number=1 + n, id=1000 + n, head_sha=sha("b")) for n in minutes))
        self.looks: list[datetime] = []

    def pulls_since(self, since: datetime, patiently: object = None) -> Iterator[PullFacts]:
        self.looks.append(since)
        wanted = [one for one in self.listed.values() if one.updated_at is not None and one.updated_at >= since]
        ordered = sorted(wanted, key=lambda one: one.updated_at or NOW, reverse=True)
        for place, one in enumerate(ordered):
            if len(self.looks) == 1 and place == 120:
                self.listed[1] = dataclasses.replace(self.listed[1], title="Moved", updated_at=after(days=3))
            if len(self.looks) > 1 or one.number != 1:
                yield one


def test_what_moves_past_the_reader_of_a_long_list_is_found_at_its_front(small_store: Store):
    past = Moving()
    reader = _Reader(cast("Any", past), None, Progress())
    listed = reader.listed(after(days=-30))
    assert set(listed) == set(range(1, 251))
    assert listed[1] == after(days=3)
    assert len(past.looks) == 2
    assert past.looks[1] == past.listed[250].updated_at


# ------------------------------------------------------------------ stopped, and gone on with


def two() -> tuple[PullFacts, PullFacts]:
    return done(), merged(after(days=1), number=8, id=901, head_sha=sha("f"))


def test_a_second_reading_asks_only_about_what_changed(small_store: Store):
    past = Past(*two())
    assert read(past, small_store).num_read == 2
    past.listed[8] = dataclasses.replace(past.listed[8], title="Another", updated_at=after(days=5))
    past.asked.clear()
    again = read(past, small_store)
    assert (again.num_read, again.num_known, past.asked) == (1, 1, [8])


def test_the_end_of_the_allowance_is_waited_for(small_store: Store):
    past = Past(*two())
    waited: list[datetime] = []
    past.trouble = [RateLimited("read the pull request", "rate limited", after(minutes=30))]
    assert read(past, small_store, wait_until=waited.append).num_read == 2
    assert waited == [after(minutes=30)]


def test_where_nobody_waits_the_next_reading_goes_on_from_there(small_store: Store):
    past = Past(*two())
    real, past.pull = past.pull, lambda number: _limited() if number == 8 else real(number)  # type: ignore[method-assign]
    with pytest.raises(RateLimited):
        read(past, small_store)
    past.pull, past.asked = real, []  # type: ignore[method-assign]
    again = read(past, small_store)
    assert (again.num_read, again.num_known, past.asked) == (1, 1, [8])
    assert len(measures(small_store)) == 2


def _limited() -> PullFacts:
    raise RateLimited("read the pull request", "rate limited", after(minutes=30))


@pytest.mark.parametrize(
    "error", [GithubRefused(404, "read the pull request", "gone"), GithubUnavailable("read it", "it answered 502")]
)
def test_one_that_cannot_be_read_is_told_and_tried_again(small_store: Store, error: Exception):
    past = Past(*two())
    past.trouble = [error]
    first = read(past, small_store)
    assert (first.num_read, list(first.unread)) == (1, [7])
    assert read(past, small_store).unread == {}
    assert len(measures(small_store)) == 2


@pytest.mark.soak
def test_a_pull_request_is_written_whole_or_not_at_all(small_store: Store, monkeypatch: pytest.MonkeyPatch):
    past = Past(done(), timeline=ROUND)

    def killed(*_: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(small_store.syncs), "put", killed)
        with pytest.raises(KeyboardInterrupt):
            read(past, small_store)
    assert small_store.pulls.get(5, 7) is None
    assert read(past, small_store).num_read == 1


# ------------------------------------------------------------------ who heard it, knows better


def test_an_old_word_of_history_replaces_nothing_newer(small_store: Store):
    newest = done(title="Sell better hats", updated_at=after(days=3))
    record(pulled("closed", newest), small_store, NOW)
    record(
        commented(done(), line_comment(31, after(minutes=5), body="New", updated_at=after(days=2))), small_store, NOW
    )
    record(threaded(newest, "resolved", (31,)), small_store, NOW)
    record(checked(conclusion="success", completed_at=after(minutes=9)), small_store, NOW)
    old = Past(
        dataclasses.replace(done(), title="Sell hats", updated_at=after(hours=1)),
        review_comments=[line_comment(31, after(minutes=5), body="Old")],
        threads=[PastThread("T_1", False, (31,))],
        checks={sha("a"): (check(conclusion="failure", completed_at=after(minutes=2)),)},
        timeline=ROUND,
    )
    read(old, small_store)
    row = small_store.pulls.get(5, 7)
    assert row is not None
    assert row.title == "Sell better hats"
    assert small_store.reviews.comments(5, 7)[0].body == "New"
    assert small_store.reviews.threads(5, 7)[0].is_resolved
    assert [one.conclusion for one in small_store.checks.of(5, sha("a"))] == ["success"]


def test_heads_made_of_dates_do_not_mix_with_heads_that_were_heard(small_store: Store):
    """A commit made before the review and pushed after it: who heard the push knows the round."""
    record(pulled("opened", pull()), small_store, NOW)
    pushed = pull(head_sha=sha("c"), updated_at=after(minutes=40))
    record(pulled("synchronize", pushed, sha("a")), small_store, NOW)
    dated = tuple(
        PastEvent("committed", after(minutes=minute), sha=sha(letter))
        for minute, letter in ((-9, "a"), (5, "b"), (6, "c"))
    )
    past = Past(merged(after(hours=1), head_sha=sha("c")), timeline=dated)
    read(past, small_store)
    assert [head.sha for head in small_store.pulls.heads(5, 7)] == [sha("a"), sha("c")]


def test_of_a_fork_only_dates_are_left(small_store: Store):
    fork = RepositoryFacts(99, "zoe/shop")
    past = Past(done(head_repository=fork), timeline=ROUND, pushes=(Push(None, sha("9"), after(minutes=-5)),))
    read(past, small_store)
    assert [head.sha for head in small_store.pulls.heads(5, 7)] == [sha("a"), sha("b")]


def test_our_own_checks_and_bots_do_not_count(small_store: Store):
    ours = check(name="tests", app_id=7, conclusion="failure")
    bot = Person("helper[bot]", 8, "Bot")
    talk = [CommentFacts(1, bot, "Please change this", after(minutes=3))]
    reviews = [ReviewFacts(5, bot, "changes_requested", "Change it", sha("a"), after(minutes=4))]
    read(
        Past(done(), timeline=ROUND, checks={sha("a"): (ours,)}, comments=talk, reviews=reviews), small_store, app_id=7
    )
    (found,) = measures(small_store)
    assert (found.first_push, found.num_asking, found.time_to_first_review_s) == (FirstPush.unknown, 0, None)


def test_open_ones_are_open(small_store: Store):
    past = Past(pull(updated_at=after(days=1), num_added=1, num_removed=2))
    read(past, small_store)
    (found,) = measures(small_store, since=after() - timedelta(seconds=1), until=after(days=1))
    assert (found.outcome, found.num_changed_lines) == (None, 3)
    assert measures(small_store, since=after(days=1)) == ()
    assert measures(small_store, [6]) == ()
