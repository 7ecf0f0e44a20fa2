"""Judging a head for the App: with a token that reads contents alone, and the report kept in the store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from assay.github_app.checkout import MirrorLimits, Mirrors
from assay.github_app.context import Context
from assay.github_app.errors import GithubRefused
from assay.github_app.events import PullFacts
from assay.github_app.instructions import instructions_of
from assay.github_app.outcomes import sources_seen, validation_completed
from assay.github_app.permissions import FOR_CHECKOUT
from assay.github_app.settings import LocalRuns, Settings
from assay.github_app.store import RunRow
from assay.github_app.validation import JudgeLimits, Source, Watching, configuration_hash, judge_fetched
from assay.validators import Repository, ValidatorError

_log = logging.getLogger(__name__)


def mirrors_of(settings: Settings) -> Mirrors:
    """The mirrors of this worker."""
    limits = MirrorLimits(settings.mirror_limit_bytes, settings.repository_limit_bytes)
    return Mirrors(settings.data_dir / "mirrors", limits)


def forget_what_was_taken_away(context: Context) -> int:
    """Remove this worker's mirrors of repositories the App is not given any more; how many.

    Each worker does it for itself: nobody else reaches its disk. A mirror in use is removed the next time.
    """
    mirrors = mirrors_of(context.settings)
    num_gone = 0
    for repository_id in mirrors.kept():
        row = context.store.repositories.get(repository_id)
        if row is None or not row.is_given:
            num_gone += mirrors.forget(repository_id)
    return num_gone


class HeadJudge:
    """Judges heads, each in a process of its own, on mirrors below the data directory."""

    def __init__(self, settings: Settings) -> None:
        self._mirrors = mirrors_of(settings)
        self._limits = JudgeLimits(
            memory_bytes=settings.judge_memory_bytes, local_runs=settings.local_runs is LocalRuns.sandboxed
        )

    def judge(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        """Fetch, judge, and keep the report; Tier 1 of others is added when it is published.

        Raises:
            CheckoutFailed, JudgingFailed, GithubRefused, GithubUnavailable, StoreUnavailable
        """
        source = self._source(run, context)
        watching = Watching(on_started=on_started, stop=stop)
        report = judge_fetched(pull, source, self._mirrors, self._limits, watching)
        self._note_sources(run, pull, source, context)
        validation_completed(
            context.store, run, report, context.clock(), config_hash=configuration_hash(report), is_final=False
        )

    def _source(self, run: RunRow, context: Context) -> Source:
        row = context.store.repositories.get(run.repository_id)
        if row is None or not row.is_given:
            raise GithubRefused(404, "fetch the commits", f"repository {run.repository_id} was not given to the App")
        installation_id = row.installation_id or context.github.installation_of(row.full_name)
        token = context.github.token(installation_id, run.repository_id, FOR_CHECKOUT)
        address = f"{context.settings.github_url}/{row.full_name}.git"
        return Source(row.full_name, run.repository_id, address, token)

    def _note_sources(self, run: RunRow, pull: PullFacts, source: Source, context: Context) -> None:
        """What commits and instructions tell about who made it. The verdict does not wait for this to be readable."""
        try:
            with self._mirrors.checkout(
                source.full_name,
                source.repository_id,
                source.clone_url,
                source.token,
                pull.base_sha,
                pull.head_sha,
                pull.number,
            ) as checkout:
                repository = Repository(checkout.repository)
                with repository:
                    commits = repository.commits(checkout.base, checkout.head)
                    instructions = instructions_of(repository.tree(checkout.base))
        except ValidatorError as error:
            _log.warning("who made %s is not read from its commits: %s", run.id, error)
            return
        sources_seen(context.store, run.repository_id, pull, commits, instructions, context.clock())
