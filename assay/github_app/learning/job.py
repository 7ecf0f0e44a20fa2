"""Learn from one comment in a separate job: GitHub returns the author's permission, the store has the rest.

Idempotent. It posts at most one reply in the thread, and one notice to the operator's channels.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from assay.github.client import Permission, Repo
from assay.github_app.learning.extract.comments import comment_named, thread_of, why_not
from assay.github_app.learning.match.alerting import Thread, notify, update_reply
from assay.github_app.learning.repository_settings import learning_settings
from assay.github_app.ops.alerts import addresses_in
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import see_pull
from assay.github_app.runtime.context import Context
from assay.github_app.store import CommentRow, MatchRow, PullRow
from assay.llm import AnthropicModel, Budget, KeptAnswers, ModelUnavailable
from assay.validators import ConfigurationError, Learning

if TYPE_CHECKING:  # imported lazily: comparing loads much, and most jobs need none of it
    from assay.github_app.learning.match.comparing import Reader
    from assay.github_app.learning.rules.learned import LearningResult

MOST_ASKED = 2_000
"""Maximum comments per day sent to a model."""
_log = logging.getLogger(__name__)


@dataclass
class LearningRuns:
    """Step of `learn_comment`; `make_reader` is called on first use."""

    context: Context
    make_reader: Callable[[], Reader]
    _made: tuple[date, Reader] | None = None

    @property
    def reader(self) -> Reader:
        """Reader of comments, created once a day because the model's budget is per day."""
        day = self.context.clock().date()
        if self._made is None or self._made[0] != day:
            self._made = (day, self.make_reader())
        return self._made[1]

    def learn(self, repository_id: int, kind: str, comment_id: int) -> str:
        """Learn from the current text of a comment and return a short status.

        Raises the errors of GitHub and the store, and `EmbeddingUnavailable`; nothing is partially stored then.
        """
        context = self.context
        comment = comment_named(context.store, repository_id, kind, comment_id)
        if comment is None:
            return "unknown comment"
        with context.repo(repository_id) as repo:
            pull = self._pull(comment, repo)
            if comment.is_deleted:
                # Rules from a deleted comment are removed even if learning is now disabled.
                return self._learned(comment, pull, repo, Learning())
            try:
                settings = learning_settings(context, pull)
            except ConfigurationError as error:
                return f"nothing learned: invalid configuration: {str(error).splitlines()[0][:200]}"
            if not settings.enabled:
                return "learning is disabled"
            return self._learned(comment, pull, repo, settings)

    def _learned(self, comment: CommentRow, pull: PullRow, repo: Repo, settings: Learning) -> str:
        from assay.github_app.learning.rules.learned import learn_from

        context, store, at = self.context, self.context.store, self.context.clock()
        known = store.rules.source_of(comment.repository_id, comment.kind, comment.comment_id)
        # Permissions are requested only for comments that could count.
        is_out = why_not(comment, pull, Permission.admin) is not None
        permission = Permission.none if is_out else repo.permission_of(comment.author)
        done = learn_from(comment, pull, permission, store, self.reader, at, settings=settings)
        touched = {done.rule_id, known.rule_id if known else None} - {None}
        for match in self._changed(comment, touched):
            self._update_reply(match, repo, settings)
        if done.is_repeat:
            addresses = addresses_in(context.settings.alert_urls)
            for match in store.rules.matches(comment.repository_id, rule_id=done.rule_id, number=comment.number):
                if match.thread == thread_of(comment):
                    notify(store, match, repo.full_name, repo.web_url, addresses, at)
        return _status(done)

    def _pull(self, comment: CommentRow, repo: Repo) -> PullRow:
        """Return the pull request, fetching it if a comment arrived first."""
        context = self.context
        known = context.store.pulls.get(comment.repository_id, comment.number)
        if known is not None:
            return known
        row, _ = context.given(comment.repository_id)
        return see_pull(
            context.store, row.facts, repo.pull(comment.number), context.clock(), web_url=context.settings.github_url
        )

    def _changed(self, comment: CommentRow, rule_ids: set[str | None]) -> list[MatchRow]:
        """Return the repeats that may need a new reply: this thread's, and withdrawn ones with a reply."""
        found = []
        for rule_id in rule_ids:
            matches = self.context.store.rules.matches(comment.repository_id, rule_id=rule_id, with_withdrawn=True)
            found += [
                one
                for one in matches
                if one.thread == thread_of(comment) or (one.withdrawn_at is not None and one.reply_id is not None)
            ]
        return found

    def _update_reply(self, match: MatchRow, repo: Repo, settings: Learning) -> None:
        thread = Thread(match.repository_id, match.number, match.thread)
        pull = self.context.store.pulls.get(match.repository_id, match.number)
        if pull is not None:
            update_reply(thread, self.context.store, repo, pull, settings, self.context.clock())


def reader_for(settings: Settings) -> Reader:
    """Build the comment reader from the operator's settings."""
    from assay.github_app.learning.match.comparing import Reader

    embedder = embedder_of(settings)
    if settings.learning_model is None:
        return Reader(embedder)
    budget = Budget(max_usd=settings.learning_budget_usd, max_calls=MOST_ASKED)
    try:
        # A dismissed review and a reverted edit are read again: the same prompt is not paid for twice in a day.
        return Reader(embedder, model=KeptAnswers(AnthropicModel(settings.learning_model, budget=budget), None))
    except ModelUnavailable as error:
        _log.warning("rules are worded without a model: %s", error)
        return Reader(embedder)


def _status(done: LearningResult) -> str:
    if done.rule_id is None:
        return f"nothing learned: {done.why}"
    what = "begins" if done.is_new else "repeats" if done.is_repeat else "says"
    return f"{what} the rule {done.rule_id}{f' ({done.why})' if done.why else ''}"
