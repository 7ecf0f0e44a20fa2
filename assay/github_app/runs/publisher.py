"""Publication of a run's state on GitHub; `assay.github.publish` decides the content.

A head has one Check Run: later runs of the same head update the first one's.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from assay.github.client import HeadState, Repo
from assay.github.errors import GithubRefused, ValidationFailed
from assay.github.events.model import CheckFacts, Person, PullFacts
from assay.github.external_results.github_checks import Around
from assay.github.external_results.tools_payload import PostedTools, read_posted
from assay.github.publish import (
    HoldFacts,
    Other,
    Publication,
    Published,
    PublishPolicy,
    RunFacts,
    State,
    publication_of,
    publish,
    with_others,
    without_missing,
)
from assay.github.pull_request.validate import CompletedReport, ExternalResults, complete, configuration_hash
from assay.github_app.ops.alerts import Subject, addresses_in, alert_if_critical
from assay.github_app.ops.permissions import FOR_READING, FOR_SARIF
from assay.github_app.outcomes import validation_completed
from assay.github_app.runs.fix_cycles import CycleContext, Trigger, hand_back, may_hand_back
from assay.github_app.runs.holds import hold_facts, hold_where_due
from assay.github_app.runs.required_checks import MOST_AGE, MOST_AGE_TO_WAIT, required_checks
from assay.github_app.runs.same_head import KEPT, others_that_block, refresh_others, standing_of
from assay.github_app.runtime.context import Context, publishing_job
from assay.github_app.runtime.retries import MOST_REFUSALS, after_refusal
from assay.github_app.store import EventKind, PublishedRow, RunRow, RunState, WaiverRow
from assay.validators import (
    ReportUnreadable,
    ValidationReport,
    Waiver,
    WaiverKind,
    configuration_of,
    read_report,
    report_as,
)

_log = logging.getLogger(__name__)


class RunPublisher:
    """Publisher of runs; every method is idempotent.

    `since` is when its worker started. The database may have been restored from a backup before, so what GitHub has of
    older heads is not known.
    """

    def __init__(self, since: datetime | None = None) -> None:
        self._since = since

    def begin(self, run: RunRow, pull: PullFacts, repo: Repo, context: Context) -> int | None:
        """Show that validation is in progress; return the id of the Check Run, created if there is none.

        While GitHub's hourly requests run short, it is created with the first result, unless it is to show again.
        """
        # A run that begins for the first time has none; each later attempt looks for it.
        is_first = run.started_at is None and run.turn == 1
        if is_first and repo.is_hurried:
            return None
        publication = publication_of(
            None, pull, self._policy(context, repo, pull.number), state=State.progress, run=_facts(run, context)
        )
        earlier = run.check_run_id or _earlier_check(run, context)
        known = Published(run.head_sha, earlier, no_check_run=is_first and self._is_new(run, pull))
        shown = publish(publication, repo, known)
        if shown.check_run_id is None:
            raise ValidationFailed("the Check Run has no id")
        return shown.check_run_id

    def conclude(self, run: RunRow, repo: Repo) -> None:
        """Conclude the Check Run of a run without a report: failed if it could not run, else cancelled."""
        state = State.could_not_run if run.state is RunState.failed else State.cancelled
        facts = replace(
            _facts(run),
            completed_at=run.ended_at,
            superseded_by=run.superseded_by,
            why=run.error or "",
            incident=run.incident or run.id,
        )
        publication = publication_of(None, _pull_of_run(run), PublishPolicy(is_app=True), state=state, run=facts)
        publish(publication, repo, Published(run.head_sha, run.check_run_id))

    def publish(
        self, run: RunRow, pull: PullFacts, repo: Repo, context: Context, state: HeadState | None = None
    ) -> bool:
        """Update Check Run, label, comment and review; return False while other checks of the head are pending."""
        store, at = context.store, context.clock()
        data = store.runs.report(run.id)
        if data is None:
            _log.info("%s: its report was deleted; nothing to publish", run.id)
            return True
        report = read_report(data)
        wait_until = run.wait_until or at + timedelta(seconds=context.settings.check_wait_s)
        is_over = at >= wait_until or run.state is RunState.completed
        standing = store.published.get(run.repository_id, pull.number)
        completed = self._completed(run, report, is_over, context, state, pull.base_ref)
        is_final = not completed.awaited
        # The checks that are waited for may give the results that are missing so far.
        so_far = completed if is_final else replace(completed, report=without_missing(completed.report))
        hold_where_due(store, so_far.report, run.repository_id, pull.number, at)
        facts = replace(_facts(run, context), wait_until=wait_until)
        refused = self._show(run, pull, repo, so_far, facts, context, state, standing)
        validation_completed(
            store, run, completed.report, at, config_hash=configuration_hash(completed.report), is_final=is_final
        )
        if is_final:
            refused += self._follow_up(run, pull, repo, completed.report, context)
        else:
            store.runs.advance(run.id, RunState.waiting, at, wait_until=wait_until)
        self._retry_refused(run, pull.number, refused, context)
        return is_final

    def _is_new(self, run: RunRow, pull: PullFacts) -> bool:
        """Return whether the head was pushed since the worker started, as far as its times show."""
        if self._since is None:
            return True
        newest = (run.created_at, pull.updated_at or run.created_at)
        return run.trigger != "sweep" and min(newest) >= self._since

    def _show(
        self,
        run: RunRow,
        pull: PullFacts,
        repo: Repo,
        completed: CompletedReport,
        facts: RunFacts,
        context: Context,
        state: HeadState | None,
        standing: PublishedRow,
    ) -> tuple[str, ...]:
        """Publish only if something changed: events are frequent, and GitHub limits writes. Return what was refused."""
        store, at = context.store, context.clock()
        is_final = not completed.awaited
        policy = replace(
            self._policy(context, repo, pull.number),
            comments=configuration_of(completed.report).comments,
            can_hand_back=may_hand_back(_cycle(context, repo, run.repository_id), pull, completed.report),
            can_commit=_may_commit(context, run.repository_id, pull),
        )
        hold = hold_facts(store, run.repository_id, pull.number, run.head_sha)
        publication = publication_of(
            completed.report,
            pull,
            policy,
            hold,
            State.final if is_final else State.progress,
            run=replace(facts, waiting_for=completed.awaited, completed_at=at if is_final else None),
        )
        # Taken before the verdicts of other pull requests are merged in: they read ours as we read theirs.
        ours = standing_of(run, publication.check.conclusion)
        others = others_that_block(run, context)
        publication = replace(publication, check=with_others(publication.check, others))
        mark = _mark(publication)
        so_far = None if is_final else _so_far(run, completed.report, hold, others)
        if so_far is not None and standing.extra.get("so_far") == so_far:
            waits = replace(standing, extra={**standing.extra, "awaited": list(completed.awaited)})
            store.published.put(run.repository_id, pull.number, waits, at)
            return tuple(standing.extra.get("problems", ()))
        is_same = standing.head_sha == run.head_sha and standing.extra.get("mark") == mark
        if is_same and standing.check_run_id == run.check_run_id:
            if publication.label is not None:
                repo.set_risk_label(pull.number, publication.label, pull.labels)
            return tuple(standing.extra.get("problems", ()))
        known = Published(
            run.head_sha,
            run.check_run_id,
            standing.comment_id,
            standing.review_ids,
            standing.label,
            no_check_run=state is not None and all(one.app_id != context.github.app_id for one in state.checks),
            no_comment=standing.comment_id is None
            and (standing.head_sha is not None or (state is not None and state.num_comments == 0)),
            has_labels=frozenset() if state is None else state.risk_labels,
        )
        shown = publish(replace(publication, labels=pull.labels), repo, known)
        for problem in shown.problems:
            _log.warning("%s: not published: %s", run.id, problem)
        extra: Mapping[str, Any] = {
            "mark": mark,
            "so_far": so_far,
            "problems": list(shown.problems),
            "num_refused": standing.extra.get("num_refused", 0),
            "awaited": list(completed.awaited),
            **ours,
        }
        row = PublishedRow(run.head_sha, shown.check_run_id, shown.comment_id, shown.review_ids, shown.label, extra)
        store.published.put(run.repository_id, pull.number, row, at)
        if any(standing.extra.get(name) != ours.get(name) for name in KEPT):
            refresh_others(run.repository_id, run.head_sha, pull.number, context)
        if shown.check_run_id is not None and shown.check_run_id != run.check_run_id:
            store.runs.set_check_run(run.id, shown.check_run_id, at)
        return shown.problems

    def _retry_refused(self, run: RunRow, number: int, refused: Sequence[str], context: Context) -> None:
        """Enqueue a publication of what GitHub refused; a refusal that stays ends as a logged problem."""
        store, at = context.store, context.clock()
        row = store.published.get(run.repository_id, number)
        num_refused = min(row.extra.get("num_refused", 0) + 1, MOST_REFUSALS) if refused else 0
        extra, wait = {**row.extra, "num_refused": num_refused}, after_refusal(num_refused)
        if refused and wait is not None:
            extra |= {"mark": None, "so_far": None}
            why = f"refused:{num_refused}:{int(at.timestamp())}"
            context.queues.put(publishing_job(run, why, 1, at, delay_s=wait.total_seconds()))
        if extra != row.extra:
            store.published.put(run.repository_id, number, replace(row, extra=extra), at)

    def _completed(
        self,
        run: RunRow,
        report: ValidationReport,
        is_over: bool,
        context: Context,
        state: HeadState | None,
        branch: str,
    ) -> CompletedReport:
        """Return the report with external results and waivers.

        The names that the branch requires are read only if no other check is awaited: they decide then.
        """
        waivers = _waivers(run, report, context)
        # Reading branch protection needs `contents: read`, which the token for publishing lacks.
        with context.repo(run.repository_id, FOR_READING) as reading:
            checks = reading.checks(run.head_sha) if state is None else state.checks
            base = reading.checks(report.merge_base) if _has_failed(checks) else None
            around = Around(app_id=context.github.app_id, base=base, is_over=is_over)
            external = ExternalResults(checks, around, _posted(run, context))
            completed = complete(report, external, waivers)
            if completed.awaited:
                return completed
            by_rules = None if state is None else state.by_rules
            for most_age in (MOST_AGE, MOST_AGE_TO_WAIT):
                names = required_checks(context, run.repository_id, reading, branch, by_rules, most_age)
                if not names:
                    return completed
                required = complete(report, replace(external, around=replace(around, required=names)), waivers)
                if not required.awaited:
                    break
        return required

    def _follow_up(
        self, run: RunRow, pull: PullFacts, repo: Repo, report: ValidationReport, context: Context
    ) -> tuple[str, ...]:
        """Alert on critical risk, start an automatic fix cycle, and upload SARIF. Return what was refused."""
        settings, at = context.settings, context.clock()
        addresses = addresses_in(settings.alert_urls)
        url = f"{repo.web_url}/pull/{pull.number}"
        subject = Subject(run.repository_id, repo.full_name, pull.number, pull.title, pull.author.login, url)
        alert_if_critical(context.store, report, subject, addresses, at)
        try:
            hand_back(_cycle(context, repo, run.repository_id), pull, report, Trigger.auto, by=None)
            if settings.sarif_upload and context.store.alerts.once("sarif", f"{run.id}:{report.title}", at):
                sarif = report_as(report, "sarif").encode()
                with context.repo(run.repository_id, FOR_SARIF) as uploading:
                    uploading.upload_sarif(run.head_sha, f"refs/pull/{pull.number}/head", sarif)
        except GithubRefused as refused:
            _log.warning("%s: published, but a follow-up failed: %s", run.id, refused)
            return (str(refused),)
        return ()

    def _policy(self, context: Context, repo: Repo, number: int) -> PublishPolicy:
        public = context.settings.public_url
        details = f"{public}/repos/{repo.full_name}/pulls/{number}" if public else None
        return PublishPolicy(is_app=True, web_url=repo.web_url, details_url=details)


def _may_commit(context: Context, repository_id: int, pull: PullFacts) -> bool:
    """Return whether the App may commit to the head branch, as far as the store has it: never to forks."""
    row = context.store.repositories.get(repository_id)
    is_default = row is not None and pull.head_ref == row.default_branch
    return context.settings.instruction_files and not pull.is_fork and not is_default


def _facts(run: RunRow, context: Context | None = None) -> RunFacts:
    delayed = context.store.events.get(EventKind.validation_delayed, run.id) if context is not None else None
    until = datetime.fromisoformat(str(delayed.data["until"])) if delayed is not None else None
    return RunFacts(run.external_id, started_at=run.started_at, delayed_until=until)


def _pull_of_run(run: RunRow) -> PullFacts:
    """Return the fields of the pull request that a conclusion without a report needs."""
    return PullFacts(0, run.number or 0, "", "", Person(""), run.head_sha, "", run.base_sha or "", "")


def _earlier_check(run: RunRow, context: Context) -> int | None:
    """Return the id of the Check Run that an earlier run of the same head created."""
    if run.number is None:
        return None
    found = [
        one.check_run_id
        for one in context.store.runs.of_pull(run.repository_id, run.number)
        if one.head_sha == run.head_sha and one.check_run_id is not None
    ]
    return found[-1] if found else None


def _posted(run: RunRow, context: Context) -> tuple[PostedTools, ...]:
    """Return the results that workflows uploaded for the head."""
    posted = []
    for results in context.store.checks.results_of(run.repository_id, run.head_sha):
        try:
            posted.append(read_posted(results.tools))
        except ReportUnreadable as error:
            _log.warning("%s: posted results ignored: %s", run.id, error)
    return tuple(posted)


def _waivers(run: RunRow, report: ValidationReport, context: Context) -> Mapping[str, Waiver]:
    """Return the waivers of this pull request that still apply.

    A finding keeps its id while it gets worse (a test first loses one assert, later all). A waiver applies only while
    the finding's message is the one that was waived.
    """
    if run.number is None:
        return {}
    said_now = {finding.id: finding.message for finding in report.findings}
    rows = context.store.waivers.of(run.repository_id, run.number)
    return {
        name: Waiver(name, WaiverKind(str(row.kind)), row.by, row.reason)
        for name, row in rows.items()
        if row.head_sha == run.head_sha or _said_at(row, run, context) in (None, said_now.get(name))
    }


def _said_at(waiver: WaiverRow, run: RunRow, context: Context) -> str | None:
    """Return the finding's message on the head it was waived on, or None if it was deleted since."""
    runs = context.store.runs
    then = runs.of_head(run.repository_id, run.number, waiver.head_sha)
    findings = runs.findings(then.id) if then is not None else ()
    return next((row.message for row in findings if row.finding_id == waiver.finding_id), None)


def _has_failed(checks: tuple[CheckFacts, ...]) -> bool:
    return any(check.conclusion in ("failure", "timed_out") for check in checks)


def _mark(publication: Publication) -> str:
    """Return a digest of the publication without its time of completion."""
    timeless = replace(publication, check=replace(publication.check, completed_at=None))
    return hashlib.sha256(repr(timeless).encode("utf-8", "surrogatepass")).hexdigest()


def _so_far(run: RunRow, report: ValidationReport, hold: HoldFacts | None, others: Sequence[Other]) -> str:
    """Return a digest of what makes the Check Run of a waiting run worth another write; checks that passed do not."""
    level = report.risk.level if report.risk is not None else None
    shown = (run.id, report.conclusion, report.blocking, report.waivers, hold, level, others)
    return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()


def _cycle(context: Context, repo: Repo, repository_id: int) -> CycleContext:
    return CycleContext(context.store, repo, repository_id, context.clock(), frozenset(context.settings.trusted_agents))
