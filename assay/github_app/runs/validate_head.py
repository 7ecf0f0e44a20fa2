"""Validation of a head in the App: fetch with a read-only token, validate, store the report."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from assay.github.events.model import PullFacts
from assay.github.pull_request.validate import (
    RemoteRepository,
    ValidationProcess,
    configuration_hash,
    validate_pull_request,
)
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.ops.settings import LocalRuns, Settings
from assay.github_app.outcomes import sources_seen, validation_completed
from assay.github_app.provenance.instructions import instructions_of
from assay.github_app.runs.finding_outcomes import read_reactions
from assay.github_app.runs.review_history import with_review_history
from assay.github_app.runs.sources import remote_of
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.organization import inheriting
from assay.github_app.store import RunRow
from assay.llm import AnthropicModel, Budget, ConversingModel, ModelUnavailable
from assay.validators import Commands, Repository, ValidationOptions, ValidatorError

_log = logging.getLogger(__name__)
MOST_CALLS = 5_000
"""Maximum requests per worker and day."""
NO_REVIEW_MODEL = "review model unavailable"


class HeadValidator:
    """Validator of heads; each validation is a separate process on a cached clone."""

    def __init__(self, settings: Settings) -> None:
        self._commands = Commands.sandboxed if settings.local_runs is LocalRuns.sandboxed else Commands.none
        self._process = ValidationProcess(memory_bytes=settings.validation_memory_bytes)
        self._reader = ReviewModel(settings)

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        """Fetch, validate and store the report; publication adds external results.

        Raises:
            CheckoutFailed, ValidationFailed, GithubRefused, GithubUnavailable, StoreUnavailable
        """
        remote = remote_of(run.repository_id, context)
        rules = learned_rules(context.store, run.repository_id)
        with context.repo(run.repository_id, FOR_READING) as reading:
            # GitHub's `base.sha` is the branch at the last push to the pull request, not its current tip.
            tip = pull.base_tip or reading.tip_of(pull.base_ref)
            row = context.store.pulls.get(run.repository_id, pull.number)
            if row is not None:
                read_reactions(context, reading, row)
        model = self._reader.of(context.clock().date())
        past = context.store.recorded_pulls.before(run.repository_id, run.number, context.clock())
        options = ValidationOptions(commands=self._commands, settings=tip, learned_rules=rules, past_pulls=past)
        if model is not None:
            options = with_review_history(options, context.store, run, context.clock())
        inherit = inheriting(context, run.repository_id)
        process = replace(self._process, model=model, inherit=inherit, on_started=on_started, stop=stop)
        report = validate_pull_request(pull, remote, options, process)
        self._note_sources(run, pull, remote, context)
        validation_completed(
            context.store, run, report, context.clock(), config_hash=configuration_hash(report), is_final=False
        )

    def _note_sources(self, run: RunRow, pull: PullFacts, remote: RemoteRepository, context: Context) -> None:
        """Store who made the change, by its commits and instruction files; failing to read them is only logged."""
        try:
            with remote.checkout(pull) as checkout:
                repository = Repository(checkout.repository)
                with repository:
                    commits = repository.commits(checkout.base, checkout.head)
                    instructions = instructions_of(repository.tree(checkout.base))
        except ValidatorError as error:
            _log.warning("%s: cannot read its commits and instruction files: %s", run.id, error)
            return
        sources_seen(context.store, run.repository_id, pull, commits, instructions, context.clock())


class ReviewModel:
    """Factory of the model that reviews changes: a new one each day, so that its budget counts per day. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._made: tuple[date, AnthropicModel | None] | None = None

    def of(self, day: date) -> ConversingModel | None:
        """Return the model for this day, or None if none is configured or it is unavailable (logged)."""
        with self._lock:
            if self._made is None or self._made[0] != day:
                self._made = (day, self._make())
            return self._made[1]

    def _make(self) -> AnthropicModel | None:
        name = self._settings.review_model
        if name is None:
            return None
        try:
            return AnthropicModel(name, budget=Budget(max_usd=self._settings.review_budget_usd, max_calls=MOST_CALLS))
        except ModelUnavailable as error:
            _log.warning("%s: %s", NO_REVIEW_MODEL, error)
            return None
