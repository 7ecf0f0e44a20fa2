"""Measures of a pull request, computed from the store: one row of plain values, None if unknown.

docs/learning/metrics.md has the definitions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.outcomes.metrics.measures_ci import FirstPush, first_push
from assay.github_app.outcomes.metrics.measures_findings import Addressed, addressed_at_merge
from assay.github_app.outcomes.metrics.measures_talk import (
    first_look_at,
    num_asking,
    num_comments,
    num_resolved,
    num_revision_requests,
    threads_opened,
)
from assay.github_app.outcomes.record.endings import ending
from assay.github_app.outcomes.record.review_rounds import rounds_of
from assay.github_app.provenance.declarations import submitted_at
from assay.github_app.rule_matching.languages import language_of
from assay.github_app.store import OutcomeKind, PullHistory, RuleRow, RunRow, Store, TaskStatus
from assay.validators import RiskLevel, path_matcher

MOST_PATHS = 2_000
"""Maximum changed files that are matched; a larger change counts as touching every rule."""
_TROUBLE = (OutcomeKind.reverted, OutcomeKind.followed_by_fix)


@dataclass(frozen=True, slots=True)
class PullMeasures:
    """Measures of one pull request. None means unknown; times are in seconds.

    `user` is the login of the person who asked for the change, also of an agent's. `outcome` is merged, closed or
    abandoned, and None while the pull request is open. `num_rounds` counts finished review rounds so far,
    `num_revision_requests` the reviews that request changes. `num_comments` counts the comments
    of people, `num_asking` those that ask for a change. `risk_level` and `likelihood_level` are those of the newest
    validated head, and `set_by` what set the level. `trouble_at` is when it was first reverted or followed by a fix.
    `num_repeats` counts threads that repeat feedback on earlier pull requests; `num_repeats_after_handout` counts those
    whose rule had been delivered to the agent. Of the delivered rules, `num_rules_touching` apply to changed files, and
    `num_rules_kept` of those were not repeated. `num_insights_handed` counts delivered insights of earlier tasks.
    """

    repository_id: int
    repository: str
    number: int
    author: str
    user: str | None
    agent: str | None
    model: str | None
    prompt_version: str | None
    memory_state: str | None
    task_id: str | None
    task_status: TaskStatus | None
    risk_level: str | None
    opened_at: datetime
    ended_at: datetime | None
    outcome: OutcomeKind | None
    is_reverted: bool
    num_fixes: int
    num_rounds: int
    num_revision_requests: int
    first_push: FirstPush
    num_comments: int
    num_asking: int
    num_threads: int
    num_threads_resolved: int
    num_changed_lines: int | None
    num_repeats: int
    num_repeats_after_handout: int
    num_rules_handed: int
    num_rules_touching: int | None
    num_rules_kept: int | None
    findings: Addressed
    time_to_pr_s: float | None
    time_to_first_review_s: float | None
    time_to_merge_s: float | None
    num_insights_handed: int = 0
    set_by: tuple[str, ...] = ()
    likelihood_level: str | None = None
    trouble_at: datetime | None = None

    @property
    def is_merged(self) -> bool:
        return self.outcome is OutcomeKind.merged

    @property
    def is_ended(self) -> bool:
        return self.outcome is not None

    @property
    def hydration(self) -> str | None:
        """Fit of the delivered rules: `good` if at least half of them touch a changed file.

        Insights alone apply to no file, so their fit cannot be measured.
        """
        if not self.num_rules_handed:
            return "insights" if self.num_insights_handed else "none"
        if self.num_rules_touching is None:
            return None
        return "good" if self.num_rules_touching * 2 >= self.num_rules_handed else "poor"

    @property
    def is_first_review_merge(self) -> bool:
        """Whether it was merged without a revision request, and without a push after a review with findings."""
        return self.is_merged and self.num_rounds == 0 and self.num_revision_requests == 0


def measures(
    store: Store,
    repository_ids: Collection[int] | None = None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[PullMeasures, ...]:
    """Return the measures of pull requests opened from `since` (inclusive) to `until` (exclusive), sorted.

    Assay's own proposals are left out.

    `repository_ids` defaults to all; callers acting for a user pass the ones the user may read.
    """
    found = store.histories.of(repository_ids, since=since, until=until)
    return tuple(measured(one) for one in found if not one.pull.is_own_proposal)


def incomplete(begins: datetime) -> str:
    """Return what figures of a period have to say that begins before all pull requests are stored."""
    return f"Pull requests opened up to {begins:%Y-%m-%d} are incomplete: old ones were deleted (ASSAY_HISTORY_DAYS)."


def measured(history: PullHistory) -> PullMeasures:
    """Compute the measures of one pull request."""
    pull, end = history.pull, ending(history.pull, history.outcomes)
    opened_at = pull.created_at or pull.seen_at
    # Drafts request no review, so their clock starts at "ready for review".
    offered_at = pull.ready_at if pull.opened_as_draft and pull.ready_at else opened_at
    merged_at = pull.merged_at if pull.is_merged else None
    threads = threads_opened(history)
    num_handed, num_touching, num_kept = hydrated(history)
    return PullMeasures(
        repository_id=pull.repository_id,
        repository=history.repository,
        number=pull.number,
        author=pull.author,
        user=(history.task.requested_by if history.task else None) or pull.requested_by,
        agent=None if pull.agent == "unknown" else pull.agent,
        model=pull.model or (history.task.model if history.task else None),
        prompt_version=pull.prompt_version or (history.task.prompt_version if history.task else None),
        memory_state=_memory_state(history),
        task_id=pull.task_id,
        task_status=history.task.status if history.task else None,
        risk_level=history.runs[-1].run.risk_level if history.runs else None,
        set_by=_set_by(history.runs[-1].run) if history.runs else (),
        likelihood_level=history.runs[-1].run.likelihood_level if history.runs else None,
        trouble_at=min((one.at for one in history.outcomes if one.kind in _TROUBLE), default=None),
        opened_at=opened_at,
        ended_at=end.at if end.kind else None,
        outcome=end.kind,
        is_reverted=end.reverted_at is not None,
        num_fixes=len(end.fixed_by),
        num_rounds=len(rounds_of(pull, history.heads, history.reviews, history.comments)),
        num_revision_requests=num_revision_requests(history),
        first_push=first_push(history),
        num_comments=num_comments(history),
        num_asking=num_asking(history),
        num_threads=len(threads),
        num_threads_resolved=num_resolved(history, threads),
        num_changed_lines=history.num_changed,
        num_repeats=len({match.thread for match in history.repeats}),
        num_repeats_after_handout=len({match.thread for match in history.repeats if match.is_after_handout}),
        num_rules_handed=num_handed,
        num_rules_touching=num_touching,
        num_rules_kept=num_kept,
        num_insights_handed=len(history.insights),
        findings=addressed_at_merge(history),
        time_to_pr_s=_seconds(_submitted_at(history), opened_at),
        time_to_first_review_s=_seconds(offered_at, first_look_at(history)),
        time_to_merge_s=_seconds(offered_at, merged_at),
    )


def _submitted_at(history: PullHistory) -> datetime | None:
    """Return when the task was submitted: as reported, else the time in its ULID."""
    if history.task is not None and history.task.submitted_at is not None:
        return history.task.submitted_at
    task_id, opened_at = history.pull.task_id, history.pull.created_at
    return submitted_at(task_id, opened_at) if task_id and opened_at else None


def _memory_state(history: PullHistory) -> str | None:
    """Return the declared memory state, else a hash of the rules and insights delivered for the task."""
    if history.task is not None and history.task.memory_state is not None:
        return history.task.memory_state
    handed = [*sorted({handout.rule_id for handout in history.handouts}), *sorted(history.insights)]
    return hashlib.sha256("\n".join(handed).encode()).hexdigest()[:16] if handed else None


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    """Return the seconds between two times; None if either is unknown or they are reversed."""
    if start is None or end is None or end < start:
        return None
    return (end - start).total_seconds()


def hydrated(history: PullHistory) -> tuple[int, int | None, int | None]:
    """Return the numbers of delivered rules, of those that apply to a changed file, and of those not repeated.

    The latter two are None if the changed files are unknown.
    """
    handed = {handout.rule_id for handout in history.handouts}
    if not handed or not history.paths:
        return len(handed), None, None
    paths = sorted(history.paths)[:MOST_PATHS]
    touching = {rule_id for rule_id in handed & history.rules.keys() if _holds(history.rules[rule_id], paths)}
    broken = {match.rule_id for match in history.repeats}
    return len(handed), len(touching), len(touching - broken)


def _holds(rule: RuleRow, paths: Iterable[str]) -> bool:
    inside = path_matcher(rule.scope_paths or ("**",))
    return any(inside(path) and rule.language in (None, language_of(path)) for path in paths)


def _set_by(run: RunRow) -> tuple[str, ...]:
    """Return which of likelihood and policy gave the run its level; none for low, or an older report."""
    if run.risk_level in (None, RiskLevel.low):
        return ()
    parts = (("likelihood", run.likelihood_level), ("policy", run.floor_level))
    return tuple(name for name, level in parts if level == run.risk_level)
