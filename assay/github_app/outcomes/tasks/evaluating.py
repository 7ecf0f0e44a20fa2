"""Evaluation of a task: success, causes of failure, evidence and suggestion. Rules first, then a model.

Recomputed after every change of a task's facts. Deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from assay.github_app.outcomes.record.feedback import UNCONFIRMED
from assay.github_app.outcomes.tasks.case import Case, case_of
from assay.github_app.outcomes.tasks.failure import Category, Evidence, Failure
from assay.github_app.outcomes.tasks.failures import failures_of
from assay.github_app.outcomes.tasks.failures_by_model import failure_by
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import (
    FAILED_STATUSES,
    BranchState,
    EvaluationRow,
    EventKind,
    InsightType,
    Store,
)

if TYPE_CHECKING:
    from assay.llm import LanguageModel

RULES = "rules"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluation of a case. `failures` are in the order of `Category`; `category` is the first."""

    is_success: bool | None
    failures: tuple[Failure, ...] = ()
    judged_by: str = RULES

    @property
    def category(self) -> Category | None:
        return self.failures[0].category if self.failures else None

    @property
    def is_against_agent(self) -> bool:
        """Whether the failure reflects on the agent; false if its environment failed."""
        return self.category is not None and self.category.is_against_agent


def evaluate(case: Case, model: LanguageModel | None = None) -> Evaluation:
    """Evaluate a case. The model, if given, is asked where the rules find no category."""
    if not case.is_troubled:
        return Evaluation(case.is_success)
    found = failures_of(case)
    known = tuple(one for one in found if one.category is not Category.unknown)
    best = failure_by(model, case) if model is not None and not known else None
    if model is not None and best is not None:
        return Evaluation(case.is_success, _with_partial_work(case, (best,)), model.name)
    return Evaluation(case.is_success, _with_partial_work(case, known or found))


def _with_partial_work(case: Case, failures: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """Add the state of a failed task's branch to the evidence of its first failure."""
    state = case.task.branch_state
    if not failures or state is None or case.task.status not in FAILED_STATUSES:
        return failures
    text = partial_work(state)
    if text is None:
        return failures
    evidence = Evidence("branch", state["name"], text)
    return (replace(failures[0], evidence=(*failures[0].evidence, evidence)), *failures[1:])


def partial_work(state: BranchState) -> str | None:
    """Return what a task left on its branch, in words; None if that is unknown."""
    name, num_ahead, base = state["name"], state["num_ahead"], state["base"]
    if state["exists"] is False:
        return f"branch {name} does not exist: no partial work is on GitHub"
    if num_ahead is None:
        return None
    if num_ahead == 0:
        return f"branch {name} has no commits that {base} lacks"
    return f"partial work is on branch {name}: {num_ahead} {'commit' if num_ahead == 1 else 'commits'} ahead of {base}"


def evaluate_task(
    store: Store, repository_id: int, task_id: str, at: datetime, *, model: LanguageModel | None = None
) -> EvaluationRow | None:
    """Compute and store the evaluation of a task; None if it is unknown. Failures are stored as insights."""
    case = case_of(store, repository_id, task_id)
    if case is None:
        return None
    result = evaluate(case, model)
    row = EvaluationRow(
        repository_id=repository_id,
        task_id=task_id,
        number=case.task.number,
        is_success=result.is_success,
        category=str(result.category) if result.category else None,
        is_against_agent=result.is_against_agent,
        failures=tuple(one.as_data() for one in result.failures),
        judged_by=result.judged_by,
        at=at,
    )
    known = store.evaluations.get(repository_id, task_id)
    if known is not None and model is None and known.judged_by != RULES and known.is_success == row.is_success:
        return known  # keep the earlier result of a model that is not called now
    if known is None and row.is_success is None and not row.failures:
        return row  # open, and nothing to evaluate
    with store.together():
        if store.evaluations.put(row):
            _tell(store, case, row, result, at)
    return row


def evaluate_pull(store: Store, repository_id: int, number: int, at: datetime) -> tuple[EvaluationRow, ...]:
    """Evaluate all tasks of a pull request; without a declared task, `pull:NUMBER`."""
    tasks = store.tasks.of_pull(repository_id, number)
    rows = (evaluate_task(store, repository_id, task.id, at) for task in tasks)
    return tuple(row for row in rows if row is not None)


def _tell(store: Store, case: Case, row: EvaluationRow, result: Evaluation, at: datetime) -> None:
    key = f"{row.repository_id}:{row.task_id}:{at.isoformat()}"
    data = {"is_success": row.is_success, "category": row.category, "judged_by": row.judged_by}
    store.events.append(EventKind.task_evaluated, key, at, row.repository_id, row.number, row.task_id, data)
    if not result.failures or result.category is Category.unknown:
        return
    worst = result.failures[0]
    text = f"{worst.category.replace('_', ' ')}: {worst.suggestion.text}"
    store.insights.put(
        row.repository_id,
        InsightType.failure_summary,
        text,
        at,
        source="evaluation",
        seen_at=at,
        task_id=row.task_id,
        number=row.number,
        told_by=row.judged_by,
        agent=case.task.agent,
        why_not=unfit(text) or UNCONFIRMED,
    )
