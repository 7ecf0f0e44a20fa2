"""`/assay explain ID`: details of a finding or a risk signal."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.github.authority import OTHERS, Act
from assay.github_app.commands.acts import finding_named
from assay.github_app.commands.command import CommandRequest, may, newest_report
from assay.github_app.commands.grammar import first_word, plain_name
from assay.github_app.store import WaiverRow
from assay.validators import STATEMENT_KINDS, Finding, ValidationReport, as_code, as_prose, shown

MOST_LISTED = 40
MOST_EVIDENCE = 10
FINDINGS = "The findings of the newest report:"


def explain(request: CommandRequest) -> str:
    """Show one finding or risk signal; without either, list them."""
    run, report = newest_report(request)
    word, _ = first_word(request.text)
    waivers = request.context.store.waivers.of(*request.place)
    if not word:
        lines = _list(report, waivers.keys())
    elif _has_signal(report, word):
        lines = _signal(report, plain_name(word) or "")
    else:
        finding = finding_named(report, word, "explain [ID]")
        lines = _finding(report, finding, waivers.get(finding.id), may_waive=may(Act.fp, request))
    is_current = run.head_sha == request.pull.head_sha
    note = "" if is_current else f"\n\n(From the report on {as_code(run.head_sha[:12])}.)"
    return "\n".join(lines) + note


def _list(report: ValidationReport, waived: Collection[str]) -> Iterator[str]:
    findings = sorted(report.findings, key=lambda one: one.id not in report.blocking)
    yield f"{FINDINGS}\n" if findings else "The newest report has no findings."
    for one in findings[:MOST_LISTED]:
        state = "waived" if one.id in waived else "blocks" if one.id in report.blocking else str(one.severity)
        yield f"- `{one.id}` {state}: {as_code(one.rule, 120)} {_place(one)}{as_prose(one.message, 160)}"
    if len(findings) > MOST_LISTED:
        yield f"- and {len(findings) - MOST_LISTED} more"
    if report.reasons:
        yield "\nReasons of the verdict: " + "; ".join(as_prose(one) for one in report.reasons)
    if report.risk and report.risk.statements:
        gravities: dict[str, str] = {}
        for said in report.risk.statements:
            gravities.setdefault(said.signal, said.gravity)
        yield "\nRisk signals: " + ", ".join(f"{as_code(name, 80)} ({one})" for name, one in gravities.items())


def _finding(report: ValidationReport, finding: Finding, waiver: WaiverRow | None, *, may_waive: bool) -> Iterator[str]:
    yield f"**{as_code(finding.rule, 120)}** ({finding.severity}) {_place(finding)}".rstrip()
    yield ""
    yield as_prose(finding.message, 2000)
    if finding.suggestion:
        yield f"\nWhat to do: {as_prose(finding.suggestion, 2000)}"
    if waiver is not None:
        yield f"\nWaived ({waiver.kind}) by {as_code(waiver.by)}: {as_prose(waiver.reason)}"
    elif finding.id in report.blocking:
        by = "comment" if may_waive else f"ask {OTHERS} to comment"
        yield (
            f"\nIt blocks. Fix it, or {by} `/assay fp {finding.id} reason` if it is wrong, "
            f"`/assay accept {finding.id} reason` if it may stay."
        )
    else:
        yield "\nIt is advisory: it does not block."
    if finding.tool:
        yield f"\nFound by {as_code(finding.tool, 80)}."


def _has_signal(report: ValidationReport, word: str) -> bool:
    name = plain_name(word)
    return name is not None and report.risk is not None and any(one.signal == name for one in report.risk.statements)


def _signal(report: ValidationReport, name: str) -> Iterator[str]:
    for said in report.risk.statements if report.risk else ():
        if said.signal != name:
            continue
        label = STATEMENT_KINDS[said.kind].label
        at = f" in {as_code(_at(said.file, said.line))}" if said.file else ""
        yield f"**{label}** ({said.gravity}){at}: {as_prose(said.text, 1000)}"
        for one in said.evidence[:MOST_EVIDENCE]:
            where = f"{as_code(_at(one.file, one.line))} " if one.file else ""
            yield f"- {where}{as_prose(one.text, 300)}"
        if len(said.evidence) > MOST_EVIDENCE:
            yield f"- and {len(said.evidence) - MOST_EVIDENCE} more"
        if said.advice:
            yield f"\nWhat to do: {as_prose(said.advice, 1000)}\n"


def _place(finding: Finding) -> str:
    return f"{as_code(_at(finding.file, finding.line))}: " if finding.file else ""


def _at(file: str, line: int | None) -> str:
    return shown(file) if line is None else f"{shown(file)}:{line}"
