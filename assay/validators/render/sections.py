"""The whole report: the three tiers with the headings and lines of the specification, and sections of details."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.render.first_screen import item
from assay.validators.render.view import Ours, Row, Section, cut
from assay.validators.render.words import (
    COMMANDS,
    LEVEL_ICONS,
    OUTCOMES,
    SEVERITY_ICONS,
    counted,
    dependents_in_words,
    lost_commands,
    lowering,
    not_checked,
    place,
    set_by,
)
from assay.validators.report.gravity import KINDS
from assay.validators.report.model import (
    REPORTED,
    Finding,
    Gate,
    Outcome,
    RiskAssessment,
    RiskLevel,
    Severity,
    Statement,
    Tier,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.review import MOST_TEST_LINES, ModelReview
from assay.validators.report.risk_facts import Affected, ApiChangeKind, Dependent, NewDependency
from assay.validators.report.statements import FOUND
from assay.validators.report.unknown import BY_TIER, QUESTIONS, Question, about, in_words
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.wording import listed, plural

MOST_PLACES = 4
MOST_CONTRIBUTIONS = 4
"""Features shown of the likelihood; the others move the score less. The JSON report has all."""
MOST_IN_RADIUS = 10
"""Files shown of each group, the likeliest to notice the change first. The JSON report has all."""
MOST_PACKAGES = 8
MOST_OUTPUTS = 6
MOST_OUTPUT_LINES = 60
MOST_NOT_CHECKED = 60
_NOT_RUN = Row("Not run; see “Not checked”")


def tiers(report: ValidationReport) -> list[Section]:
    """Return the three tiers, and what was not checked."""
    notes = [*lost_commands(report), *not_checked(report)]
    unchecked = cut((Row(why, what) for what, why in notes), MOST_NOT_CHECKED)
    return [
        Section("Tier 1 — Tool Validation", tuple(_tools(report))),
        Section("Tier 2 — Code Quality", tuple(_quality(report))),
        Section("Tier 3 — Risk Assessment", tuple(_risk(report))),
        Section(f"Not checked ({len(notes)})", unchecked or (Row("All requested checks ran"),)),
    ]


def details(report: ValidationReport) -> list[Section]:
    """Return the further sections that are not empty, the most needed first."""
    outputs = [run for run in report.runs if run.excerpt]
    found = (
        Section(f"Waived ({len(report.waivers)})", cut(_waived(report), MOST_NOT_CHECKED)),
        Section("Blast radius", tuple(_blast_radius(report))),
        Section("Model review", tuple(_review(report.review)) if report.review else ()),
        Section(f"Command output ({len(outputs)})", cut(map(_output, outputs), MOST_OUTPUTS)),
    )
    return [one for one in found if one.rows]


def _tools(report: ValidationReport) -> Iterator[Row]:
    if report.tools is None:
        yield _NOT_RUN
        return
    runs = sorted(report.runs, key=lambda run: list(COMMANDS).index(run.kind))
    yield from cut(Row(run_in_words(report.tools, run)) for run in runs) or (Row("No command was run"),)
    yield from cut(_finding(one, [place(one.file, one.line)]) for one in report.tools.findings if one.introduced)


def run_in_words(tools: ToolsResult, run: ToolRun) -> str:
    """Return `Tests: FAIL (3 passed, 1 failed) — it fails on the base too (does not block)`."""
    is_alone = sum(one.kind is run.kind for one in tools.runs) == 1
    counts = counted(run.counts)
    said = f" ({counts})" if counts else ""
    theirs = f" (by {tools.reported_by})" if run.found_in.startswith(REPORTED) else ""
    reason = f" — {run.reason}" if run.reason and run.outcome is not Outcome.passed else ""
    why = ""
    if not run.gating and run.outcome in (Outcome.failed, Outcome.timed_out):
        why = " (advisory)" if run.gate is Gate.informational else " (does not block)"
    return f"{COMMANDS[run.kind] if is_alone else f'`{run.name}`'}: {OUTCOMES[run.outcome]}{said}{theirs}{reason}{why}"


def _quality(report: ValidationReport) -> Iterator[Row]:
    """Yield the numbers, what is unknown, and the findings that stand, equal ones as one."""
    if report.quality is None:
        yield _NOT_RUN
        return
    waived = {one.finding_id for one in report.waivers}
    standing = [one for one in report.quality.findings if one.introduced and one.id not in waived]
    num = Counter(one.severity for one in standing)
    errors, warnings = plural(num[Severity.error], "error"), plural(num[Severity.warning], "warning")
    parts = [f"{errors}, {warnings}, {num[Severity.info]} info"]
    unknown = ((QUESTIONS[each], about(report.unknown, each)) for each in BY_TIER[1])
    parts += [f"{name} {in_words(notes)}" for name, notes in unknown if notes]
    existing = report.quality.num_existing + (report.tools.num_existing if report.tools else 0)
    parts += [f"{existing} seen before"] if existing else []
    yield Row("; ".join(parts))
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for one in standing:
        groups.setdefault((one.rule, one.severity, one.message), []).append(one)
    yield from cut(_finding(group[0], [place(one.file, one.line) for one in group]) for group in groups.values())


def _finding(one: Finding, places: list[str]) -> Row:
    text = f"{SEVERITY_ICONS[one.severity]} {one.message}"
    rule = f"{one.tool}: {one.rule}" if one.tool and one.tier is Tier.tools else one.rule
    return Row(text, "", listed([*dict.fromkeys(places)], MOST_PLACES), rule, one.suggestion or "")


def _risk(report: ValidationReport) -> Iterator[Row]:
    added, removed = (sum(file[name] for file in report.files) for name in ("added", "removed"))
    size = Row(Ours(f"Files changed: {len(report.files)} | Lines: +{added} / -{removed}"))
    risk = report.risk
    if risk is None:
        yield from (_NOT_RUN, size)
        return
    yield Row(Ours(f"**Risk level: {risk.level.capitalize()}** {LEVEL_ICONS[risk.level]}"))
    yield size
    kinds = [one.kind for one in risk.api_changes]
    counts = [
        (kinds.count(kind), kind.replace("_", "-")) for kind in (ApiChangeKind.breaking, ApiChangeKind.non_breaking)
    ]
    changes = ", ".join(f"{num} {kind}" for num, kind in counts if num)
    facts = {
        "Downstream dependents": _with_unknown(
            report, dependents_in_words(report, risk), Question.dependents, "None found"
        ),
        "Public API changes": _with_unknown(report, changes, Question.interface),
        "New dependencies": _with_unknown(report, _packages(risk), Question.dependencies),
        "Test coverage of affected area": _coverage(report, risk),
        "Level set by": f"{set_by(risk)}{' (`tier3.policy: seed`)' if risk.policy == 'seed' else ''}",
        "What would lower it": "; ".join(lowering(risk)),
    }
    yield from (Row(f"{name}: {fact}") for name, fact in facts.items() if fact)
    if risk.level.at_least(RiskLevel.high):
        yield Row("A thorough review is recommended")
    if risk.likelihood is not None and "likelihood" in risk.set_by:
        factors = sorted(risk.likelihood.factors, key=lambda one: -abs(one.contribution))[:MOST_CONTRIBUTIONS]
        why = [f"{'lower' if one.contribution < 0 else 'higher'} because it {one.text}" for one in factors]
        yield Row("Likelihood of a fix", details=tuple(map(Row, filter(None, (*why, risk.likelihood.note)))))
    said = (one for one in risk.statements if one.signal != FOUND)
    yield from cut(replace(item(report, one), label=_label(one), advice="") for one in said)


def _label(one: Statement) -> str:
    """Return the label of a statement, with the icon of the level that it sets."""
    return f"{LEVEL_ICONS[one.level]} {KINDS[one.kind].label}" if one.level is not None else KINDS[one.kind].label


def _with_unknown(report: ValidationReport, known: str, question: Question, none: str = "None") -> str:
    """Return the known part of an answer and what is unknown: `None in 2 files; unknown (Go)`.

    `none` stands for files an analyzer read, and for dependencies if no manifest changed; "not applicable" if the
    question applies to no changed file.
    """
    asked = [file for file in report.files if question in file["asked"]]
    num_known = sum(question not in file["unknown"] for file in asked)
    unknown = in_words(about(report.unknown, question)) or ("unknown" if num_known < len(asked) else "")
    if not unknown:
        return known or (none if asked or question is Question.dependencies else "not applicable")
    if not known and num_known:
        known = f"{none} in {plural(num_known, 'file')}"
    return "; ".join(filter(None, (known, unknown)))


def _packages(risk: RiskAssessment) -> str:
    """Return the new packages, and those that move to another version: `rich 14 (pypi); moved: click 8.1 → 8.2`."""
    new = [one for one in risk.new_dependencies if one.before is None]
    moved = [f"`{one.name}` {one.before} → {one.version or 'any'}" for one in risk.new_dependencies if one.before]
    said = [listed([f"`{one.name} {one.version or 'any'}` ({_known_of(one)})" for one in new], MOST_PACKAGES)]
    return "; ".join(filter(None, (*said, f"moved: {listed(moved, MOST_PACKAGES)}" if moved else "")))


def _known_of(one: NewDependency) -> str:
    """Return ecosystem, licence, dates and vulnerabilities: `npm; MIT; published 2026-11-30, first 2014-03-14; …`."""
    facts = one.facts
    if facts is None or facts.exists is None:
        return one.ecosystem
    if not facts.exists:
        return f"{one.ecosystem}; not in the public registry"
    first = f"first {facts.first_published}" if facts.first_published else ""
    dates = ", ".join(filter(None, (f"published {facts.published}" if facts.published else "", first)))
    known = facts.vulnerabilities
    safe = "" if known is None else plural(len(known), "known vulnerability") if known else "no known vulnerability"
    return "; ".join(filter(None, (one.ecosystem, facts.licence or "licence unknown", dates, safe)))


def _coverage(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return `78%`, `unknown (why)`, or "not applicable" if no changed file has lines to cover."""
    if risk.coverage.percent is not None:
        # Never rounded up: 99.96 is not 100.
        return f"{math.floor(risk.coverage.percent * 10 + 1e-9) / 10:.1f}".removesuffix(".0") + "%"
    is_asked = any(Question.coverage in file["asked"] for file in report.files)
    return f"unknown ({risk.coverage.why_unknown or 'not measured'})" if is_asked else "not applicable"


def _blast_radius(report: ValidationReport) -> Iterator[Row]:
    """Yield the dependents, those that use the change before the others, the tests, and the interface's changes."""
    risk = report.risk or RiskAssessment()
    groups: dict[str, list[Row]] = {"Dependents": [], "Tests to run first": [], "Tests that may be affected": []}
    for one in risk.dependents:
        is_first = one.affected is Affected.run_first
        tests = "Tests to run first" if is_first else "Tests that may be affected"
        groups[tests if one.is_test else "Dependents"].append(_dependent(one))
    changes = (
        Row(f"{one.kind.replace('_', '-')}: `{one.symbol}` {one.what}", place=place(one.file, one.line))
        for one in risk.api_changes
    )
    groups["Public API"] = [*changes]
    yield from (Row("", label, details=cut(rows, MOST_IN_RADIUS)) for label, rows in groups.items() if rows)


def _dependent(one: Dependent) -> Row:
    parts = (
        ("uses", one.uses),
        ("may use", one.may_use),
        ("through", (place(one.via),) if one.via and one.distance > 1 else ()),
        ("owned by", one.owners),
        ("reached from", one.entry_points),
    )
    said = [f"{verb} {listed([f'`{name}`' for name in names], MOST_PLACES)}" for verb, names in parts if names]
    said += [f"failed on {plural(one.num_failed, 'earlier pull request')} of these files"] if one.num_failed else []
    return Row(", ".join(said), place=place(one.path))


def _output(run: ToolRun) -> Row:
    ended = "" if run.exit_code is None else f", exit code {run.exit_code}"
    text = f"`{run.command}` (found in `{run.found_in.removeprefix(REPORTED)}`{ended})"
    return Row(text, output=run.excerpt[:MOST_OUTPUT_LINES])


def _review(review: ModelReview) -> Iterator[Row]:
    """Yield what the model's review cost, what became of its claims, and the tests that demonstrate findings."""
    cost = "price unknown" if review.cost_usd is None else f"${review.cost_usd:.2f}"
    tokens = f"{review.num_tokens_in} tokens in, {review.num_tokens_out} out"
    yield Row(f"{review.model}: {plural(review.num_calls, 'call')}, {tokens}, {cost}")
    why = {"dismissed": "like three that were dismissed"}
    dropped = (f"{one.count} dropped ({why.get(one.reason, one.reason.replace('_', ' '))})" for one in review.dropped)
    yield Row(", ".join((plural(review.num_claims, "claim"), *dropped)))
    num_carried = sum(one.is_carried for one in review.places)
    if num_carried or review.resolved:
        yield Row(f"Of earlier pushes: {num_carried} still there, {len(review.resolved)} resolved")
    yield from [Row(f"Ended early: {review.stopped}")] if review.stopped is not None else []
    yield from (Row(f"Open: {one}") for one in review.unknowns)
    for one in review.demonstrations[:MOST_OUTPUTS]:
        lines = (*one.text.split("\n")[:MOST_TEST_LINES], *one.output[:MOST_OUTPUT_LINES])
        yield Row(f"`{one.finding}` is demonstrated by `{one.path}`, which fails on the head:", output=lines)


def _waived(report: ValidationReport) -> Iterator[Row]:
    findings = {one.id: one for one in report.findings}
    for waiver in report.waivers:
        one = findings.get(waiver.finding_id)
        if one is not None:
            yield Row(one.message, "", place(one.file, one.line), one.rule, details=(Row(waiver_in_words(waiver)),))


def waiver_in_words(waiver: Waiver) -> str:
    """Return a waiver as text: ``marked false positive by `ada`: the input is checked before``."""
    how = "marked false positive" if waiver.kind is WaiverKind.fp else "accepted"
    return f"{how} by `{waiver.by}`{f': {waiver.reason}' if waiver.reason else ''}"
