"""Reviews, comments and threads of a pull request, each in its newest state from GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Table

from assay.github.events.model import CommentFacts, Person, ReviewFacts
from assay.github_app.store.database.columns import clean
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull
from assay.github_app.store.tables.review_tables import COMMENTS, REVIEWS, THREADS, CommentRow, ReviewRow, ThreadRow

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Reviews:
    """The tables `reviews`, `comments` and `threads`."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            if insert_new(connection, REVIEWS, values):
                return True
            row = locked(connection, REVIEWS, key)
            if row is None:
                return False
            first = row.first_state or values["first_state"]
            is_news = _review_age(values) > _review_age(row._asdict())
            if is_news or first != row.first_state:
                kept = _in_whose_words(values, row) if is_news else row._asdict()
                put(connection, REVIEWS, {**kept, "first_state": first})
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
        """Store a comment on a line of the diff; return False if a newer version is stored."""
        return self._comment("line", repository_id, number, comment, at, pull_author, is_deleted, edited_by)

    def put_issue_comment(
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
        """Store a comment in the conversation; return False if a newer version is stored."""
        return self._comment("conversation", repository_id, number, comment, at, pull_author, is_deleted, edited_by)

    def put_thread(
        self,
        repository_id: int,
        number: int,
        node_id: str,
        comment_ids: tuple[int, ...],
        at: datetime,
        *,
        is_resolved: bool,
    ) -> bool:
        """Set whether a thread is resolved at `at` (GitHub's time); return False if a newer state is stored."""
        key = {"repository_id": repository_id, "node_id": node_id}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            row = locked(connection, THREADS, key)
            known = sorted({*comment_ids, *(row.comment_ids if row else ())})
            values = {
                **key,
                "number": number,
                "root_comment_id": known[0] if known else None,
                "comment_ids": known,
                "is_resolved": is_resolved,
                "changed_at": at,
            }
            if row is None and insert_new(connection, THREADS, values):
                return True
            row = row or locked(connection, THREADS, key)
            is_news = row is None or (at, is_resolved) > (row.changed_at, row.is_resolved)
            if row is not None and not is_news:
                values |= {"is_resolved": row.is_resolved, "changed_at": row.changed_at}
            put(connection, THREADS, values)
            return is_news

    def reviews(self, repository_id: int, number: int) -> tuple[ReviewRow, ...]:
        """Return the reviews of a pull request, by time of submission."""
        rows = [ReviewRow(**row._asdict()) for row in self._of(REVIEWS, repository_id, number)]
        return tuple(sorted(rows, key=lambda row: (row.submitted_at or row.version_at, row.review_id)))

    def review(self, repository_id: int, review_id: int) -> ReviewRow | None:
        """Return the review, or None."""
        with self._database.read() as connection:
            key = {"repository_id": repository_id, "review_id": review_id}
            row = connection.execute(by_key(REVIEWS, key)).one_or_none()
            return None if row is None else ReviewRow(**row._asdict())

    def reviews_in(self, repository_id: int) -> tuple[ReviewRow, ...]:
        """Return all reviews of a repository, by time of submission."""
        with self._database.read() as connection:
            found = connection.execute(by_key(REVIEWS, {"repository_id": repository_id}))
            rows = [ReviewRow(**row._asdict()) for row in found]
        return tuple(sorted(rows, key=lambda row: (row.submitted_at or row.version_at, row.review_id)))

    def comments(self, repository_id: int, number: int, *, of_people: bool = False) -> tuple[CommentRow, ...]:
        """Return the comments of both kinds, without deleted ones, by time; `of_people` excludes bots."""
        rows = [CommentRow(**row._asdict()) for row in self._of(COMMENTS, repository_id, number)]
        wanted = [row for row in rows if not row.is_deleted and not (of_people and row.is_bot)]
        return tuple(sorted(wanted, key=lambda row: (row.created_at or row.seen_at, row.kind, row.comment_id)))

    def comment(self, repository_id: int, kind: str, comment_id: int) -> CommentRow | None:
        """Return the comment, deleted or not, or None."""
        key = {"repository_id": repository_id, "kind": kind, "comment_id": comment_id}
        with self._database.read() as connection:
            row = connection.execute(by_key(COMMENTS, key)).one_or_none()
            return None if row is None else CommentRow(**row._asdict())

    def in_repository(self, repository_id: int) -> tuple[CommentRow, ...]:
        """Return all comments of a repository, without deleted ones, by time."""
        with self._database.read() as connection:
            rows = [
                CommentRow(**row._asdict())
                for row in connection.execute(by_key(COMMENTS, {"repository_id": repository_id}))
            ]
        wanted = [row for row in rows if not row.is_deleted]
        return tuple(sorted(wanted, key=lambda row: (row.created_at or row.seen_at, row.kind, row.comment_id)))

    def threads(self, repository_id: int, number: int) -> tuple[ThreadRow, ...]:
        """Return the threads with a known resolution, by the comment that opened each."""
        found = []
        for row in self._of(THREADS, repository_id, number):
            values = row._asdict()
            found.append(ThreadRow(**{**values, "comment_ids": tuple(values["comment_ids"])}))
        return tuple(sorted(found, key=lambda row: (row.root_comment_id or 0, row.node_id)))

    def _comment(
        self,
        kind: str,
        repository_id: int,
        number: int,
        comment: CommentFacts,
        at: datetime,
        pull_author: Person | None,
        is_deleted: bool,
        edited_by: str | None,
    ) -> bool:
        key = {"repository_id": repository_id, "kind": kind, "comment_id": comment.id}
        facts = {**_comment_facts(comment, pull_author, is_deleted), "edited_by": edited_by}
        values = {**key, "number": number, **facts, "seen_at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, COMMENTS, values):
                return True
            row = locked(connection, COMMENTS, key)
            if row is None or _comment_age(values) <= _comment_age(row._asdict()):
                return False
            put(connection, COMMENTS, _in_whose_words(values, row))
            return True

    def _of(self, table: Table, repository_id: int, number: int) -> list[Row[Any]]:
        with self._database.read() as connection:
            return _rows(connection, table, repository_id, number)


def _in_whose_words(values: dict[str, Any], row: Row[Any]) -> dict[str, Any]:
    """Keep the stored editor of an unchanged text: the API's history does not name it."""
    if values["edited_by"] is None and clean(values["body"]) == row.body:
        return {**values, "edited_by": row.edited_by}
    return values


def _rows(connection: Connection, table: Table, repository_id: int, number: int) -> list[Row[Any]]:
    return list(connection.execute(by_key(table, {"repository_id": repository_id, "number": number})))


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
