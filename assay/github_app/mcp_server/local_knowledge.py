"""Memory of a repository in the App's database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from assay.github.errors import StoreUnavailable
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.learning.handout.delivery import DeliveredRule, deliver_insights, rules_for
from assay.github_app.mcp_server.knowledge import FeedbackResult, Insight, Knowledge, Rule, Rules, Unanswerable
from assay.github_app.outcomes.insights.insights import find_insights
from assay.github_app.outcomes.record.feedback import take_feedback
from assay.github_app.runtime.context import now
from assay.github_app.store import InsightRow, Store
from assay.validators import LearnedRule

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder

HOW = "mcp"
_log = logging.getLogger(__name__)


class LocalKnowledge(Knowledge):
    """`Knowledge` from an open store, for one repository. Thread-safe."""

    def __init__(self, store: Store, repository_id: int, clock: Callable[[], datetime] = now) -> None:
        self._store, self._repository_id, self._clock = store, repository_id, clock

    def rules_for(self, paths: Sequence[str], task_id: str | None) -> Rules:
        """Implement `Knowledge`."""
        with _answerable():
            found, num = rules_for(self._store, self._repository_id, paths, task_id=task_id, how=HOW, at=self._clock())
        return Rules(rules=[as_rule(rule) for rule in found], num_left_out=num)

    def insights(self, query: str, limit: int, task_id: str | None = None) -> list[Insight]:
        """Implement `Knowledge`."""
        with _answerable():
            if query.strip():
                rows = find_insights(self._store, self._repository_id, query, embedder=self._embedder, limit=limit)
            else:
                rows = self._store.insights.newest(self._repository_id, limit)
            if task_id is not None:
                ids = [row.id for row in rows]
                deliver_insights(self._store, self._repository_id, ids, task_id=task_id, how=HOW, at=self._clock())
        return [as_insight(row) for row in rows]

    def report_feedback(self, text: str, task_id: str) -> FeedbackResult:
        """Implement `Knowledge`."""
        at = self._clock()
        with _answerable():
            kept = take_feedback(
                self._store, self._repository_id, text, at, source=HOW, seen_at=at, task_id=task_id, told_by=HOW
            )
        if kept is None:
            return FeedbackResult(is_new=False, is_trusted=True, why_not="the feedback names nothing missing")
        row, is_new = kept
        return FeedbackResult(is_new=is_new, is_trusted=row.is_trusted, why_not=row.why_not)

    def learned_rules(self) -> tuple[LearnedRule, ...]:
        """Implement `Knowledge`."""
        with _answerable():
            return learned_rules(self._store, self._repository_id)

    @cached_property
    def _embedder(self) -> Embedder | None:
        """Bundled embedder for the search by meaning, or None if it is not installed."""
        try:
            from assay.embedding.embedder import EmbeddingSettings
            from assay.embedding.register import EMBEDDERS

            return EMBEDDERS["bundled"](EmbeddingSettings())
        except ImportError as error:
            _log.warning("insights are searched by words only: %s", error)
            return None


def as_rule(rule: DeliveredRule) -> Rule:
    """Convert a rule for an agent."""
    return Rule(
        id=rule.rule_id,
        rule=rule.text,
        paths=list(rule.paths),
        asked_by=rule.provenance,
        num_repeats=rule.num_repeats,
        is_ineffective=rule.is_ineffective,
    )


def as_insight(row: InsightRow) -> Insight:
    """Convert an insight for an agent."""
    return Insight(text=row.text, kind=row.insight_type, task_id=row.task_id, at=row.at.isoformat())


@contextmanager
def _answerable() -> Iterator[None]:
    try:
        yield
    except StoreUnavailable as error:
        raise Unanswerable(f"the database is unavailable: {error}") from None
