"""Reconstruct a pull request's past as GitHub events, so that imported history and webhooks store the same rows.

Each event contains the pull request as of its time, as far as GitHub's lists allow: state, draft and head are of that
time; title, text and labels are current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from assay.github.client import PastEvent, PastThread, Push
from assay.github.events.model import (
    About,
    CheckFacts,
    CheckRunEvent,
    CommentFacts,
    Event,
    IssueCommentEvent,
    PullFacts,
    PullRequestEvent,
    RepositoryFacts,
    ReviewCommentEvent,
    ReviewEvent,
    ReviewFacts,
    ReviewThreadEvent,
)

DELIVERY = "history"
_DRAFTS = {"ready_for_review": "ready_for_review", "convert_to_draft": "converted_to_draft"}


@dataclass(frozen=True, slots=True)
class PastPull:
    """Pull request as listed by GitHub. `pushes` are those to its branch, empty if GitHub lists none."""

    repository: RepositoryFacts
    pull: PullFacts
    pushes: tuple[Push, ...] = ()
    timeline: tuple[PastEvent, ...] = ()
    reviews: tuple[ReviewFacts, ...] = ()
    comments: tuple[CommentFacts, ...] = ()
    line_comments: tuple[CommentFacts, ...] = ()
    threads: tuple[PastThread, ...] = ()
    checks: tuple[CheckFacts, ...] = ()
    installation_id: int | None = None

    @property
    def drafts(self) -> tuple[PastEvent, ...]:
        """Changes between draft and ready, in order."""
        return tuple(event for event in self.timeline if event.what in _DRAFTS)

    @property
    def was_draft(self) -> bool:
        """Return whether it opened as a draft: by its first draft event, else by its current state."""
        drafts = self.drafts
        return drafts[0].what == "ready_for_review" if drafts else self.pull.is_draft


@dataclass(frozen=True, slots=True)
class PastHeads:
    """Heads of a pull request over time: `pushes` in order, starting with the head at opening.

    `is_exact` is true if they come from GitHub's record of pushes, false if derived from commit dates. There are no
    pushes if the opening is unknown.
    """

    pushes: tuple[Push, ...] = field(default=())
    is_exact: bool = False

    @property
    def first(self) -> str | None:
        """Head at opening."""
        return self.pushes[0].after if self.pushes else None

    def at(self, moment: datetime, last: str) -> str:
        """Return the head at a moment; `last` if it is unknown."""
        before = [push.after for push in self.pushes if push.at <= moment]
        return before[-1] if before else last


def past_heads(past: PastPull) -> PastHeads:
    """Return the heads of a pull request, from its pushes or else from commit dates.

    A forced push removes earlier commits, so without a record of pushes the heads are unknown.
    """
    opened_at = past.pull.created_at
    if opened_at is None:
        return PastHeads()
    if past.pushes:
        exact = _from_opening(past.pushes, opened_at, past.pull.closed_at)
        if exact:
            return PastHeads(exact, is_exact=True)
    if any(event.what == "head_ref_force_pushed" for event in past.timeline):
        return PastHeads()
    commits = [event for event in past.timeline if event.what == "committed" and event.sha]
    shas = [str(event.sha) for event in commits]
    befores = [None, *shas]
    moves = tuple(Push(befores[place], shas[place], event.at) for place, event in enumerate(commits))
    return PastHeads(_from_opening(moves, opened_at, past.pull.closed_at))


def events_of(past: PastPull, heads: PastHeads, *, with_heads: bool = True) -> list[Event]:
    """Return the events in chronological order; the last one has the current state.

    `with_heads=False` omits the opening and the pushes, for callers that have them from webhooks.
    """
    then = _PastStates(past, heads)
    timeline: list[tuple[datetime, int, Event]] = []
    if with_heads and heads.pushes:
        timeline += then.pushes()
    timeline += then.states()
    timeline += then.reviews()
    timeline += then.comments()
    ordered = [event for _, _, event in sorted(timeline, key=lambda one: one[:2])]
    return [*ordered, *then.checks(), *then.threads(), then.now()]


class _PastStates:
    """Past states of a pull request, and their events. Within one second, creation comes first."""

    def __init__(self, past: PastPull, heads: PastHeads) -> None:
        self._past = past
        self._heads = heads
        # Needed for every event.
        self._was_draft = past.was_draft
        self._drafts = past.drafts

    def pushes(self) -> Iterator[tuple[datetime, int, Event]]:
        opened_at = self._past.pull.created_at
        for place, push in enumerate(self._heads.pushes):
            if place == 0 and opened_at is not None:
                facts = replace(self.facts(opened_at), head_sha=push.after)
                yield opened_at, 0, PullRequestEvent(self.about("pull_request", "opened"), facts)
            else:
                facts = replace(self.facts(push.at), head_sha=push.after)
                event = PullRequestEvent(self.about("pull_request", "synchronize"), facts, before=push.before)
                yield push.at, 1, event

    def states(self) -> Iterator[tuple[datetime, int, Event]]:
        """Yield the changes of state: ready, draft, closed, reopened."""
        ends = [event for event in self._past.timeline if event.what in ("closed", "reopened")]
        if ends and ends[-1].what == "closed" and self._past.pull.state == "closed":
            ends.pop()  # the current state already covers it
        for event in (*self._drafts, *ends):
            action = _DRAFTS.get(event.what, event.what)
            facts = self.facts(event.at)
            if action == "closed":
                facts = replace(facts, state="closed", closed_at=event.at)
            yield event.at, 2, PullRequestEvent(self.about("pull_request", action), facts)

    def reviews(self) -> Iterator[tuple[datetime, int, Event]]:
        dismissals = {one.review_id: one for one in self._past.timeline if one.what == "review_dismissed"}
        for review in self._past.reviews:
            if review.submitted_at is None or review.state == "pending":
                continue
            dismissal = dismissals.get(review.id)
            first = replace(review, state=dismissal.state.lower()) if dismissal and dismissal.state else review
            yield self._review(first, "submitted", review.submitted_at)
            if dismissal is not None and review.state == "dismissed":
                yield self._review(review, "dismissed", dismissal.at)

    def comments(self) -> Iterator[tuple[datetime, int, Event]]:
        for one in self._past.line_comments:
            if one.created_at is not None:
                about = self.about("pull_request_review_comment", "created")
                yield one.created_at, 4, ReviewCommentEvent(about, self._standing(one.created_at), one)
        for one in self._past.comments:
            if one.created_at is not None:
                about = self.about("issue_comment", "created")
                pull = self._past.pull
                event = IssueCommentEvent(about, pull.number, is_pull=True, pull_author=pull.author, comment=one)
                yield one.created_at, 4, event

    def checks(self) -> Iterator[Event]:
        for check in self._past.checks:
            yield CheckRunEvent(self.about("check_run", check.status), check)

    def threads(self) -> Iterator[Event]:
        """Yield the resolved threads; GitHub gives no time, so the pull request's last update is used."""
        for thread in self._past.threads:
            if thread.is_resolved and thread.comment_ids:
                about = self.about("pull_request_review_thread", "resolved")
                yield ReviewThreadEvent(about, self._past.pull, thread.node_id, thread.comment_ids)

    def now(self) -> Event:
        is_closed = self._past.pull.state == "closed"
        return PullRequestEvent(self.about("pull_request", "closed" if is_closed else "edited"), self._past.pull)

    def facts(self, moment: datetime) -> PullFacts:
        """Return the pull request's state at a moment when it was open."""
        before = [event for event in self._drafts if event.at <= moment]
        is_draft = before[-1].what == "convert_to_draft" if before else self._was_draft
        return replace(
            self._past.pull,
            head_sha=self._heads.at(moment, self._past.pull.head_sha),
            updated_at=moment,
            is_draft=is_draft,
            state="open",
            is_merged=False,
            merge_commit_sha=None,
            closed_at=None,
            merged_at=None,
            merged_by=None,
            num_added=None,
            num_removed=None,
        )

    def about(self, event: str, action: str) -> About:
        return About(event, action, DELIVERY, self._past.repository, self._past.installation_id, None)

    def _review(self, review: ReviewFacts, action: str, at: datetime) -> tuple[datetime, int, Event]:
        return at, 3, ReviewEvent(self.about("pull_request_review", action), self._standing(at), review)

    def _standing(self, moment: datetime) -> PullFacts:
        """Return the state at a moment, also after the merge, because people review merged changes."""
        pull = self._past.pull
        return pull if pull.closed_at is not None and moment >= pull.closed_at else self.facts(moment)


def _from_opening(pushes: Sequence[Push], opened_at: datetime, closed_at: datetime | None) -> tuple[Push, ...]:
    """Return the push that was opened, and later ones; the branch may have existed before and after."""
    before = [push for push in pushes if push.at <= opened_at]
    after = [push for push in pushes if push.at > opened_at and (closed_at is None or push.at <= closed_at)]
    return (before[-1], *after) if before else ()
