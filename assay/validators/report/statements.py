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
    "flaky_test": "flaky",
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
    found = [*_of_tools(tools, blocking, waived), *_flaky(tools, waived)] if tools is not None else []
    standing = (one for one in (quality.findings if quality is not None else ()) if _stands(one, waived))
    of_rules = [_of_finding(one, is_blocking=one.id in blocking) for one in standing]
    found += [one for one in of_rules if one.is_blocking]
    found += grouped(one for one in of_rules if not one.is_blocking)
    if risk is not None and _is_beyond_tests(risk):
        found = [replace(one, gravity=Gravity.remark) if one.kind == "untested" else one for one in found]
    found += [one for one in (risk.statements if risk is not None else ()) if one.signal != FOUND]
    return tuple(gravest_first(found))


def _stands(one: Finding, waived: Collection[str]) -> bool:
    return one.introduced and one.id not in waived


def _is_beyond_tests(risk: RiskAssessment) -> bool:
    """Return whether no test of the tree reaches what changed: none was there to change with it."""
    is_whole = risk.num_dependents_total == len(risk.dependents)
    return risk.num_tests_total > 0 and is_whole and not any(one.is_test for one in risk.dependents)


def gravest_first(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements in reading order: failing tests, critical ones, what blocks, and the others by gravity."""
    return sorted(statements, key=_rank)


def _rank(one: Statement) -> tuple[float, int]:
    if one.is_blocking and one.kind == "test_fails":
        return -10.0, 0
    return -(max(one.gravity.rank, 3.5) if one.is_blocking else one.gravity.rank), RANKS[one.kind]


def _of_tools(tools: ToolsResult, blocking: Collection[str], waived: Collection[str]) -> Iterator[Statement]:
    """Yield the blocking commands and what scanners found; of a scanner its errors say more than its failure."""
    for run in tools.runs:
        found = [one for one in tools.findings if one.tool == run.name] if run.kind is ToolKind.sast else []
        is_blocking = run.gating and run.name in blocking and run.outcome is not Outcome.passed
        if is_blocking and not any(one.severity is Severity.error for one in found):
            kind = "test_fails" if run.kind is ToolKind.test else "command_fails"
            yield Statement(kind, _failure(run), signal=run.name, gravity=Gravity.notice, is_blocking=True)
        for one in found:
            if _stands(one, waived):
                yield _of_finding(
                    one, is_blocking=one.id in blocking or (is_blocking and one.severity is Severity.error)
                )


def _flaky(tools: ToolsResult, waived: Collection[str]) -> Iterator[Statement]:
    """Yield one statement on the tests that failed in some of several runs."""
    found = (one for one in tools.findings if kind_of(one) == "flaky" and _stands(one, waived))
    return grouped(_of_finding(one, is_blocking=False) for one in found)


def _failure(run: ToolRun) -> str:
    how = "ran out of time" if run.outcome is Outcome.timed_out else "fails"
    reason = one_line(run.reason or "")
    before = ", and passed on the base" if run.base_outcome is Outcome.passed and "base" not in reason else ""
    return f"{run.name} {how}{f': {reason}' if reason else ''}{before}"


def _of_finding(one: Finding, *, is_blocking: bool) -> Statement:
    """Return what a finding says; a warning is a notice at most, an information a remark, if its rule has none."""
    kind = kind_of(one)
    gravity = Gravity.remark if kind == "finding" and one.severity is Severity.info else Gravity.notice
    return Statement(
        kind,
        one.message,
        one.file or None,
        one.line,
        one.suggestion,
        signal=one.rule,
        gravity=KINDS[kind].gravity if one.severity is Severity.error else gravity,
        is_blocking=is_blocking,
        finding=one.id,
    )


def worth_saying(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements that block or are above a remark, one for each place."""
    found: dict[object, Statement] = {}
    for one in statements:
        if one.is_blocking or one.gravity is not Gravity.remark:
            found.setdefault((one.file, one.line) if one.line is not None else id(one), one)
    return list(found.values())


def num_more(one: Statement) -> int:
    """Return the number of further places of a statement, with those that it only counts."""
    last = one.evidence[-1].text if one.evidence and one.evidence[-1].file is None else ""
    rest = _REST.fullmatch(last)
    return len(one.evidence) + (int(rest[1]) - 1 if rest else 0)


def grouped(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield one statement for those of one signal, kind, gravity and advice: the first, with the others as evidence."""
    groups: dict[tuple[str, str, Gravity, str | None], list[Statement]] = {}
    for one in statements:
        advice = None if one.finding else one.advice
        groups.setdefault((one.signal, one.kind, one.gravity, advice), []).append(one)
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
