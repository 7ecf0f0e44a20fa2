"""One ranked list of what to say of a change, from all three tiers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from assay.validators.report.gravity import KINDS, RANKS, Gravity
from assay.validators.report.model import (
    FAILED_TESTS,
    Evidence,
    Finding,
    Outcome,
    QualityResult,
    RiskAssessment,
    Severity,
    Statement,
    ToolKind,
    ToolRun,
    ToolsResult,
)
from assay.validators.wording import one_line

SECRET, CALLER_BROKEN = "secret", "caller_broken"
FOUND = "found"
"""Signal of statements that repeat findings of the other tiers, for the level."""
MOST_EVIDENCE = 20
"""Maximum further places of a statement; the others are counted."""
_REST = re.compile(r"and (\d{1,9}) more")
_OF_RULES = {
    "contracts": CALLER_BROKEN,
    "test_integrity.expectation": "expectation_flipped",
    "test_integrity.untested": "untested",
}
"""Kind of the findings of a rule, by its name or the part before the dot."""


def kind_of(finding: Finding) -> str:
    """Return the kind of the statement that a finding makes."""
    if finding.is_secret:
        return SECRET
    if finding.rule in FAILED_TESTS:
        return "test_fails"
    return _OF_RULES.get(finding.rule) or _OF_RULES.get(finding.rule.partition(".")[0], "finding")


def statements_of(
    tools: ToolsResult | None,
    quality: QualityResult | None,
    risk: RiskAssessment | None,
    blocking: Collection[str] = (),
    waived: Collection[str] = (),
) -> tuple[Statement, ...]:
    """Return everything that the tiers say of the change, the gravest first; waived findings are left out.

    `blocking` holds the names of blocking commands and the ids of blocking findings.
    """
    found = [*_of_runs(tools, blocking), *_of_findings(tools, quality, blocking, waived)]
    found += [one for one in (risk.statements if risk is not None else ()) if one.signal != FOUND]
    return tuple(gravest_first(found))


def gravest_first(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements in reading order: failing tests, critical ones, what blocks, and the others by gravity."""
    return sorted(statements, key=_rank)


def _rank(one: Statement) -> tuple[float, int]:
    if one.is_blocking and one.kind == "test_fails":
        return -10.0, 0
    return -(max(one.gravity.rank, 3.5) if one.is_blocking else one.gravity.rank), RANKS[one.kind]


def _of_runs(tools: ToolsResult | None, blocking: Collection[str]) -> Iterator[Statement]:
    """Yield the blocking commands; of a scanner its findings say more."""
    for run in tools.runs if tools is not None else ():
        if run.name in blocking and run.gating and run.outcome is not Outcome.passed and not _errors_of(tools, run):
            kind = "test_fails" if run.kind is ToolKind.test else "command_fails"
            yield Statement(kind, _failure(run), signal=run.name, gravity=Gravity.notice, is_blocking=True)


def _errors_of(tools: ToolsResult | None, run: ToolRun) -> list[Finding]:
    """Return the errors of a scanner."""
    found = tools.findings if tools is not None and run.kind is ToolKind.sast else ()
    return [one for one in found if one.tool == run.name and one.severity is Severity.error]


def _failure(run: ToolRun) -> str:
    how = "ran out of time" if run.outcome is Outcome.timed_out else "fails"
    before = ", and passed on the base" if run.base_outcome is Outcome.passed else ""
    return f"{run.name} {how}{f': {one_line(run.reason)}' if run.reason else ''}{before}"


def _of_findings(
    tools: ToolsResult | None, quality: QualityResult | None, blocking: Collection[str], waived: Collection[str]
) -> Iterator[Statement]:
    scanners = [run for run in (tools.runs if tools is not None else ()) if run.kind is ToolKind.sast]
    scanned = [one for run in scanners for one in (tools.findings if tools else ()) if one.tool == run.name]
    errors = {one.id for run in scanners if run.gating and run.name in blocking for one in _errors_of(tools, run)}
    for one in (*scanned, *(quality.findings if quality is not None else ())):
        if one.introduced and one.id not in waived:
            kind = kind_of(one)
            yield Statement(
                kind,
                one.message,
                one.file or None,
                one.line,
                one.suggestion,
                signal=one.rule,
                gravity=_gravity(one, kind),
                is_blocking=one.id in blocking or one.id in errors,
                finding=one.id,
            )


def _gravity(finding: Finding, kind: str) -> Gravity:
    """Return the gravity of a finding: a warning is a notice at most, an information a remark, if its rule has none."""
    own = KINDS[kind].gravity
    if finding.severity is Severity.error:
        return own
    if finding.severity is Severity.warning or kind != "finding":
        return Gravity.notice
    return Gravity.remark


def num_more(one: Statement) -> int:
    """Return the number of further places of a statement, with those that it only counts."""
    last = one.evidence[-1].text if one.evidence and one.evidence[-1].file is None else ""
    rest = _REST.fullmatch(last)
    return len(one.evidence) + (int(rest[1]) - 1 if rest else 0)


def grouped(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield one statement for those of one signal, kind and advice: the first, with the others as its evidence."""
    groups: dict[tuple[str, str, str | None], list[Statement]] = {}
    for one in statements:
        groups.setdefault((one.signal, one.kind, one.advice), []).append(one)
    for first, *others in groups.values():
        more = [*first.evidence, *(Evidence(one.text, one.file, one.line) for one in others)]
        places = tuple(replace(one, text=one_line(one.text)) for one in more[:MOST_EVIDENCE])
        left = len(more) - MOST_EVIDENCE
        yield replace(
            first,
            text=one_line(first.text),
            advice=first.advice or KINDS[first.kind].advice or None,
            evidence=(*places, *((Evidence(f"and {left} more"),) if left > 0 else ())),
        )
