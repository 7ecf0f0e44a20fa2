"""What a comment teaches, worked out in a job of its own: who wrote it is asked of GitHub, the rest is in the store.

Done again it changes nothing. What goes out of it is one reply in the thread, and a notice to the operator's channels.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from assay.github.client import Permission, Repo
from assay.github.events.model import RepositoryFacts
from assay.github_app.learning.extract.extracting import thread_of, why_not
from assay.github_app.learning.extract.summaries import comment_named
from assay.github_app.learning.match.alerting import Thread, notify, speak_in
from assay.github_app.learning.repository_settings import learning_settings
from assay.github_app.ops.alerts import addresses_in
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.outcomes import see_pull
from assay.github_app.runtime.context import Context
from assay.github_app.settings import Settings
from assay.github_app.store import CommentRow, MatchRow, PullRow
from assay.llm import AnthropicModel, Budget, ModelUnavailable
from assay.validators import ConfigurationError, Learning

if TYPE_CHECKING:  # at run time where a comment is learned from: comparing loads much, and most jobs do something else
    from assay.github_app.learning.match.comparing import Reader
    from assay.github_app.learning.rules.learned import Learned

MOST_ASKED = 2_000
"""Comments a model is asked about in a day."""
_log = logging.getLogger(__name__)


@dataclass
class LearningRuns:
    """The one step of `learn_comment`. `make_reader` makes what reads and compares comments, when first needed."""

    context: Context
    make_reader: Callable[[], Reader]
    _made: tuple[date, Reader] | None = None

    @property
    def reader(self) -> Reader:
        """Made once a day: what a model may cost is counted by the day."""
        day = self.context.clock().date()
        if self._made is None or self._made[0] != day:
            self._made = (day, self.make_reader())
        return self._made[1]

    def learn(self, repository_id: int, kind: str, comment_id: int) -> str:
        """Learn from a comment as it stands now; what came of it, in a few words.

        Raises what GitHub and the store raise, and `EmbeddingUnavailable`; nothing is half done then.
        """
        context = self.context
        comment = comment_named(context.store, repository_id, kind, comment_id)
        if comment is None:
            return "not known"
        with context.repo(repository_id) as repo:
            pull = self._pull(comment, repo)
            if comment.is_deleted:
                # What it taught goes, whatever the settings say by now.
                return self._learned(comment, pull, repo, Learning())
            try:
                settings = learning_settings(context, pull)
            except ConfigurationError as error:
                return f"nothing is learned: the configuration is wrong: {str(error).splitlines()[0][:200]}"
            if not settings.enabled:
                return "nothing is learned here"
            return self._learned(comment, pull, repo, settings)

    def _learned(self, comment: CommentRow, pull: PullRow, repo: Repo, settings: Learning) -> str:
        from assay.github_app.learning.rules.learned import learn_from

        context, store, at = self.context, self.context.store, self.context.clock()
        known = store.rules.source_of(comment.repository_id, comment.kind, comment.comment_id)
        # Who would not count whatever they may do is not asked for.
        is_out = why_not(comment, pull, Permission.admin) is not None
        permission = Permission.none if is_out else repo.permission_of(comment.author)
        done = learn_from(comment, pull, permission, store, self.reader, at, settings=settings)
        touched = {done.rule_id, known.rule_id if known else None} - {None}
        for match in self._changed(comment, touched):
            self._speak(match, repo, settings)
        if done.is_repeat:
            urls = context.settings.alert_urls
            addresses = addresses_in(urls.get_secret_value() if urls else None)
            for match in store.rules.matches(comment.repository_id, rule_id=done.rule_id, number=comment.number):
                if match.thread == thread_of(comment):
                    notify(store, match, repo.full_name, repo.web_url, addresses, settings, at)
        return _said(done)

    def _pull(self, comment: CommentRow, repo: Repo) -> PullRow:
        """The pull request, which may be known by number only: a comment came first."""
        context = self.context
        known = context.store.pulls.get(comment.repository_id, comment.number)
        if known is not None:
            return known
        row, _ = context.given(comment.repository_id)
        facts = RepositoryFacts(row.id, row.full_name, row.default_branch, row.is_private, row.is_archived)
        return see_pull(context.store, facts, repo.pull(comment.number), context.clock())

    def _changed(self, comment: CommentRow, rule_ids: set[str | None]) -> list[MatchRow]:
        """The repeats whose thread may need another reply: this one's, and any that lost what it rested on."""
        found = []
        for rule_id in rule_ids:
            matches = self.context.store.rules.matches(comment.repository_id, rule_id=rule_id, with_withdrawn=True)
            found += [
                one
                for one in matches
                if one.thread == thread_of(comment) or (one.withdrawn_at is not None and one.reply_id is not None)
            ]
        return found

    def _speak(self, match: MatchRow, repo: Repo, settings: Learning) -> None:
        thread = Thread(match.repository_id, match.number, match.thread)
        pull = self.context.store.pulls.get(match.repository_id, match.number)
        if pull is not None:
            speak_in(thread, self.context.store, repo, pull, settings, self.context.clock())


def reader_for(settings: Settings) -> Reader:
    """What reads and compares comments, as the operator set it."""
    from assay.github_app.learning.match.comparing import Reader

    embedder = embedder_of(settings)
    if settings.learning_model is None:
        return Reader(embedder)
    budget = Budget(max_usd=settings.learning_budget_usd, max_calls=MOST_ASKED)
    try:
        return Reader(embedder, model=AnthropicModel(settings.learning_model, budget=budget))
    except ModelUnavailable as error:
        _log.warning("no model words rules: %s", error)
        return Reader(embedder)


def _said(done: Learned) -> str:
    if done.rule_id is None:
        return f"nothing is learned: {done.why}"
    what = "begins" if done.is_new else "repeats" if done.is_repeat else "says"
    return f"{what} the rule {done.rule_id}{f' ({done.why})' if done.why else ''}"
