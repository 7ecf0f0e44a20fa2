"""Findings of model reviews and their outcomes: what people did about each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Choice, Kept, Key, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, insert_new, locked, values_of
from assay.github_app.store.pulls.pulls import ensure_pull


class FindingOutcome(StrEnum):
    """Outcome of a finding.

    `acted_on`: its lines were edited or removed. `dismissed`: a person called it wrong. `ignored`: the pull request
    ended with it. `withdrawn`: a later review refuted it, or its lines moved to another file.
    """

    acted_on = "acted_on"
    dismissed = "dismissed"
    ignored = "ignored"
    withdrawn = "withdrawn"


class DecidedBy(StrEnum):
    """What decided: a review of a later push, an edit found at the end, a command, a reaction, or the end."""

    push = "push"
    last_push = "last_push"
    command = "command"
    reaction = "reaction"
    merged = "merged"
    closed = "closed"


class ReviewFindingRow(OfAPull, StoredRow):
    """A finding of a model review; `outcome` is None while it stands in an open pull request.

    `prompt` is the version of its question's prompt, `prompts` those of all prompts of the review that found it.
    `by_author`: the author of the pull request dismissed it, which does not hold back other findings.
    """

    __tablename__ = "review_findings"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "outcome"),
        described(
            "Findings of model reviews: prompt and model, first and last head, and what became of each.", Kept.pull
        ),
    )

    finding_id: Mapped[Key]
    rule: Mapped[str]
    question: Mapped[str]
    prompt: Mapped[str]
    prompts: Mapped[tuple[str, ...]]
    model: Mapped[str]
    severity: Mapped[str]
    is_demonstrated: Mapped[bool]
    file: Mapped[str]
    message: Mapped[str]
    first_sha: Mapped[str]
    last_sha: Mapped[str]
    first_at: Mapped[datetime]
    outcome: Mapped[FindingOutcome | None] = mapped_column(Choice(FindingOutcome), default=None)
    decided_by: Mapped[DecidedBy | None] = mapped_column(Choice(DecidedBy), default=None)
    decided_at: Mapped[datetime | None] = mapped_column(default=None)
    decider: Mapped[str | None] = mapped_column(default=None)
    by_author: Mapped[bool] = mapped_column(default=False)


_REOPENED = {"outcome": None, "decided_by": None, "decided_at": None, "decider": None, "by_author": False}


class ReviewFindings(Tables):
    """The table `review_findings`."""

    def seen(self, rows: Iterable[ReviewFindingRow], at: datetime) -> None:
        """Store the findings of a head. One that another head had keeps its first data.

        A finding that comes back on another head is open again, unless it was dismissed.
        """
        with self._database.write() as connection:
            for row in rows:
                ensure_pull(connection, row.repository_id, row.number, at)
                if insert_new(connection, ReviewFindingRow, values_of(row)):
                    continue
                key = {"repository_id": row.repository_id, "number": row.number, "finding_id": row.finding_id}
                known = locked(connection, ReviewFindingRow, key)
                if known is None or known.last_sha == row.last_sha:
                    continue
                is_back = known.outcome not in (None, FindingOutcome.dismissed)
                values = {
                    "last_sha": row.last_sha,
                    "severity": row.severity,
                    "is_demonstrated": row.is_demonstrated,
                    **(_REOPENED if is_back else {}),
                }
                connection.execute(update(ReviewFindingRow).filter_by(**key).values(**values))

    def decide(
        self,
        place: tuple[int, int],
        finding_id: str,
        outcome: FindingOutcome,
        by: DecidedBy,
        at: datetime,
        *,
        decider: str | None = None,
        by_author: bool = False,
    ) -> bool:
        """Set the outcome of a finding; return False for an unknown one, or one that has an outcome.

        A command replaces any other outcome.
        """
        key = {"repository_id": place[0], "number": place[1], "finding_id": finding_id}
        values = {"outcome": outcome, "decided_by": by, "decided_at": at, "decider": decider, "by_author": by_author}
        with self._database.write() as connection:
            row = locked(connection, ReviewFindingRow, key)
            if row is None or row.decided_by is DecidedBy.command:
                return False
            if row.outcome is not None and by is not DecidedBy.command:
                return False
            connection.execute(update(ReviewFindingRow).filter_by(**key).values(**values))
            return True

    def of(self, repository_id: int, number: int) -> tuple[ReviewFindingRow, ...]:
        """Return the findings of a pull request, oldest first."""
        wanted = select(ReviewFindingRow).filter_by(repository_id=repository_id, number=number)
        return self._database.rows(wanted.order_by(ReviewFindingRow.first_at, ReviewFindingRow.finding_id))

    def standing(self, repository_id: int, number: int) -> tuple[ReviewFindingRow, ...]:
        """Return the findings of a pull request that have no outcome."""
        return tuple(row for row in self.of(repository_id, number) if row.outcome is None)

    def dismissed(self, repository_id: int, most: int) -> tuple[ReviewFindingRow, ...]:
        """Return the newest findings that people other than the author dismissed."""
        wanted = select(ReviewFindingRow).filter_by(
            repository_id=repository_id, outcome=FindingOutcome.dismissed, by_author=False
        )
        return self._database.rows(wanted.order_by(ReviewFindingRow.decided_at.desc()).limit(most))

    def first_seen(
        self, repository_ids: Collection[int] | None, since: datetime | None = None, until: datetime | None = None
    ) -> tuple[ReviewFindingRow, ...]:
        """Return the findings that were first reported from `since` (inclusive) to `until` (exclusive)."""
        wanted = select(ReviewFindingRow)
        if repository_ids is not None:
            wanted = wanted.where(ReviewFindingRow.repository_id.in_(tuple(repository_ids)))
        if since is not None:
            wanted = wanted.where(ReviewFindingRow.first_at >= since)
        if until is not None:
            wanted = wanted.where(ReviewFindingRow.first_at < until)
        return self._database.rows(wanted.order_by(ReviewFindingRow.first_at, ReviewFindingRow.finding_id))
