"""First screen of the Markdown report: the verdict, a row for each tier, what to do, and what was not checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from textwrap import indent

from assay.escape import code, fitting, prose
from assay.validators.policy.verdict import held_by
from assay.validators.render.first_screen import MOST_TO_DO, to_consider, to_fix, unchecked, verified
from assay.validators.render.phrases import (
    CONCLUSION_ICONS,
    KINDS,
    LEVEL_ICONS,
    NOT_RUN_ICON,
    OUTCOMES,
    commands_in_words,
    commit_name,
    findings_of,
    left_out,
    place,
    quality_icon,
    quality_in_words,
    thresholds,
    tools_icon,
)
from assay.validators.render.risk_words import holding, reason
from assay.validators.render.suggestion import suggestion_block
from assay.validators.report.model import Commit, Conclusion, Finding, RiskFactor, ToolRun, ValidationReport

MOST_BYTES_TO_FIX = 16_000
MOST_REASONS = 10
MOST_BYTES_OF_REASONS = 5_000
MOST_FINDINGS_OF_A_RUN = 5
_FAILS = re.compile(r"(?i)\b(?:error|fatal|exception|fail(?:ed|ure)?|panic)\b|Error\b")


def headline(report: ValidationReport) -> str:
    """Return the title, then the validated commit and its agent."""
    return f"# {CONCLUSION_ICONS[report.conclusion]} {prose(report.title, 300)}\n\n{about(report)}"


def about(report: ValidationReport) -> str:
    """Return the validated commit, its agent and the mode."""
    parts = [f"{_commit(report.head)} against {_commit(report.base)}", _agent(report), f"{prose(report.mode, 40)} mode"]
    return " · ".join(parts)


def first_screen(report: ValidationReport) -> Iterator[str]:
    """Yield a row for each tier, what to do or else what was verified, and what was not checked."""
    yield tier_table(report)
    said = verified(report)
    yield fix_these(report) or consider(report) or (prose(said, 600) if said else "")
    names = unchecked(report)
    yield f"**Not checked:** {prose(names, 600)}" if names else ""


def tier_table(report: ValidationReport) -> str:
    """Return a row for each tier: its result, and when it blocks."""
    tools, quality, risk = (prose(text, cell=True) for text in thresholds(report))
    rows = [
        (tools_icon(report), "Tools", prose(commands_in_words(report), 300, cell=True), tools),
        (quality_icon(report), "Quality", prose(quality_in_words(report), 200, cell=True), quality),
        (LEVEL_ICONS[report.risk.level] if report.risk else NOT_RUN_ICON, "Risk", _risk(report), risk),
    ]
    lines = ["| | Tier | Result | Threshold |", "|:-:|---|---|---|"]
    lines += [f"| {icon} | **{tier}** | {result} | {threshold} |" for icon, tier, result, threshold in rows]
    return "\n".join(lines)


def fix_these(report: ValidationReport) -> str:
    """Return what blocks, numbered; otherwise what to approve or configure; "" if nothing."""
    items = to_fix(report)
    parts = []
    if items:
        lines = (_run_to_fix(report, one) if isinstance(one, ToolRun) else _finding_to_fix(one) for one in items)
        parts.append(_numbered("Fix these", lines, len(items)))
    if report.conclusion in (Conclusion.action_required, Conclusion.incomplete) or (report.hold and items):
        parts.append("\n".join([f"## {_what_is_asked(report)}", "", *_reasons(report)]))
    return "\n\n".join(parts)


def consider(report: ValidationReport) -> str:
    """Return the advisory findings worth a look, numbered; "" if there are none, or something blocks."""
    found = to_consider(report)
    return _numbered("Consider", map(_finding_to_fix, found), len(found)) if found else ""


def _numbered(title: str, items: Iterable[str], num_items: int) -> str:
    numbered = (f"{number}. {item}" for number, item in enumerate(items, 1))
    kept, left = fitting(numbered, num_items, MOST_TO_DO, MOST_BYTES_TO_FIX)
    more = [f"\nand {left} more, in the whole report."] if left else []
    return "\n".join([f"## {title}", "", *kept, *more])


def _commit(commit: Commit) -> str:
    if commit.is_worktree:
        return "uncommitted work"
    name = commit_name(commit)
    return f"{code(commit.sha[:7])} ({code(name, 120)})" if name else code(commit.sha[:7])


def _agent(report: ValidationReport) -> str:
    if report.agent.name == "unknown":
        return "agent unknown"
    return f"by {code(report.agent.name, 40)} ({report.agent.confidence:.0%} sure)"


def _risk(report: ValidationReport) -> str:
    risk = report.risk
    if risk is None:
        return "not run"
    why = "" if holding(report) else reason(risk)
    by = f" (set by {' and '.join(risk.set_by)})" if risk.set_by else ""
    return f"**{risk.level}**{by}{f': {prose(why, 160, cell=True)}' if why else ''}"


def _run_to_fix(report: ValidationReport, run: ToolRun) -> str:
    why = f": {prose(run.reason)}" if run.reason else ""
    lines = [f"**{KINDS[run.kind]}: {OUTCOMES[run.outcome]}** — {code(run.command)}{why}"]
    findings = findings_of(report, run)
    for one in findings[:MOST_FINDINGS_OF_A_RUN]:
        where = f"{code(place(one.file, one.line))} " if one.file else ""
        lines.append(f"   - {where}{prose(one.message, 300)}")
    lines += left_out(len(findings), MOST_FINDINGS_OF_A_RUN, "   - ")
    telling = "" if findings else _telling(run)
    lines += [f"   - {code(telling, 300)}"] if telling else []
    return "\n".join(lines)


def _telling(run: ToolRun) -> str:
    """Return the line of the output that names the failure, else its last one."""
    lines = [line for line in run.excerpt if line.strip(" …")]
    return next((line for line in lines if _FAILS.search(line)), lines[-1] if lines else "")


def _finding_to_fix(finding: Finding) -> str:
    where = f" in {code(place(finding.file, finding.line))}" if finding.file else ""
    fix = f"\\\n   → {prose(finding.suggestion)}" if finding.suggestion else ""
    block = suggestion_block(finding)
    text = f"\n\n{indent(block, '   ')}" if block else ""
    return f"{code(finding.rule, 120)}{where}: {prose(finding.message)}{fix}{text}"


def _what_is_asked(report: ValidationReport) -> str:
    if report.configuration_at_fault:
        return "Fix the configuration"
    return "Some checks could not run" if report.conclusion is Conclusion.incomplete else "Approval required"


def _reasons(report: ValidationReport) -> Iterator[str]:
    """Yield the reasons; instead of the one that names the level, the floors behind it."""
    floors = holding(report)
    by_floors = held_by(report.risk.floor) if floors and report.risk else None
    reasons = [f"- {prose(one)}" for one in report.reasons if by_floors is None or not one.startswith(by_floors)]
    lines = [*map(_floor, floors), *reasons]
    kept, left = fitting(lines, len(lines), MOST_REASONS, MOST_BYTES_OF_REASONS)
    yield from kept
    if left:
        yield f"- and {left} more"


def _floor(factor: RiskFactor) -> str:
    """Return a policy floor with its first place, and what would lower it."""
    first = factor.evidence[0] if factor.evidence else None
    where = f" in {code(place(first.file, first.line))}" if first is not None and first.file else ""
    what = first.text if first is not None else factor.reason
    lower = f"\\\n  → {prose(factor.would_lower)}" if factor.would_lower else ""
    return f"- {code(factor.signal)}{where}: {prose(what, 300)}{lower}"
