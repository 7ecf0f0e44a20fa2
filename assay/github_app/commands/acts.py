"""Commands that change a pull request: run it again, waive a finding, hold and release it, pause and resume."""

from __future__ import annotations

from assay.github.authority import Act, who
from assay.github.errors import CommandRefused
from assay.github.publish import held_for
from assay.github_app.commands.command import (
    CommandRequest,
    may,
    must_have_seen,
    newest_report,
    open_only,
    refresh,
    report_of_head,
)
from assay.github_app.commands.grammar import finding_id, first_word, needed_reason, reason_in
from assay.github_app.runs.holds import Release, hold_by_hand
from assay.github_app.runs.holds import release as release_hold
from assay.github_app.store import DecidedBy, EventKind, FindingOutcome, WaiverKind
from assay.validators import Finding, ValidationReport, as_code, as_prose, shown

VALIDATED_AGAIN = "is validated again."
BEING_VALIDATED = "is already being validated."
HELD = "is held until a user who did not make it comments `/assay release reason`."
PAUSED = "New pushes are not validated until `/assay resume`."
ALREADY_PAUSED = "Assay is already paused here."
NOT_IN_REPORT = "is not in the newest report."


def rerun(request: CommandRequest) -> str:
    """Validate the current head again; a running validation continues."""
    open_only(request)
    row = request.context.store.pulls.get(*request.place)
    if row is not None and row.is_paused:
        by = "`/assay resume`" if may(Act.resume, request) else f"`/assay resume` by {who(Act.resume)}"
        raise CommandRefused(f"Assay is paused here; {by} ends the pause.")
    key, head = f"{request.key}:rerun", request.pull.head_sha
    run = request.context.ask_validation(*request.place, head, "command", request_key=key, is_again=True)
    return f"{as_code(head[:12])} {VALIDATED_AGAIN if run.request_key == key else BEING_VALIDATED}"


def fp(request: CommandRequest) -> str:
    """Waive a finding as a false positive, for this pull request."""
    return _waive(request, WaiverKind.fp, "is waived as a false positive")


def accept(request: CommandRequest) -> str:
    """Waive a finding as accepted, for this pull request."""
    return _waive(request, WaiverKind.accept, "is accepted")


def hold(request: CommandRequest) -> str:
    """Hold the current head and later ones until a user releases them."""
    open_only(request)
    reason, head = reason_in(request.text), request.pull.head_sha
    place = (*request.place, head)
    hold_by_hand(request.context.store, report_of_head(request), place, request.by.login, reason, request.at)
    refresh(request)
    return f"{as_code(head[:12])} {HELD}"


def release(request: CommandRequest) -> str:
    """Release the hold of the head that the user has seen."""
    open_only(request)
    reason = reason_in(request.text)
    _check_seen(request)
    released = Release(
        by=request.by,
        reason=reason,
        pull=request.pull,
        made_by=request.made_by,
        report=report_of_head(request),
        repository_id=request.repository_id,
        key=request.key,
    )
    done = release_hold(request.context.store, released, request.at)
    refresh(request)
    head, by = as_code(done.head_sha[:12]), as_code(request.by.login)
    what = held_for(done.level, done.reasons)
    return f"The hold of {head} ({what}) is released by {by}{f': {as_prose(reason)}' if reason else '.'}"


def pause(request: CommandRequest) -> str:
    """Stop validating further pushes, which get no Check Run, until `/assay resume`."""
    open_only(request)
    store = request.context.store
    with store.together():
        is_new = store.pulls.pause(*request.place, request.by.login, request.at)
        if is_new:
            _note(request, EventKind.pull_paused)
    return PAUSED if is_new else ALREADY_PAUSED


def resume(request: CommandRequest) -> str:
    """End a pause, and validate the current head."""
    open_only(request)
    store, head = request.context.store, request.pull.head_sha
    with store.together():
        was_paused = store.pulls.resume(*request.place)
        if was_paused:
            _note(request, EventKind.pull_resumed)
    request.context.ask_validation(*request.place, head, "command", request_key=f"{request.key}:resume")
    if not was_paused:
        return "Assay is not paused here."
    return f"Assay validates this pull request again, beginning with {as_code(head[:12])}."


def finding_named(report: ValidationReport, word: str, usage: str) -> Finding:
    """Return the finding with this id. Raises `CommandRefused` if the report has none."""
    asked_id = finding_id(word)
    finding = next((one for one in report.findings if asked_id and one.id == asked_id), None)
    if finding is None:
        what = f"{as_code(word, 40)} {NOT_IN_REPORT}" if word else f"The id is missing: `/assay {usage}`."
        raise CommandRefused(
            f"{what} `/assay explain` lists the findings with their ids.", code="command.unknown-finding"
        )
    return finding


def _waive(request: CommandRequest, kind: WaiverKind, what: str) -> str:
    """Waive the finding whose id is the first word of the text; the rest is the reason."""
    open_only(request)
    usage = f"{kind} ID reason"
    word, rest = first_word(request.text)
    run, report = newest_report(request)
    must_have_seen(request, run.head_sha)
    finding = finding_named(report, word, usage)
    reason = needed_reason(rest, usage)
    store, by = request.context.store, request.by.login
    data = {
        "finding_id": finding.id,
        "kind": kind,
        "rule": finding.rule,
        "by": by,
        "by_id": request.by.id,
        "reason": reason,
        "head_sha": run.head_sha,
        "made_by": [*request.made_by],
    }
    with store.together():
        store.waivers.put(*request.place, finding.id, kind, by, reason, run.head_sha, request.at)
        if kind is WaiverKind.fp:
            dismissed = (finding.id, FindingOutcome.dismissed, DecidedBy.command, request.at)
            store.review_findings.decide(request.place, *dismissed, decider=by)
        store.events.append(EventKind.finding_waived, request.key, request.at, *request.place, data=data)
    refresh(request)
    where = f" in {as_code(shown(finding.file))}" if finding.file else ""
    return f"{as_code(finding.rule, 120)}{where} {what} and no longer blocks this pull request: {as_prose(reason)}"


def _check_seen(request: CommandRequest) -> None:
    """Raise `CommandRefused` for a head that was pushed or held after the comment, or has no verdict yet."""
    head = request.pull.head_sha
    run = request.context.store.runs.of_head(*request.place, head)
    if run is not None and run.reported_at is None and not run.state.is_ended:
        raise CommandRefused(
            f"{as_code(head[:12])} is being validated; wait for the verdict, then repeat the command.",
            code="command.being-validated",
        )
    if request.seen_head is not None and request.seen_head != head:
        raise CommandRefused(f"That check belongs to an older commit; the last one is {as_code(head[:12])}.")
    held = request.context.store.holds.current(*request.place, head)
    must_have_seen(request, head, *([held.placed_at] if held else []))


def _note(request: CommandRequest, kind: EventKind) -> None:
    data = {"by": request.by.login}
    request.context.store.events.append(kind, request.key, request.at, *request.place, data=data)
