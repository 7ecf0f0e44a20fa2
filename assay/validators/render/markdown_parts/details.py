"""Folded sections of the Markdown report: risk factors, blast radius, findings, output, what was not checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.escape import code, fenced, fitting, prose
from assay.validators.render.dependents import first_tests, first_tests_in_words
from assay.validators.render.evidence import shown_of
from assay.validators.render.first_screen import all_not_checked
from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.markdown_parts.tiers import findings_left
from assay.validators.render.phrases import (
    LEVEL_ICONS,
    SEVERITY_ICONS,
    blocking_findings,
    blocking_runs,
    blocks,
    found_in,
    left_out,
    number,
    place,
    seen_before,
    versions,
)
from assay.validators.render.review_words import review_lines
from assay.validators.render.risk_words import facts, floors, is_compared, likelihood_lines, places, raised
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.model import Evidence, Finding, RiskAssessment, RiskFactor, ValidationReport
from assay.validators.report.review import MOST_TEST_LINES
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind, NewDependency
from assay.validators.report.waiver import WaiverKind
from assay.validators.wording import plural

MOST_FACTORS = 30
MOST_EVIDENCE = 6
MOST_ROWS = 30
_LISTS = {Affected.run_first: "Uses the change", Affected.may_be_affected: "May be affected"}
MOST_LISTED = 60
MOST_NOT_CHECKED = 60
MOST_BYTES_NOT_CHECKED = 12_000
MOST_OUTPUTS = 6
MOST_OUTPUT_LINES = 60


@dataclass(frozen=True, slots=True)
class Section:
    """Folded section. To save length, the highest `drop_first` is dropped first; 0 is never dropped."""

    title: str
    drop_first: int
    lines: Callable[[ValidationReport], tuple[str, list[str]] | None]

    def write(self, report: ValidationReport) -> str:
        """Return the section, or "" if it is empty. Its summary line holds no untrusted text."""
        found = self.lines(report)
        if found is None:
            return ""
        summary, lines = found
        return f"<details>\n<summary>{summary}</summary>\n\n" + "\n".join(lines).strip("\n") + "\n\n</details>"


def _why(report: ValidationReport) -> tuple[str, list[str]] | None:
    risk = report.risk
    if risk is None:
        return None
    compared = list(likelihood_lines(risk.likelihood)) if risk.likelihood and is_compared(risk.likelihood) else []
    if not compared and not floors(risk) and not raised(risk):
        return None
    lines: list[str] = []
    if compared:
        lines += ["**Likelihood**", ""]
        lines += [f"- {prose(line)}" for line in compared]
    factors = floors(risk)
    if factors:
        policy = "" if risk.policy == "narrow" else f" (`tier3.policy: {risk.policy}`)"
        lines += ["", f"**Policy floors{policy}**", ""]
        lines += ["| | Signal | Value | Threshold | What would lower it |", "|:-:|---|--:|--:|---|"]
        lines += [_factor_row(factor) for factor in factors[:MOST_FACTORS]]
        lines.append("")
        lines += _factors(factors)
    found = raised(risk)
    if found:
        lines += ["", "**Model assessment**", "", *_factors(found)]
    return f"Why {risk.level}", lines


def _impact(report: ValidationReport) -> tuple[str, list[str]] | None:
    found = facts(report.risk) if report.risk is not None else []
    return (f"Impact ({plural(len(found), 'fact')})", list(_factors(found))) if found else None


def _factors(factors: Sequence[RiskFactor]) -> Iterator[str]:
    for factor in factors[:MOST_FACTORS]:
        yield f"- **{prose(factor.signal, 60)}**: {prose(factor.reason)}"
        yield from _evidence(places(factor))
    yield from left_out(len(factors), MOST_FACTORS, "- ")


def _factor_row(factor: RiskFactor) -> str:
    texts = ((factor.signal, 60), (number(factor.value), 80), (number(factor.threshold), 80))
    cells = [prose(text, most, cell=True) for text, most in (*texts, (factor.would_lower or "", 200))]
    icon = LEVEL_ICONS[factor.level] if factor.level is not None else ""
    return f"| {icon} | {' | '.join(cells)} |"


def _evidence(evidence: Sequence[Evidence]) -> Iterator[str]:
    kept, num_left = shown_of(evidence, MOST_EVIDENCE)
    for one in kept:
        where = f"{code(place(one.file, one.line))} " if one.file else ""
        yield f"  - {where}{prose(one.text, 200)}"
    if num_left:
        yield f"  - and {num_left} more"


def _blast_radius(report: ValidationReport) -> tuple[str, list[str]] | None:
    risk = report.risk
    if risk is None or not (risk.dependents or risk.api_changes or risk.new_dependencies):
        return None
    lines = [*_dependents(report, risk), *_api(risk.api_changes), *_dependencies(risk.new_dependencies)]
    total = max(risk.num_dependents_total, len(risk.dependents))
    counts = (
        (total, "dependent"),
        (len(risk.api_changes), "API change"),
        (len(risk.new_dependencies), "dependency change"),
    )
    words = [plural(count, what) for count, what in counts if count]
    return f"Blast radius ({', '.join(words)})", lines


def _dependents(report: ValidationReport, risk: RiskAssessment) -> Iterator[str]:
    num_shown = 0
    for affected, title in _LISTS.items():
        users = [one for one in risk.dependents if one.affected is affected and not one.is_test][:MOST_ROWS]
        num_shown += len(users)
        if users:
            yield f"\n**{title}**\n"
            yield from ("| File | Distance | Uses | Through | Owners | Entry points |", "|---|:-:|---|---|---|---|")
            yield from map(_dependent_row, users)
    tests = [one for one in risk.dependents if one.is_test]
    left = max(risk.num_dependents_total, len(risk.dependents)) - len(tests) - num_shown
    if left > 0:
        yield f"\nand {left} more."
    first = first_tests(risk)
    ended = first_tests_in_words(report, risk)
    yield from _tests(f"Tests to run first{f' ({ended})' if ended else ''}", first)
    yield from _tests("Tests that may be affected", [one for one in tests if one not in first])


def _tests(title: str, tests: Sequence[Dependent]) -> Iterator[str]:
    if tests:
        names = ", ".join(f"{code(place(one.path), 120)}{_failed_before(one)}" for one in tests[:MOST_ROWS])
        more = f" and {len(tests) - MOST_ROWS} more" if len(tests) > MOST_ROWS else ""
        yield f"\n{title}: {names}{more}"


def _failed_before(test: Dependent) -> str:
    earlier = plural(test.num_failed, "earlier pull request")
    return f" (failed on {earlier} of these files)" if test.num_failed else ""


def _dependent_row(one: Dependent) -> str:
    uses = _names(one.uses, 5)
    if one.affected is Affected.run_first and not one.certain:
        uses = f"{uses} (uncertain)" if uses else "uncertain"
    via = code(place(one.via), 100, cell=True) if one.via else ""
    path = code(place(one.path), cell=True)
    return f"| {path} | {one.distance} | {uses} | {via} | {_names(one.owners, 4)} | {_names(one.entry_points, 4)} |"


def _names(names: Sequence[str], most: int) -> str:
    return ", ".join(code(name, 60, cell=True) for name in names[:most]) + (" …" if len(names) > most else "")


def _api(changes: Iterable[ApiChange]) -> Iterator[str]:
    ordered = sorted(changes, key=lambda change: change.kind is not ApiChangeKind.breaking)
    if ordered:
        yield "\n**Public API**\n"
    for change in ordered[:MOST_ROWS]:
        kind = "❌ breaking" if change.kind is ApiChangeKind.breaking else change.kind.replace("_", "-")
        yield f"- {kind}: {code(change.symbol)} {prose(change.what, 200)} — {code(place(change.file, change.line))}"
    yield from left_out(len(ordered), MOST_ROWS, "- ")


def _dependencies(dependencies: Iterable[NewDependency]) -> Iterator[str]:
    listed = list(dependencies)
    if listed:
        yield "\n**Dependencies**\n"
    for one in listed[:MOST_ROWS]:
        what = "new" if one.before is None else "moved"
        where = code(place(one.manifest, one.line))
        kind = f"{prose(one.ecosystem, 20)}, {prose(one.scope, 20)}"
        yield f"- {what}: {code(f'{one.name} {versions(one)}', 120)} ({kind}) — {where}"
    yield from left_out(len(listed), MOST_ROWS, "- ")


def _more_findings(report: ValidationReport) -> tuple[str, list[str]] | None:
    """Return the findings that Tier 2 does not list, the blocking ones first."""
    names = frozenset(report.blocking)
    findings = sorted(findings_left(report), key=lambda one: not blocks(names, one))
    return (f"More findings ({len(findings)})", list(_findings(findings))) if findings else None


def _tool_findings(report: ValidationReport) -> tuple[str, list[str]] | None:
    found = report.tools.findings if report.tools else ()
    findings = [one for one in found if one.introduced]
    return (f"Tool findings ({len(findings)})", list(_findings(findings))) if findings else None


def _findings(findings: list[Finding]) -> Iterator[str]:
    for one in findings[:MOST_LISTED]:
        where = f" in {code(place(one.file, one.line))}" if one.file else ""
        fix = f"\\\n  → {prose(one.suggestion, 300)}" if one.suggestion else ""
        by = f" ({prose(one.tool, 40)})" if one.tool else ""
        yield f"- {SEVERITY_ICONS[one.severity]} {code(one.rule, 80)}{by}{where}: {prose(one.message, 400)}{fix}"
    yield from left_out(len(findings), MOST_LISTED, "- ")


def _review(report: ValidationReport) -> tuple[str, list[str]] | None:
    """Return what the model's review cost and found, and the tests that demonstrate findings."""
    review = report.review
    if review is None:
        return None
    lines = [f"- {prose(line)}" for line in review_lines(report)]
    for one in review.demonstrations[:MOST_OUTPUTS]:
        lines += ["", f"{code(one.finding)} is demonstrated by {code(one.path)}:", ""]
        lines += [fenced(one.text.split("\n")[:MOST_TEST_LINES]), "", "On the head:", ""]
        lines.append(fenced(one.output[:MOST_OUTPUT_LINES]))
    return f"Model review ({plural(review.num_claims, 'claim')})", lines


def _outputs(report: ValidationReport) -> tuple[str, list[str]] | None:
    runs = [run for run in (report.tools.runs if report.tools else ()) if run.excerpt]
    if not runs:
        return None
    lines: list[str] = []
    for run in runs[:MOST_OUTPUTS]:
        ended = "" if run.exit_code is None else f", exit code {run.exit_code}"
        command = f"{code(run.command)} (found in {code(found_in(run))}{ended})"
        lines += [command, "", fenced(run.excerpt[:MOST_OUTPUT_LINES]), ""]
    lines += left_out(len(runs), MOST_OUTPUTS, what="command")
    return f"Command output ({len(runs)})", lines


def _waived(report: ValidationReport) -> tuple[str, list[str]] | None:
    """Return the waived findings with their waivers."""
    if not report.waivers:
        return None
    findings = {finding.id: finding for finding in report.findings}
    lines = []
    for one in report.waivers[:MOST_LISTED]:
        finding = findings.get(one.finding_id)
        where = f" in {code(place(finding.file, finding.line))}" if finding and finding.file else ""
        what = f"{code(finding.rule, 80)}{where}: {prose(finding.message, 300)}" if finding else code(one.finding_id)
        verb = "marked false positive" if one.kind is WaiverKind.fp else "accepted"
        reason = f": {prose(one.reason, 300)}" if one.reason else ""
        lines.append(f"- {what}\\\n  → {verb} by {code(one.by, 60)}{reason}")
    lines += left_out(len(report.waivers), MOST_LISTED, "- ")
    return f"Waived ({len(report.waivers)})", lines


def _seen_before(report: ValidationReport) -> tuple[str, list[str]] | None:
    existing = seen_before(report)
    if not existing:
        return None
    words = f"{plural(existing, 'finding')} of the base {'is' if existing == 1 else 'are'} not listed."
    return f"Seen before ({existing})", [words]


def _not_checked(report: ValidationReport) -> tuple[str, list[str]]:
    notes = all_not_checked(report)
    lines = (f"- **{prose(what, 200)}**: {prose(why, 300)}" for what, why in notes)
    kept, left = fitting(lines, len(notes), MOST_NOT_CHECKED, MOST_BYTES_NOT_CHECKED)
    if left:
        kept.append(f"- and {left} more")
    return f"Not checked ({len(notes)})", kept or ["All requested checks ran."]


def _fix_prompt(report: ValidationReport) -> tuple[str, list[str]] | None:
    if not (blocking_runs(report) or blocking_findings(report)):
        return None
    return "Fix prompt for the agent (copy it whole)", [fenced(fix_prompt(report).splitlines(), "markdown")]


SECTIONS = (
    Section("Why this level", 4, _why),
    Section("Impact", 5, _impact),
    Section("Blast radius", 6, _blast_radius),
    Section("More findings", 7, _more_findings),
    Section("Tool findings", 8, _tool_findings),
    Section("Command output", 9, _outputs),
    Section("Model review", 8, _review),
    Section("Waived", 0, _waived),
    Section("Seen before", 0, _seen_before),
    Section("Not checked", 0, _not_checked),
    Section("Fix prompt for the agent", 2, _fix_prompt),
)
"""Folded sections, in reading order."""
