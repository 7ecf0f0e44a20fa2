"""Daily review of task outcomes: merges that were reverted since, and failed tasks the rules find no category for.

The evaluation model is called only here, if the operator configured one, and within its budget.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from assay.embedding.embedder import EmbeddingUnavailable
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.outcomes import embed_insights, evaluate_pull, evaluate_task
from assay.github_app.outcomes.tasks.evaluating import RULES
from assay.github_app.outcomes.tasks.failure import Category
from assay.github_app.runtime.context import Context
from assay.github_app.store import EvaluationRow, EventKind, Store
from assay.llm import AnthropicModel, Budget, ModelUnavailable

if TYPE_CHECKING:
    from assay.llm import LanguageModel

BACK = timedelta(days=2)
"""Period of a review: a day, and one more in case the last review did not run."""
MOST_ASKED = 50
"""Maximum calls of the model per day."""
_log = logging.getLogger(__name__)
NO_MODEL = "evaluation model unavailable"


def look_back(context: Context) -> str:
    """Evaluate changed outcomes and embed new insights; return a summary."""
    store, at = context.store, context.clock()
    num_evaluated = evaluate_changed(store, at)
    num_asked = _ask(context, at)
    num_embedded = 0
    try:
        num_embedded = embed_insights(store, embedder_of(context.settings))
    except EmbeddingUnavailable as error:
        _log.warning("insights not embedded, search uses words only: %s", error)
    return f"{num_evaluated} tasks evaluated, {num_asked} by a model, {num_embedded} insights embedded"


def evaluate_changed(store: Store, at: datetime) -> int:
    """Evaluate the tasks of every pull request with a recent outcome; return their number."""
    events = store.events.of_kind(EventKind.pr_outcome_recorded, at - BACK, at + BACK)
    places = {(one.repository_id, one.number) for one in events if one.repository_id and one.number}
    return sum(len(evaluate_pull(store, *place, at)) for place in sorted(places))


def _ask(context: Context, at: datetime) -> int:
    name = context.settings.evaluation_model
    if name is None:
        return 0
    try:
        model = AnthropicModel(
            name, budget=Budget(max_usd=context.settings.evaluation_budget_usd, max_calls=MOST_ASKED)
        )
    except ModelUnavailable as error:
        _log.warning("%s: %s", NO_MODEL, error)
        return 0
    return ask_about_unknown(context.store, model, at)


def ask_about_unknown(store: Store, model: LanguageModel, at: datetime) -> int:
    """Have a model classify recent tasks of unknown category; return how many it classified."""
    num_classified = 0
    for repository in store.repositories.active():
        rows = [row for row in store.evaluations.of(repository.id, since=at - BACK) if _is_unknown(row)]
        for row in rows[:MOST_ASKED]:
            result = evaluate_task(store, row.repository_id, row.task_id, at, model=model)
            num_classified += result is not None and result.judged_by != RULES
    return num_classified


def _is_unknown(row: EvaluationRow) -> bool:
    return row.judged_by == RULES and row.category == Category.unknown
