"""Limits on Tier 1 results that the change can have forged.

A pull request from a fork controls its workflow, tests and commands, so its run can report anything. The rule: **an
untrusted result can make a verdict worse, never better than no result.**

- A failed command counts by the gate of the base's configuration, not by the reported one. A reported failure on the
  base is ignored, so it excuses nothing.
- A passed command is shown as reported, and adds nothing.
- Coverage is compared with the limits if no trusted source measured it. Missing coverage is never worse than any
  coverage, so a forged one gains nothing; and it never overrides trusted coverage.
- A few findings in changed files are shown at the lowest severity, without waivers, suggestions or committable fixes,
  so they displace no trusted finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.validators import (
    UNTRUSTED_RUN,
    Command,
    Finding,
    Gate,
    LineCoverage,
    NotChecked,
    Outcome,
    Severity,
    Tier,
    ToolRun,
    ToolsResult,
    ValidationConfig,
    ValidationReport,
    as_visible,
)

MOST_RUNS = 20
MOST_FINDINGS = 20
MOST_NOTES = 10
MOST_LINES = 12
"""Output lines kept of a failed command."""
MOST_CHARS = 300
MOST_LINE_NUMBER = 1_000_000
MOST_DURATION_S = 7 * 24 * 3600.0
COVERAGE = f"coverage data of {UNTRUSTED_RUN}"
_BAD = (Outcome.failed, Outcome.timed_out)


def untrusted(
    tools: ToolsResult, validated: ValidationReport, config: ValidationConfig, *, is_covered: bool = False
) -> ToolsResult:
    """Limit untrusted results, and compute from the base's configuration what they block.

    Args:
        tools: results reported by the run.
        validated: report on the same head, whose files limit where findings may be.
        config: the base's configuration.
        is_covered: whether a trusted source has measured the coverage of this head.
    """
    worst_first = sorted(tools.runs, key=lambda run: run.outcome not in _BAD)
    paths = frozenset(file["path"] for file in validated.files if file["status"] != "deleted")
    findings = [one for one in tools.findings if one.file in paths][:MOST_FINDINGS]
    lines = None if is_covered or _is_measured(validated) else _lines(tools.line_coverage, paths)
    return ToolsResult(
        runs=tuple(_run(run, config) for run in worst_first[:MOST_RUNS]),
        findings=tuple(_finding(one) for one in findings),
        line_coverage=lines,
        coverage_source=COVERAGE if lines else None,
        timed_out=tools.timed_out,
        not_checked=tuple(_notes(tools, len(findings))),
        reported_by=UNTRUSTED_RUN,
    )


def _run(run: ToolRun, config: ValidationConfig) -> ToolRun:
    gate = _gate(run, config)
    is_bad = run.outcome in _BAD
    excuse = "its failure on the base is unconfirmed" if is_bad and run.base_outcome in _BAD else None
    reason = "; ".join(part for part in (_line(run.reason or ""), excuse) if part)
    return replace(
        run,
        name=_line(run.name, 100) or "(no name)",
        command=_line(run.command),
        found_in=f"{UNTRUSTED_RUN}: {_line(run.found_in)}",
        directory=_line(run.directory) or ".",
        gate=gate,
        gating=is_bad and gate is not Gate.informational,
        base_outcome=None,
        duration_s=min(max(run.duration_s, 0.0), MOST_DURATION_S),
        reason=reason or None,
        excerpt=tuple(_line(line) for line in run.excerpt[:MOST_LINES]) if is_bad else (),
    )


def _gate(run: ToolRun, config: ValidationConfig) -> Gate:
    """Return the command's gate in the base's configuration, else the tier's."""
    for one in config.tier1.commands or ():
        if isinstance(one, Command) and one.gate is not None and one.run == run.command:
            return one.gate
    return config.tier1.gate


def _finding(finding: Finding) -> Finding:
    line = finding.line if finding.line is not None and finding.line <= MOST_LINE_NUMBER else None
    end_line = finding.end_line if line is not None and finding.end_line is not None else None
    is_span = line is not None and end_line is not None and line <= end_line <= line + 1_000
    return replace(
        finding,
        tier=Tier.tools,
        severity=Severity.info,
        rule=_line(finding.rule, 100) or "(no rule)",
        message=_line(finding.message),
        line=line,
        end_line=end_line if is_span else None,
        suggestion=None,
        replacement=None,
        confidence=None,
        # The suffix keeps the id distinct from findings of trusted tools and other tiers.
        tool=f"{_line(finding.tool or 'a tool', 60)} (untrusted run)",
        context="",
    )


def _is_measured(validated: ValidationReport) -> bool:
    """Return whether the report has trusted coverage; an earlier `settle` may have added untrusted coverage."""
    coverage = validated.risk.coverage if validated.risk is not None else None
    return coverage is not None and coverage.percent is not None and UNTRUSTED_RUN not in (coverage.source or "")


def _lines(lines: LineCoverage | None, paths: frozenset[str]) -> LineCoverage | None:
    """Return the coverage of changed files only."""
    return {path: lines[path] for path in paths if path in lines} or None if lines else None


def _notes(tools: ToolsResult, num_findings: int) -> Iterator[NotChecked]:
    yield NotChecked("of Tier 1", f"reported by {UNTRUSTED_RUN}; passed results do not count")
    if len(tools.runs) > MOST_RUNS:
        yield NotChecked("further commands", f"{len(tools.runs) - MOST_RUNS} more of {UNTRUSTED_RUN} are not listed")
    if len(tools.findings) > num_findings:
        left = len(tools.findings) - num_findings
        yield NotChecked("further findings", f"{left} more of {UNTRUSTED_RUN} are not listed, or are not in the change")
    for note in [note for note in tools.not_checked if note.question is None][:MOST_NOTES]:
        yield NotChecked(_line(note.what, 100), f"{_line(note.why)} (reported by {UNTRUSTED_RUN})")


def _line(text: str, most: int = MOST_CHARS) -> str:
    return as_visible(text, most)
