"""Amend a report without validating again: later Tier 1 results, and waivers.

The verdict, its title and the coverage of the change are computed again; the other tiers' findings stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.validators.configuration.model import Mode, ValidationConfig
from assay.validators.errors import ReportUnreadable
from assay.validators.io.globs import matcher
from assay.validators.policy.verdict import Verdict, decide, title
from assay.validators.report.answers import answered
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    NOT_RUN_HERE,
    OWN_COMMANDS,
    REPORTED,
    Coverage,
    QualityResult,
    RiskAssessment,
    Statement,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.statements import grouped, statements_of
from assay.validators.report.unknown import NotChecked
from assay.validators.report.waiver import Waiver
from assay.validators.risk.coverage import WHAT as COVERAGE
from assay.validators.risk.coverage import measured_coverage
from assay.validators.risk.level import levelled, weighed
from assay.validators.wording import numbered

_SCANNERS = "tier1.scanners."
_THEIRS = " (reported)"
"""Suffix of `found_in` and of a `not_checked` entry for external results; newer results replace both."""


def with_tools(report: ValidationReport, tools: ToolsResult, config: ValidationConfig) -> ValidationReport:
    """Return the report with these results added to the Tier 1 runs of Assay itself.

    Coverage of the affected lines is measured where `tools` has lines. A tier that is switched off stays so.
    """
    if not config.tier1.enabled:
        return report
    joined = joined_tools([_ours(report.tools), _reported(tools)])
    risk = report.risk
    if risk is not None and tools.line_coverage:
        risk = _with_coverage(report, risk, tools, config)
    notes = _without(report.not_checked, report.tools, report.risk)
    said = (*joined.not_checked, *(risk.not_checked if risk is not None else ()))
    amended = replace(report, not_checked=tuple(dict.fromkeys((*notes, *said))))
    return _decided(amended.with_tiers(tools=joined, risk=risk), config)


def with_waivers(report: ValidationReport, config: ValidationConfig, waived: Mapping[str, Waiver]) -> ValidationReport:
    """Return the report with these waivers by finding id; unknown ids are ignored."""
    ids = {finding.id for finding in report.findings}
    known = sorted((waived[name] for name in waived if name in ids), key=lambda one: one.finding_id)
    return _decided(replace(report, waivers=tuple(known)), config)


def lacks_results(report: ValidationReport) -> bool:
    """Return whether missing results would hold the change in enforce mode."""
    config = configuration_of(report).model_copy(update={"mode": Mode.enforce})
    return _verdict(report, config).missing is not None


def configuration_of(report: ValidationReport) -> ValidationConfig:
    """Return the configuration in the report's settings; raise `ReportUnreadable` if it is not valid."""
    try:
        return ValidationConfig.model_validate(report.settings.get("configuration", {}))
    except ValueError:
        raise ReportUnreadable("the report", "settings.configuration does not match this version of Assay") from None


def joined_tools(results: Collection[ToolsResult]) -> ToolsResult:
    """Merge results of Tier 1 from several sources; repeated run names get a number."""
    every = [run for result in results for run in result.runs]
    # A report refers to runs by name.
    names = numbered(run.name for run in every)
    runs = tuple(run if run.name == name else replace(run, name=name) for run, name in zip(every, names, strict=True))
    is_run = any(_is_own_command(run) for run in runs)
    notes = dict.fromkeys(note for result in results for note in result.not_checked)
    covered = [result for result in results if result.line_coverage]
    sources = dict.fromkeys(result.reported_by for result in results if result.reported_by)
    sandboxes = dict.fromkeys(result.sandbox for result in results if result.sandbox)
    return ToolsResult(
        runs=runs,
        findings=identified(finding for result in results for finding in result.findings),
        line_coverage=_merged(covered) or None,
        coverage_source=", ".join(result.coverage_source or "coverage data" for result in covered) or None,
        timed_out=any(result.timed_out for result in results),
        num_fix_cycles=max((result.num_fix_cycles for result in results), default=0),
        not_checked=tuple(note for note in notes if not (is_run and note.what == OWN_COMMANDS)),
        num_existing=sum(result.num_existing for result in results),
        passed_files=tuple(sorted({path for result in results for path in result.passed_files})),
        sandbox="; ".join(sandboxes) or None,
        reported_by="; ".join(sources) or None,
        checks=tuple(check for result in results for check in result.checks),
    )


def _verdict(report: ValidationReport, config: ValidationConfig) -> Verdict:
    waived = {one.finding_id for one in report.waivers}
    expects_tests = report.settings.get("expects_tests") is True
    return decide(config, report.tools, report.quality, report.risk, waived, expects_tests=expects_tests)


def _decided(report: ValidationReport, config: ValidationConfig) -> ValidationReport:
    waived = {one.finding_id for one in report.waivers}
    tiers = (report.tools, report.quality, report.risk)
    verdict = _verdict(report, config)
    statements = statements_of(*tiers, verdict.blocking, waived)
    return replace(
        report,
        files=answered(report.files, tiers),
        title=title(verdict, config, *tiers, statements, waived),
        statements=statements,
        **verdict._asdict(),
    )


def _ours(tools: ToolsResult | None) -> ToolsResult:
    """Return the runs of Assay itself, without external results merged before."""
    if tools is None:
        return ToolsResult()
    runs = tuple(run for run in tools.runs if not run.found_in.startswith(REPORTED))
    notes = tuple(note for note in tools.not_checked if not note.what.endswith(_THEIRS))
    if len(runs) == len(tools.runs):
        return replace(tools, line_coverage=None, not_checked=notes)
    if not any(_is_own_command(run) for run in runs) and OWN_COMMANDS not in {note.what for note in notes}:
        # The note was removed when an external result replaced the commands.
        notes = (NotChecked(OWN_COMMANDS, NOT_RUN_HERE), *notes)
    words = {word for run in runs for word in (run.name, *run.command.split())}
    findings = tuple(finding for finding in tools.findings if finding.tool in words)
    return ToolsResult(runs, findings, sandbox=tools.sandbox, not_checked=notes)


def _reported(tools: ToolsResult) -> ToolsResult:
    """Mark results as external."""
    return replace(
        tools,
        runs=tuple(
            run if run.found_in.startswith(REPORTED) else replace(run, found_in=REPORTED + run.found_in)
            for run in tools.runs
        ),
        not_checked=tuple(
            note
            if note.question is not None or note.what == OWN_COMMANDS or note.what.endswith(_THEIRS)
            else replace(note, what=note.what + _THEIRS)
            for note in tools.not_checked
        ),
    )


def _is_own_command(run: ToolRun) -> bool:
    return run.kind is not ToolKind.sast or not run.found_in.startswith(_SCANNERS)


def _without(
    notes: Collection[NotChecked], *tiers: ToolsResult | QualityResult | RiskAssessment | None
) -> list[NotChecked]:
    gone = {note for tier in tiers if tier is not None for note in tier.not_checked}
    return [note for note in notes if note not in gone]


def _with_coverage(
    report: ValidationReport, risk: RiskAssessment, tools: ToolsResult, config: ValidationConfig
) -> RiskAssessment:
    """Return Tier 3 with the coverage of the changed lines from the later results."""
    if not config.tier3.signals.get("coverage", True):
        return risk
    importers = tuple(one.path for one in risk.dependents if one.distance == 1)
    lines, source = tools.line_coverage or {}, tools.coverage_source
    added, limits = dict(_added(report, config)), config.tier3.coverage
    statements = [one for one in risk.statements if one.signal != "coverage"]
    notes = [note for note in risk.not_checked if note.what != COVERAGE]
    coverage = risk.coverage
    for measure in measured_coverage(added, lines, source, limits, lambda _: importers):
        if isinstance(measure, Statement):
            statements += grouped([weighed(measure, "coverage", config)])
        elif isinstance(measure, Coverage):
            coverage = measure
        elif isinstance(measure, NotChecked):
            notes.append(measure)
    return levelled(replace(risk, statements=tuple(statements), coverage=coverage, not_checked=tuple(notes)))


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Line ranges, by first and last line; untrusted and possibly huge, so never expanded."""

    ranges: Sequence[Sequence[int]]

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and any(first <= line <= last for first, last in self.ranges)


def _added(report: ValidationReport, config: ValidationConfig) -> Iterator[tuple[str, _Ranges]]:
    """Yield the added lines of the source files that still exist, from the report's file list."""
    excluded = matcher(config.exclude)
    for file in report.files:
        is_read = file["kind"] == "text" and file["nature"] == "source" and file["status"] != "deleted"
        ranges = file["added_lines"]
        if is_read and ranges and not excluded(file["path"]):
            yield file["path"], _Ranges(ranges)


def _merged(results: Collection[ToolsResult]) -> dict[str, dict[int, bool]]:
    merged: dict[str, dict[int, bool]] = {}
    for result in results:
        for path, lines in (result.line_coverage or {}).items():
            known = merged.setdefault(path, {})
            for number, covered in lines.items():
                known[number] = covered or known.get(number, False)
    return merged
