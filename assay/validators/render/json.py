"""JSON report for programs. `assay schema report` prints its schema; `schema_version` is the version."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from assay import __version__
from assay.validators.change import shown
from assay.validators.render.escape import utf8
from assay.validators.render.phrases import blocks
from assay.validators.report.model import (
    SCHEMA_VERSION,
    Counts,
    Finding,
    NotChecked,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.unknown import Unknown

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def render(report: ValidationReport) -> str:
    """Render valid JSON in valid UTF-8; invisible characters become escapes."""
    text = json.dumps(document(report), indent=2, ensure_ascii=False, allow_nan=False)
    return _UNUSUAL.sub(_seen, text) + "\n"


def document(report: ValidationReport) -> dict[str, Any]:
    """Return the report as plain data, as the schema describes it."""
    names = frozenset(report.blocking)
    data: dict[str, Any] = _clean(
        {
            "schema_version": SCHEMA_VERSION,
            "assay_version": __version__,
            "base": report.base.sha,
            "base_name": report.base.name,
            "head": report.head.sha,
            "head_name": report.head.name,
            "head_is_worktree": report.head.is_worktree,
            "merge_base": report.merge_base,
            "conclusion": report.conclusion,
            "title": report.title,
            "reasons": report.reasons,
            "hold": report.hold,
            "configuration_at_fault": report.configuration_at_fault,
            "blocking": report.blocking,
            "mode": report.mode,
            "agent": {
                "name": report.agent.name,
                "confidence": report.agent.confidence,
                "signals": report.agent.signals,
            },
            "tiers": {
                "tools": _tools(names, report.tools) if report.tools else None,
                "quality": _quality(names, report.quality) if report.quality else None,
                "risk": _risk(report.risk) if report.risk else None,
            },
            "waivers": [
                {"finding": one.finding_id, "kind": one.kind, "by": one.by, "reason": one.reason}
                for one in report.waivers
            ],
            "files": [_file(file) for file in report.files],
            "not_checked": _notes(report.not_checked),
            "durations_s": dict(report.durations_s),
            "settings": dict(report.settings),
        }
    )
    return data


def tools_document(tools: ToolsResult) -> dict[str, Any]:
    """Return Tier 1 alone as plain data, as under `tiers.tools`; none of it is marked blocking."""
    data: dict[str, Any] = _clean(_tools(frozenset(), tools))
    return data


def _tools(names: frozenset[str], tools: ToolsResult) -> dict[str, Any]:
    return {
        "runs": [_run(names, run) for run in tools.runs],
        "findings": [_finding(names, finding) for finding in tools.findings],
        "num_existing": tools.num_existing,
        "coverage_source": tools.coverage_source,
        "sandbox": tools.sandbox,
        "reported_by": tools.reported_by,
        "timed_out": tools.timed_out,
        "num_fix_cycles": tools.num_fix_cycles,
        "not_checked": _notes(tools.not_checked),
        "unknown": _unknown(tools.unknown),
    }


def _run(names: frozenset[str], run: ToolRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "kind": run.kind,
        "command": run.command,
        "directory": shown(run.directory),
        "found_in": run.found_in,
        "outcome": run.outcome,
        "gate": run.gate,
        "gating": run.gating,
        "blocks": blocks(names, run),
        "base_outcome": run.base_outcome,
        "exit_code": run.exit_code,
        "reason": run.reason,
        "counts": _counts(run.counts),
        "excerpt": run.excerpt,
        "duration_s": run.duration_s,
    }


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "errors": counts.errors,
        "warnings": counts.warnings,
    }


def _quality(names: frozenset[str], quality: QualityResult) -> dict[str, Any]:
    return {
        "findings": [_finding(names, finding) for finding in quality.findings],
        "num_existing": quality.num_existing,
        "timed_out": quality.timed_out,
        "num_fix_cycles": quality.num_fix_cycles,
        "not_checked": _notes(quality.not_checked),
        "unknown": _unknown(quality.unknown),
    }


def _finding(names: frozenset[str], finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "tier": finding.tier,
        "severity": finding.severity,
        "rule": finding.rule,
        "file": shown(finding.file),
        "line": _line(finding.line),
        "end_line": _line(finding.end_line),
        "message": finding.message,
        "suggestion": finding.suggestion,
        "replacement": finding.replacement,
        "tool": finding.tool,
        "confidence": finding.confidence,
        "introduced": finding.introduced,
        "blocks": blocks(names, finding),
    }


def _risk(risk: RiskAssessment) -> dict[str, Any]:
    surface, coverage = risk.surface, risk.coverage
    return {
        "level": risk.level,
        "policy": risk.policy,
        "timed_out": risk.timed_out,
        "factors": [_factor(factor) for factor in risk.factors],
        "surface": {
            "num_files": surface.num_files,
            "num_added": surface.num_added,
            "num_removed": surface.num_removed,
            "num_modified": surface.num_modified,
            "num_source_files": surface.num_source_files,
            "num_source_added": surface.num_source_added,
            "num_source_removed": surface.num_source_removed,
            "modules": [shown(module) for module in surface.modules],
        },
        "dependents": [
            {
                "path": shown(one.path),
                "distance": one.distance,
                "uses": one.uses,
                "via": None if one.via is None else shown(one.via),
                "is_test": one.is_test,
                "owners": one.owners,
            }
            for one in risk.dependents
        ],
        "num_dependents_total": max(risk.num_dependents_total, len(risk.dependents)),
        "api_changes": [
            {"kind": one.kind, "symbol": one.symbol, "what": one.what, "file": shown(one.file), "line": _line(one.line)}
            for one in risk.api_changes
        ],
        "new_dependencies": [
            {
                "name": one.name,
                "ecosystem": one.ecosystem,
                "version": one.version,
                "before": one.before,
                "scope": one.scope,
                "manifest": shown(one.manifest),
                "line": _line(one.line),
            }
            for one in risk.new_dependencies
        ],
        "coverage": {
            "percent": coverage.percent,
            "lines": coverage.num_lines,
            "covered": coverage.num_covered,
            "source": coverage.source,
            "why_unknown": coverage.why_unknown,
        },
        "not_checked": _notes(risk.not_checked),
        "unknown": _unknown(risk.unknown),
    }


def _factor(factor: RiskFactor) -> dict[str, Any]:
    return {
        "signal": factor.signal,
        "level": factor.level,
        "value": factor.value,
        "threshold": factor.threshold,
        "reason": factor.reason,
        "would_lower": factor.would_lower,
        "evidence": [
            {"text": one.text, "file": shown(one.file) if one.file else None, "line": _line(one.line)}
            for one in factor.evidence
        ],
    }


def _file(file: Any) -> dict[str, Any]:
    base = file.get("base_path")
    return {
        "path": shown(file["path"]),
        "base_path": None if base is None else shown(base),
        "status": file["status"],
        "kind": file["kind"],
        "nature": file["nature"],
        "claimed": file.get("claimed"),
        "added": file["added"],
        "removed": file["removed"],
        "added_lines": file.get("added_lines", ()),
        "removed_lines": file.get("removed_lines", ()),
        "language": file.get("language", ""),
        "asked": file.get("asked", ()),
        "unknown": file.get("unknown", ()),
    }


def _notes(notes: Iterable[NotChecked]) -> list[dict[str, str]]:
    return [{"what": note.what, "why": note.why} for note in notes]


def _unknown(unknown: Iterable[Unknown]) -> list[dict[str, Any]]:
    return [
        {
            "question": one.question,
            "what": one.what,
            "why": one.why,
            "files": [shown(path) for path in one.files],
            "is_source": one.is_source,
        }
        for one in unknown
    ]


def _line(number: int | None) -> int | None:
    """Return None for line 0, by which tools mean the whole file."""
    return number if number and number > 0 else None


def _clean(value: Any) -> Any:
    """Return data whose text is valid UTF-8 and whose numbers are valid JSON."""
    if isinstance(value, str):
        return utf8(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value


def _seen(found: re.Match[str]) -> str:
    """Escape a control, bidi or zero-width character; it can only occur inside a JSON string."""
    char = found[0]
    return json.dumps(char)[1:-1] if unicodedata.category(char)[0] in "CZ" else char
