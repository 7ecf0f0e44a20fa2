"""Content to publish about one head, computed without requests and shared by App and Action."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.github.client import Annotation, Button, CheckConclusion, CheckOutput, CheckStatus
from assay.github.events.model import PullFacts
from assay.github.publish import check_texts
from assay.github.publish.buttons import RERUN, buttons_for
from assay.github.publish.comment import comment_of, earns_a_comment, resolved_comment
from assay.github.publish.hold import HoldFacts, with_hold
from assay.github.publish.lines import annotations_of, notes_of
from assay.github.publish.review import ReviewDraft
from assay.github.publish.sarif_file import sarif_within_limits
from assay.github.publish.verdict import could_not_run, ending_of
from assay.validators import Comments, Conclusion, ValidationReport, as_visible


class State(StrEnum):
    """State of a run: in progress (with or without a report so far), final, cancelled, or could not run."""

    progress = "progress"
    final = "final"
    cancelled = "cancelled"
    could_not_run = "could_not_run"


@dataclass(frozen=True, slots=True)
class PublishPolicy:
    """Options of a publication.

    `comments` is the repository's setting; `is_app` adds buttons, holds and commands; `web_url` is the repository's
    page, for the link to the checks; `details_url` is Assay's page about the run. Without `can_hold` a hold does not
    block, as it could not be released. `can_hand_back` allows a fix cycle, `can_commit` a commit to the head branch.
    """

    comments: Comments = Comments.blocking
    is_app: bool = False
    web_url: str | None = None
    details_url: str | None = None
    with_sarif: bool = False
    can_hold: bool = True
    can_hand_back: bool = True
    can_commit: bool = False


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about a run besides its report.

    `external_id` identifies the Check Run; `delayed_until` is when it could begin, where GitHub's limit of requests was
    used up; `waiting_for` are checks Tier 1 waits for, at most until `wait_until`;
    `superseded_by` is the newer head; `incident` and `why` are the number and cause of a failure; `repeats` are
    repeated review feedback, a line each.
    """

    external_id: str
    started_at: datetime | None = None
    delayed_until: datetime | None = None
    completed_at: datetime | None = None
    waiting_for: tuple[str, ...] = ()
    wait_until: datetime | None = None
    superseded_by: str | None = None
    incident: str | None = None
    why: str = ""
    repeats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Publication:
    """Content to publish about a head.

    `check` is not created for a head that was superseded before its run began (`creates_check`). `label` None keeps the
    labels; `labels` are those of the pull request where they were read just now. `comment` is created or edited;
    `comment_if_there` only edited. `present` are the ids of all findings of a final verdict; notes about others are
    marked as resolved. `sarif_ref` is the ref of the SARIF file, None for the pull request's.
    """

    number: int
    head_sha: str
    external_id: str
    check: CheckOutput
    creates_check: bool = True
    label: str | None = None
    labels: tuple[str, ...] | None = None
    comment: str | None = None
    comment_if_there: str | None = None
    review: ReviewDraft | None = None
    sarif: bytes | None = None
    present: frozenset[str] | None = None
    sarif_ref: str | None = None


def publication_of(
    report: ValidationReport | None,
    pull: PullFacts,
    policy: PublishPolicy,
    hold: HoldFacts | None = None,
    state: State = State.final,
    *,
    run: RunFacts,
) -> Publication:
    """Return the content to publish about a pull request's head; the state `final` needs a report.

    `report` is the one so far, with waivers and Tier 1 results, and `hold` the head's active or released hold.
    """
    if state is State.cancelled:
        return _bare(pull, run, _cancelled(pull.head_sha, run, policy), creates_check=False)
    if state is State.could_not_run:
        return _bare(pull, run, _lost(run, policy))
    if report is None:
        if state is State.final:
            raise ValueError("a final publication needs a report")
        title, text = f"Validating {pull.head_sha[:7]}", check_texts.begun_text(pull.head_sha)
        return _bare(pull, run, _output(run, policy, title, text))
    held = with_hold(report, hold)
    if state is State.progress:
        return _bare(pull, run, _so_far(held, hold, policy, run), label=_level(held))
    return _final(held, hold, pull, policy, run)


def _final(
    report: ValidationReport, hold: HoldFacts | None, pull: PullFacts, policy: PublishPolicy, run: RunFacts
) -> Publication:
    ending = ending_of(report, run.incident, can_hold=policy.can_hold)
    annotations, num_without_note = annotations_of(report)
    buttons = buttons_for(report, hold, can_hand_back=policy.can_hand_back, can_commit=policy.can_commit)
    check = _output(
        run,
        policy,
        ending.title,
        check_texts.summary_of(report, hold, is_app=policy.is_app, num_without_note=num_without_note),
        conclusion=ending.conclusion,
        text=check_texts.text_of(report),
        annotations=annotations,
        buttons=buttons if policy.is_app else (),
    )
    checks_url = f"{policy.web_url}/pull/{pull.number}/checks" if policy.web_url else None
    earned = earns_a_comment(report, run.repeats)
    is_resolved = not earned and report.conclusion is Conclusion.success
    comment = (
        resolved_comment(report, ending.title, checks_url=checks_url)
        if is_resolved
        else comment_of(report, ending.title, hold, checks_url=checks_url, is_app=policy.is_app, repeats=run.repeats)
    )
    notes, num_wanted = notes_of(report, policy.comments, is_app=policy.is_app)
    return Publication(
        number=pull.number,
        head_sha=pull.head_sha,
        external_id=run.external_id,
        check=check,
        label=_level(report),
        comment=comment if earned else None,
        comment_if_there=None if earned else comment,
        review=ReviewDraft(pull.head_sha, notes, num_wanted) if notes else None,
        sarif=sarif_within_limits(report) if policy.with_sarif else None,
        present=frozenset(finding.id for finding in report.findings),
    )


def _so_far(report: ValidationReport, hold: HoldFacts | None, policy: PublishPolicy, run: RunFacts) -> CheckOutput:
    waiting = check_texts.waiting_text(run.waiting_for, run.wait_until) if run.waiting_for else ""
    progress = "waiting for other checks" if run.waiting_for else "still validating"
    return _output(
        run,
        policy,
        as_visible(f"{report.risk.level.capitalize()} risk so far · {progress}" if report.risk else progress),
        waiting,
        check_texts.summary_of(report, hold, is_app=policy.is_app),
        text=check_texts.text_of(report),
        annotations=annotations_of(report)[0],
    )


def _cancelled(head_sha: str, run: RunFacts, policy: PublishPolicy) -> CheckOutput:
    """Return the Check Run of a run stopped by a newer head (`superseded_by`) or for another reason (`why`)."""
    reason = f": {as_visible(run.why, 150)}" if run.why else ""
    title = f"Superseded by {as_visible(run.superseded_by[:12])}" if run.superseded_by else f"Cancelled{reason}"
    text = check_texts.stopped_text(head_sha, run.superseded_by, run.why)
    return _output(run, policy, title, text, conclusion=CheckConclusion.cancelled)


def _lost(run: RunFacts, policy: PublishPolicy) -> CheckOutput:
    """Return the Check Run of a run that could not validate: a failure, never success or neutral."""
    text = check_texts.lost_text(run.incident, run.why, is_app=policy.is_app)
    buttons = (RERUN,) if policy.is_app else ()
    return _output(run, policy, could_not_run(run.incident), text, conclusion=CheckConclusion.failure, buttons=buttons)


def _output(
    run: RunFacts,
    policy: PublishPolicy,
    title: str,
    *paragraphs: str,
    conclusion: CheckConclusion | None = None,
    text: str = "",
    annotations: tuple[Annotation, ...] = (),
    buttons: tuple[Button, ...] = (),
) -> CheckOutput:
    """Return a Check Run's content, completed if it has a conclusion."""
    return CheckOutput(
        CheckStatus.in_progress if conclusion is None else CheckStatus.completed,
        title,
        check_texts.joined([*paragraphs, check_texts.delayed_text(run.delayed_until)]),
        text,
        conclusion,
        annotations,
        buttons,
        policy.details_url,
        run.started_at,
        None if conclusion is None else run.completed_at,
    )


def _bare(
    pull: PullFacts, run: RunFacts, check: CheckOutput, *, creates_check: bool = True, label: str | None = None
) -> Publication:
    return Publication(pull.number, pull.head_sha, run.external_id, check, creates_check, label)


def _level(report: ValidationReport) -> str | None:
    return str(report.risk.level) if report.risk is not None else None
