"""Waivers, shared by `fp` and `accept`."""

from __future__ import annotations

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.grammar import finding_id, first_word, needed_reason
from assay.github_app.commands.request.reports import must_have_seen, newest_report, open_only, refresh
from assay.github_app.store import DecidedBy, EventKind, FindingOutcome, WaiverKind
from assay.validators import Finding, ValidationReport, as_code, as_prose, shown

NOT_IN_REPORT = "is not in the newest report."


def waive(request: CommandRequest, kind: WaiverKind, usage: str) -> str:
    """Waive the finding whose id is the first word of the text; the rest is the reason."""
    open_only(request)
    word, rest = first_word(request.text)
    run, report = newest_report(request)
    must_have_seen(request, run.head_sha)
    finding = found(report, word, usage)
    reason = needed_reason(rest, usage)
    store = request.context.store
    data = {
        "finding_id": finding.id,
        "kind": kind,
        "rule": finding.rule,
        "by": request.by.login,
        "by_id": request.by.id,
        "reason": reason,
        "head_sha": run.head_sha,
        "made_by": [*request.made_by],
    }
    with store.together():
        store.waivers.put(*request.place, finding.id, kind, request.by.login, reason, run.head_sha, request.at)
        if kind is WaiverKind.fp:
            store.review_findings.decide(
                request.place,
                finding.id,
                FindingOutcome.dismissed,
                DecidedBy.command,
                request.at,
                decider=request.by.login,
            )
        store.events.append(EventKind.finding_waived, request.key, request.at, *request.place, data=data)
    refresh(request)
    what = "is waived as a false positive" if kind is WaiverKind.fp else "is accepted"
    where = f" in {as_code(shown(finding.file))}" if finding.file else ""
    return f"{as_code(finding.rule, 120)}{where} {what} and no longer blocks this pull request: {as_prose(reason)}"


def found(report: ValidationReport, word: str, usage: str) -> Finding:
    """Return the finding with this id. Raises `CommandRefused` if the report has none."""
    asked_id = finding_id(word)
    finding = next((one for one in report.findings if asked_id and one.id == asked_id), None)
    if finding is None:
        what = f"{as_code(word, 40)} {NOT_IN_REPORT}" if word else f"The id is missing: `/assay {usage}`."
        raise CommandRefused(
            f"{what} `/assay explain` lists the findings with their ids.", code="command.unknown-finding"
        )
    return finding
