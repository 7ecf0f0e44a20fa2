"""Reviews, comments and threads of a pull request, each in its newest state from GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from assay.github.events.model import CommentFacts, Person, ReviewFacts
from assay.github_app.store.database.columns import clean
from assay.github_app.store.database.database import R, Tables, insert_new, locked, put, values_of
from assay.github_app.store.pulls.pulls import ensure_pull
from assay.github_app.store.tables.review_tables import CommentRow, ReviewRow, ThreadRow

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Reviews(Tables):
    """The tables `reviews`, `comments` and `threads`."""

    def put_review(
        self,
        repository_id: int,
        number: int,
        review: ReviewFacts,
        at: datetime,
        *,
        version_at: datetime | None = None,
        edited_by: str | None = None,
    ) -> bool:
        """Store a review; return False if a newer version is stored.

        A review has no modification time: `version_at` is the pull request's `updated_at` in the same
        payload. A dismissal is never undone.
        """
        key = {"repository_id": repository_id, "review_id": review.id}
        moment = version_at or review.submitted_at or at
        facts = {**_review_facts(review), "edited_by": edited_by}
        values = {**key, "number": number, **facts, "version_at": moment, "seen_at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, ReviewRow, values):
                return True
            row = locked(connection, ReviewRow, key)
            if row is None:
                return False
            first = row.first_state or values["first_state"]
            is_news = _review_age(values) > _review_age(values_of(row))
            if is_news or first != row.first_state:
                kept = _in_whose_words(values, row) if is_news else values_of(row)
                put(connection, ReviewRow, {**kept, "first_state": first})
            return is_news

    def put_comment(
        self,
        repository_id: int,
        number: int,
        comment: CommentFacts,
        at: datetime,
        *,
        pull_author: Person | None = None,
        is_deleted: bool = False,
        edited_by: str | None = None,
    ) -> bool:
        """Store a comment, on a line or in the conversation; return False if a newer version is stored."""
        kind = "conversation" if comment.path is None else "line"
        key = {"repository_id": repository_id, "kind": kind, "comment_id": comment.id}
        facts = {**_comment_facts(comment, pull_author, is_deleted), "edited_by": edited_by}
        values = {**key, "number": number, **facts, "seen_at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, CommentRow, values):
                return True
            row = locked(connection, CommentRow, key)
            if row is None or _comment_age(values) <= _comment_age(values_of(row)):
                return False
            put(connection, CommentRow, _in_whose_words(values, row))
            return True

    def put_thread(
        self,
        repository_id: int,
        number: int,
        node_id: str,
        comment_ids: tuple[int, ...],
        at: datetime,
        *,
        is_resolved: bool,
    ) -> None:
        """Set whether a thread is resolved at `at` (GitHub's time), unless a newer state is stored."""
        key = {"repository_id": repository_id, "node_id": node_id}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            row = locked(connection, ThreadRow, key)
            known = sorted({*comment_ids, *(row.comment_ids if row else ())})
            values = {
                **key,
                "number": number,
                "root_comment_id": known[0] if known else None,
                "comment_ids": known,
                "is_resolved": is_resolved,
                "changed_at": at,
            }
            if row is None and insert_new(connection, ThreadRow, values):
                return
            row = row or locked(connection, ThreadRow, key)
            if row is not None and (at, is_resolved) <= (row.changed_at, row.is_resolved):
                values |= {"is_resolved": row.is_resolved, "changed_at": row.changed_at}
            put(connection, ThreadRow, values)

    def reviews(self, repository_id: int, number: int | None = None) -> tuple[ReviewRow, ...]:
        """Return the reviews of a pull request, or of a repository, by time of submission."""
        found = self._of(ReviewRow, repository_id, number)
        return tuple(sorted(found, key=lambda row: (row.submitted_at or row.version_at, row.review_id)))

    def review(self, repository_id: int, review_id: int) -> ReviewRow | None:
        """Return the review, or None."""
        return self._database.one(select(ReviewRow).filter_by(repository_id=repository_id, review_id=review_id))

    def comments(
        self, repository_id: int, number: int | None = None, *, of_people: bool = False
    ) -> tuple[CommentRow, ...]:
        """Return the comments of a pull request, or of a repository, by time, without deleted ones.

        They are of both kinds; `of_people` excludes bots.
        """
        found = self._of(CommentRow, repository_id, number)
        wanted = [row for row in found if not row.is_deleted and not (of_people and row.is_bot)]
        return tuple(sorted(wanted, key=lambda row: (row.created_at or row.seen_at, row.kind, row.comment_id)))

    def comment(self, repository_id: int, kind: str, comment_id: int) -> CommentRow | None:
        """Return the comment, deleted or not, or None."""
        key = {"repository_id": repository_id, "kind": kind, "comment_id": comment_id}
        return self._database.one(select(CommentRow).filter_by(**key))

    def threads(self, repository_id: int, number: int) -> tuple[ThreadRow, ...]:
        """Return the threads with a known resolution, by the comment that opened each."""
        found = self._of(ThreadRow, repository_id, number)
        return tuple(sorted(found, key=lambda row: (row.root_comment_id or 0, row.node_id)))

    def _of(self, kind: type[R], repository_id: int, number: int | None) -> tuple[R, ...]:
        wanted = select(kind).filter_by(repository_id=repository_id)
        return self._database.rows(wanted if number is None else wanted.filter_by(number=number))


def _in_whose_words(values: dict[str, Any], row: ReviewRow | CommentRow) -> dict[str, Any]:
    """Keep the stored editor of an unchanged text: the API's history does not name it."""
    if values["edited_by"] is None and clean(values["body"]) == row.body:
        return {**values, "edited_by": row.edited_by}
    return values


def _review_facts(review: ReviewFacts) -> dict[str, Any]:
    return {
        "reviewer": review.reviewer.login,
        "reviewer_id": review.reviewer.id,
        "is_bot": review.reviewer.is_bot,
        "state": review.state,
        "first_state": None if review.state == "dismissed" else review.state,
        "body": review.body,
        "commit_sha": review.commit_sha,
        "association": review.association,
        "submitted_at": review.submitted_at,
    }


def _review_age(values: Mapping[str, Any]) -> tuple[Any, ...]:
    return (values["state"] == "dismissed", values["version_at"], values["seen_at"], clean(values["body"]))


def _comment_facts(comment: CommentFacts, pull_author: Person | None, is_deleted: bool) -> dict[str, Any]:
    return {
        "author": comment.author.login,
        "author_id": comment.author.id,
        "is_bot": comment.author.is_bot or comment.app_id is not None,
        "is_by_pull_author": pull_author is not None and comment.author.login == pull_author.login,
        "association": comment.association,
        "body": "" if is_deleted else comment.body,
        "app_id": comment.app_id,
        "node_id": comment.node_id,
        "path": comment.path,
        "line": comment.line,
        "side": comment.side,
        "commit_sha": comment.commit_sha,
        "diff_hunk": None if is_deleted else comment.diff_hunk,
        "review_id": comment.review_id,
        "in_reply_to": comment.in_reply_to,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "is_deleted": is_deleted,
    }


def _comment_age(values: Mapping[str, Any]) -> tuple[Any, ...]:
    moment = values["updated_at"] or values["created_at"] or _LONG_AGO
    return (values["is_deleted"], moment, values["seen_at"], clean(values["body"]))
