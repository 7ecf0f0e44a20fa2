"""The whole report: the three tiers with the headings and lines of the specification, and sections of details."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.validators.render.first_screen import all_not_checked, item
from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.outline import Code, Line, Ours, Output, Section, Strong, line
from assay.validators.render.review_words import review_lines
from assay.validators.render.risk_words import (
    asks_for_review,
    is_compared,
    likelihood_in_words,
    likelihood_lines,
    lowering,
    rollback_in_words,
    set_by,
)
from assay.validators.render.words import (
    KINDS,
    LEVEL_ICONS,
    OUTCOMES,
    SEVERITY_ICONS,
    are_most_tests,
    blocking_findings,
    blocking_runs,
    changed_lines,
    counted,
    coverage_in_words,
    dependents_in_words,
    first_tests,
    first_tests_in_words,
    found_in,
    in_reading_order,
    leaves_own_commands,
    left_out,
    moved_in_words,
    num_tests_in_words,
    place,
    quality_in_words,
    said_once,
    seen_before,
    standing,
    versions,
    with_unknown,
)
from assay.validators.report.dependent import Dependent
from assay.validators.report.model import (
    OWN_COMMANDS,
    Finding,
    Gate,
    Outcome,
    QualityResult,
    RiskAssessment,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.review import MOST_TEST_LINES
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind, NewDependency
from assay.validators.report.statements import FOUND
from assay.validators.report.unknown import Question
from assay.validators.report.waiver import WaiverKind
from assay.validators.wording import plural

MOST_LISTED = 30
MOST_INDIRECT = 10
MOST_DEPENDENCIES = 8
MOST_OUTPUTS = 6
MOST_OUTPUT_LINES = 60
MOST_NOT_CHECKED = 60
_NOT_RUN = line("Not run; see “Not checked”")


def tiers(report: ValidationReport) -> tuple[Section, ...]:
    """Return the three tiers."""
    return (
        Section("Tier 1 — Tool Validation", tuple(_tools(report)), is_folded=False),
        Section("Tier 2 — Code Quality", tuple(_quality(report)), is_folded=False),
        Section("Tier 3 — Risk Assessment", tuple(_risk(report)), is_folded=False),
    )


def details(report: ValidationReport, *, for_reading: bool = False) -> list[Section]:
    """Return the sections below the tiers that are not empty; `for_reading`: without the fix prompt."""
    found = [
        _likelihood(report),
        _blast_radius(report),
        _outputs(report),
        _review(report),
        _waived(report),
        _not_checked(report),
        Section("Fix prompt") if for_reading else _fix_prompt(report),
    ]
    return [section for section in found if section.content]


def _cut(lines: Iterable[Line], total: int, most: int = MOST_LISTED, what: str = "") -> Iterator[Line]:
    """Yield the first lines, and the number of the others."""
    for number, one in enumerate(lines):
        if number == most:
            break
        yield one
    if total > most:
        yield line(left_out(total, most, what))


def _tools(report: ValidationReport) -> Iterator[Line]:
    if report.tools is None:
        yield _NOT_RUN
        return
    runs = in_reading_order(report.tools.runs)
    if not runs:
        unasked = leaves_own_commands(report)
        yield line(
            f"{OWN_COMMANDS.capitalize()} were not run" if unasked else "No command of this repository was found"
        )
    yield from _cut((_run(report, run) for run in runs), len(runs), what="command")
    findings = [one for one in report.tools.findings if one.introduced]
    yield from _cut((_finding(one, place(one.file, one.line)) for one in findings), len(findings), what="finding")
    yield from _ended(report.tools)


def _run(report: ValidationReport, run: ToolRun) -> Line:
    is_alone = sum(one.kind is run.kind for one in (report.tools.runs if report.tools else ())) == 1
    counts = counted(run.counts)
    said = f" ({counts})" if counts else ""
    theirs = f" (by {report.tools.reported_by})" if report.tools and run.found_in != found_in(run) else ""
    reason = f" — {run.reason}" if run.reason and run.outcome is not Outcome.passed else ""
    why = ""
    if not run.gating and run.outcome in (Outcome.failed, Outcome.timed_out):
        why = " (advisory)" if run.gate is Gate.informational else " (does not block)"
    return line(
        KINDS[run.kind] if is_alone else Code(run.name), f": {OUTCOMES[run.outcome]}{said}{theirs}{reason}{why}"
    )


def _quality(report: ValidationReport) -> Iterator[Line]:
    if report.quality is None:
        yield _NOT_RUN
        return
    existing = f"; {seen_before(report)} seen before" if seen_before(report) else ""
    yield line(quality_in_words(report) + existing)
    said = said_once(standing(report))
    yield from _cut((_finding(one, places) for one, places in said), len(said))
    yield from _ended(report.quality)


def _finding(one: Finding, places: str) -> Line:
    by = f", {one.tool}" if one.tool else ""
    at = (" — ", Code(places)) if places else ()
    fix = f" → {one.suggestion}" if one.suggestion else ""
    return line(f"{SEVERITY_ICONS[one.severity]} {one.message}", *at, " (", Code(one.rule), f"{by}){fix}")


def _risk(report: ValidationReport) -> Iterator[Line]:
    files, added, removed = changed_lines(report)
    size = line(Ours(f"Files changed: {files} | Lines: +{added} / -{removed}"))
    risk = report.risk
    if risk is None:
        yield from (_NOT_RUN, size)
        return
    yield line(Strong(f"Risk level: {risk.level.capitalize()}"), f" {LEVEL_ICONS[risk.level]}")
    yield size
    yield line(f"Downstream dependents: {dependents_in_words(report, risk)}")
    yield line("Public API changes: ", *_api_counts(report, risk.api_changes))
    yield line("New dependencies: ", *_new_packages(report, risk.new_dependencies))
    yield line(f"Test coverage of affected area: {coverage_in_words(report, risk.coverage)}")
    yield line(f"Level set by: {set_by(risk)}{' (`tier3.policy: seed`)' if risk.policy == 'seed' else ''}")
    if lowering(risk):
        yield line(f"What would lower it: {'; '.join(lowering(risk))}")
    if asks_for_review(risk):
        yield line("A thorough review is recommended")
    if rollback_in_words(risk):
        yield line(f"Rollback: {rollback_in_words(risk)}")
    yield from _statements(report, risk)
    yield from _ended(risk)


def _statements(report: ValidationReport, risk: RiskAssessment) -> Iterator[Line]:
    said = [one for one in risk.statements if one.signal != FOUND]
    for one in said[:MOST_LISTED]:
        shown = item(report, one)
        icon = f"{LEVEL_ICONS[one.level]} " if one.level is not None else ""
        at = (" — ", Code(shown.place)) if shown.place else ()
        yield line(icon, Strong(shown.label), f": {shown.text}", *at)
        for where, text in shown.details:
            yield line(*((Code(where), " ") if where else ()), text, depth=2)
    if len(said) > MOST_LISTED:
        yield line(left_out(len(said), MOST_LISTED))


def _api_counts(report: ValidationReport, changes: Sequence[ApiChange]) -> Iterator[str]:
    breaking = sum(change.kind is ApiChangeKind.breaking for change in changes)
    others = sum(change.kind is ApiChangeKind.non_breaking for change in changes)
    if breaking:
        yield Strong(f"{breaking} breaking")
        yield ", " if others else ""
    known = f"{others} non-breaking" if others else ""
    rest = with_unknown(report, known or ("," if breaking else ""), Question.interface)
    yield rest.removeprefix(",")


def _new_packages(report: ValidationReport, dependencies: Sequence[NewDependency]) -> Iterator[str]:
    new = [one for one in dependencies if one.before is None]
    moved = [one for one in dependencies if one.before is not None]
    names = [f"`{one.name} {versions(one)}`".replace(" `", "`") + f" ({one.ecosystem})" for one in new]
    said = ", ".join(names[:MOST_DEPENDENCIES])
    said += f" {left_out(len(names), MOST_DEPENDENCIES)}" if len(names) > MOST_DEPENDENCIES else ""
    parts = [said] if said else []
    parts += [moved_in_words(moved, len(new))] if moved else []
    yield with_unknown(report, ", ".join(parts), Question.dependencies)


def _ended(tier: ToolsResult | QualityResult | RiskAssessment) -> Iterator[Line]:
    """Yield how a tier ended, if it did not run once and in full."""
    if tier.timed_out:
        yield line("⏱️ This tier ran out of time; see “Not checked”")
    if not isinstance(tier, RiskAssessment) and tier.num_fix_cycles:
        yield line(f"Fix cycles used: {tier.num_fix_cycles}")


def _likelihood(report: ValidationReport) -> Section:
    risk = report.risk
    likelihood = risk.likelihood if risk is not None else None
    if risk is None or likelihood is None or not is_compared(likelihood):
        return Section("Likelihood")
    lines = [line(f"{likelihood_in_words(risk)}"), *map(line, likelihood_lines(likelihood))]
    return Section(f"Likelihood of a fix ({likelihood.level})", tuple(lines), 4)


def _blast_radius(report: ValidationReport) -> Section:
    risk = report.risk
    if risk is None or not (risk.dependents or risk.api_changes or risk.new_dependencies):
        return Section("Blast radius")
    total = max(risk.num_dependents_total, len(risk.dependents))
    counts = (
        (total, "dependent"),
        (len(risk.api_changes), "API change"),
        (len(risk.new_dependencies), "dependency change"),
    )
    words = ", ".join(plural(count, what) for count, what in counts if count)
    lines = (*_dependents(report, risk), *_api(risk.api_changes), *_dependencies(risk.new_dependencies))
    return Section(f"Blast radius ({words})", lines, 6)


def _dependents(report: ValidationReport, risk: RiskAssessment) -> Iterator[Line]:
    others = [one for one in risk.dependents if not one.is_test]
    tests = [one for one in risk.dependents if one.is_test]
    users = [one for one in others if one.uses]
    possible = [one for one in others if one.may_use and not one.uses]
    indirect = [one for one in others if not one.uses and not one.may_use]
    left = max(risk.num_dependents_total, len(risk.dependents)) - len(tests)
    for title, group, most in (
        ("Uses what changed", users, MOST_LISTED),
        ("May use what changed", possible, MOST_LISTED),
        ("Depends on a changed file otherwise", indirect, MOST_INDIRECT),
    ):
        if group:
            yield line(Strong(title), depth=0)
            yield from map(_dependent, group[:most])
        left -= min(most, len(group))
    if left > 0:
        yield line(f"and {left} more")
    first = first_tests(risk)
    ended = first_tests_in_words(report, risk)
    title = f"Tests to run first{f' ({ended})' if ended else ''}"
    if are_most_tests(risk):
        yield line(Strong(title), f": {num_tests_in_words(risk)}", depth=0)
    else:
        yield from _tests(title, first)
    yield from _tests("Tests that may be affected", [one for one in tests if one not in first])


def _dependent(one: Dependent) -> Line:
    said = [f"{verb} {_names(names)}" for verb, names in (("uses", one.uses), ("may use", one.may_use)) if names]
    more = [f"through `{place(one.via)}`"] if one.via and one.distance > 1 else []
    more += [f"owned by {', '.join(f'`{name}`' for name in one.owners[:4])}"] if one.owners else []
    more += [f"reached from {', '.join(f'`{name}`' for name in one.entry_points[:4])}"] if one.entry_points else []
    return line(Code(place(one.path)), f" {', '.join(said)}" if said else "", f" ({'; '.join(more)})" if more else "")


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:5]) + (" …" if len(names) > 5 else "")


def _tests(title: str, tests: Sequence[Dependent]) -> Iterator[Line]:
    if tests:
        yield line(Strong(title), depth=0)
        names = (
            line(
                Code(place(one.path)),
                f" (failed on {plural(one.num_failed, 'earlier pull request')} of these files)"
                if one.num_failed
                else "",
            )
            for one in tests
        )
        yield from _cut(names, len(tests))


def _api(changes: Sequence[ApiChange]) -> Iterator[Line]:
    ordered = sorted(changes, key=lambda change: change.kind is not ApiChangeKind.breaking)
    if ordered:
        yield line(Strong("Public API"), depth=0)
    kinds = {ApiChangeKind.breaking: "❌ breaking"}
    lines = (
        line(
            f"{kinds.get(one.kind, one.kind.replace('_', '-'))}: ",
            *(Code(one.symbol), f" {one.what} — ", Code(place(one.file, one.line))),
        )
        for one in ordered
    )
    yield from _cut(lines, len(ordered))


def _dependencies(dependencies: Sequence[NewDependency]) -> Iterator[Line]:
    if dependencies:
        yield line(Strong("Dependencies"), depth=0)
    lines = (
        line(
            "new: " if one.before is None else "moved: ",
            Code(f"{one.name} {versions(one)}".strip()),
            f" ({one.ecosystem}, {one.scope}) — ",
            Code(place(one.manifest, one.line)),
        )
        for one in dependencies
    )
    yield from _cut(lines, len(dependencies))


def _outputs(report: ValidationReport) -> Section:
    runs = [run for run in (report.tools.runs if report.tools else ()) if run.excerpt]
    content: list[Line | Output] = []
    for run in runs[:MOST_OUTPUTS]:
        ended = "" if run.exit_code is None else f", exit code {run.exit_code}"
        content.append(line(Code(run.command), " (found in ", Code(found_in(run)), f"{ended})", depth=0))
        content.append(Output(run.excerpt[:MOST_OUTPUT_LINES]))
    if len(runs) > MOST_OUTPUTS:
        content.append(line(left_out(len(runs), MOST_OUTPUTS, "command"), depth=0))
    return Section(f"Command output ({len(runs)})", tuple(content), 9)


def _review(report: ValidationReport) -> Section:
    """Return what the model's review cost and found, and the tests that demonstrate findings."""
    review = report.review
    if review is None:
        return Section("Model review")
    content: list[Line | Output] = [*map(line, review_lines(report))]
    for one in review.demonstrations[:MOST_OUTPUTS]:
        content.append(line(Code(one.finding), " is demonstrated by ", Code(one.path), ":", depth=0))
        content.append(Output(tuple(one.text.split("\n")[:MOST_TEST_LINES])))
        content.append(line("On the head:", depth=0))
        content.append(Output(one.output[:MOST_OUTPUT_LINES]))
    return Section(f"Model review ({plural(review.num_claims, 'claim')})", tuple(content), 8)


def _waived(report: ValidationReport) -> Section:
    """Return the waived findings with their waivers."""
    findings = {finding.id: finding for finding in report.findings}

    def lines() -> Iterator[Line]:
        for one in report.waivers:
            found = findings.get(one.finding_id)
            at = (" in ", Code(place(found.file, found.line))) if found is not None and found.file else ()
            yield line(
                Code(one.finding_id if found is None else found.rule), *at, f": {found.message}" if found else ""
            )
            how = "marked false positive" if one.kind is WaiverKind.fp else "accepted"
            yield line(f"{how} by ", Code(one.by), f": {one.reason}" if one.reason else "", depth=2)

    count = len(report.waivers)
    return Section(f"Waived ({count})", tuple(_cut(lines(), 2 * count, 2 * MOST_NOT_CHECKED)))


def _not_checked(report: ValidationReport) -> Section:
    notes = all_not_checked(report)
    lines = tuple(_cut((line(Strong(what), f": {why}") for what, why in notes), len(notes), MOST_NOT_CHECKED))
    return Section(f"Not checked ({len(notes)})", lines or (line("All requested checks ran", depth=0),))


def _fix_prompt(report: ValidationReport) -> Section:
    if not (blocking_runs(report) or blocking_findings(report)):
        return Section("Fix prompt")
    prompt = Output(tuple(fix_prompt(report).splitlines()), "markdown")
    return Section("Fix prompt for the agent (copy it whole)", (prompt,), 2)
