"""Store the result of a run: report, findings, risk, and the entry `validation_completed`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from assay.github_app.outcomes.record.follow_up_fixes import note_follow_ups
from assay.github_app.outcomes.record.review_outcomes import note_review
from assay.github_app.store import (
    ChangedLines,
    EventKind,
    FactorRow,
    FindingRow,
    PullRow,
    RunRow,
    Side,
    Store,
)
from assay.validators import Likelihood, ValidationReport, lacks_results, report_as, shown


def validation_completed(
    store: Store,
    run: RunRow,
    report: ValidationReport,
    at: datetime,
    *,
    config_hash: str | None = None,
    is_final: bool = True,
) -> bool:
    """Store a run's report (made at `at`) and its contents; return False if a newer one is stored.

    `is_final` also logs the verdict and stores the risk level of the task: the one the pull request declares, else
    `pull:<number>`. A verdict is logged once; a late check that changes it adds another entry.
    """
    level = str(report.risk.level) if report.risk else None
    likelihood = report.risk.likelihood if report.risk else None
    with store.together():
        is_kept = store.runs.save_report(
            run.id,
            report_as(report, "json").encode(),
            conclusion=str(report.conclusion),
            title=report.title,
            risk_level=level,
            likelihood_level=str(likelihood.level) if likelihood else None,
            floor_level=str(report.risk.floor) if report.risk else None,
            is_hold=report.hold,
            lacks_results=lacks_results(report),
            findings=_findings(report),
            factors=_factors(report),
            config_hash=config_hash,
            durations_s=report.durations_s,
            cost_usd=report.review.cost_usd if report.review is not None else None,
            at=at,
        )
        if not is_kept:
            return False
        if run.number is not None:
            store.changes.put(run.repository_id, run.number, run.head_sha, _lines(report), at)
            guess = report.agent
            if guess.name != "unknown":
                store.pulls.set_agent(run.repository_id, run.number, guess.name, guess.confidence, guess.signals, at)
            note_follow_ups(store, run.repository_id, run.number)
            note_review(store, run, report, at)
        if is_final:
            _conclude(store, run, report, level, at)
    return True


def _conclude(store: Store, run: RunRow, report: ValidationReport, level: str | None, at: datetime) -> None:
    pull = None if run.number is None else store.pulls.get(run.repository_id, run.number)
    task_id = pull.task_id if pull else None
    if run.number is not None:
        task_id = task_id or f"pull:{run.number}"
        if pull is None or pull.head_sha == run.head_sha:
            _know_risk(store, run, pull, task_id, level, at)
    verdict = repr((report.conclusion, level, report.hold, sorted(report.blocking)))
    key = f"{run.id}:{hashlib.sha256(verdict.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    data = {**_risk(report), **_verdict(report), "run_id": run.id, "turn": run.turn, "head_sha": run.head_sha}
    store.events.append(EventKind.validation_completed, key, at, run.repository_id, run.number, task_id, data)


def _know_risk(store: Store, run: RunRow, pull: PullRow | None, task_id: str, level: str | None, at: datetime) -> None:
    """Store the task's risk level, unless the run's head is no longer the newest."""
    store.tasks.put(
        run.repository_id,
        task_id,
        at,
        number=run.number,
        branch=pull.head_ref if pull else None,
        agent=pull.agent if pull else None,
        model=pull.model if pull else None,
        prompt_version=pull.prompt_version if pull else None,
        risk_level=level,
    )


def _risk(report: ValidationReport) -> dict[str, Any]:
    risk = report.risk
    if risk is None:
        return {"risk_level": None}
    surface = risk.surface
    return {
        "risk_level": str(risk.level),
        "risk_set_by": [*risk.set_by],
        "risk_floor": str(risk.floor),
        "risk_likelihood": _likelihood(risk.likelihood),
        "rollback_flags": [flag.name for flag in risk.rollback.flags] if risk.rollback else None,
        "risk_policy": risk.policy,
        "risk_factors": [{"signal": one.signal, "kind": one.kind, "level": one.level} for one in risk.statements[:50]],
        "num_files": surface.num_files,
        "num_added": surface.num_added,
        "num_removed": surface.num_removed,
        "num_dependents": risk.num_dependents_total,
        "coverage_percent": risk.coverage.percent,
    }


def _likelihood(likelihood: Likelihood | None) -> dict[str, Any] | None:
    if likelihood is None:
        return None
    return {
        "level": str(likelihood.level),
        "percentile": likelihood.percentile,
        "basis": likelihood.basis,
        "num_compared": likelihood.num_compared,
    }


def _verdict(report: ValidationReport) -> dict[str, Any]:
    counted = Counter(str(finding.severity) for finding in report.findings if finding.introduced)
    outcomes = Counter(str(run.outcome) for run in report.tools.runs) if report.tools else None
    return {
        "conclusion": str(report.conclusion),
        "mode": report.mode,
        "hold": report.hold,
        "num_blocking": len(report.blocking),
        "num_findings": dict(sorted(counted.items())),
        "tools": None if outcomes is None else dict(sorted(outcomes.items())),
        "durations_s": dict(report.durations_s),
        "not_checked": [note.what for note in report.not_checked if note.question is None][:50],
    }


def _findings(report: ValidationReport) -> Iterator[FindingRow]:
    blocking = frozenset(report.blocking)
    for finding in report.findings:
        yield FindingRow(
            finding_id=finding.id,
            tier=str(finding.tier),
            severity=str(finding.severity),
            rule=finding.rule,
            file=shown(finding.file),
            message=finding.message,
            line=finding.line,
            end_line=finding.end_line,
            tool=finding.tool,
            is_introduced=finding.introduced,
            is_blocking=finding.id in blocking,
            confidence=finding.confidence,
        )


def _factors(report: ValidationReport) -> Iterator[FactorRow]:
    for one in report.risk.statements if report.risk else ():
        yield FactorRow(one.signal, one.level, one.text)


def _lines(report: ValidationReport) -> Iterator[ChangedLines]:
    for file in report.files:
        if file["nature"] not in ("lock", "generated", "vendored"):
            yield from _places(Side.base, file["base_path"] or file["path"], file["removed_lines"])
            yield from _places(Side.head, file["path"], file["added_lines"])


def _places(side: Side, path: str, ranges: Sequence[Sequence[int]]) -> Iterator[ChangedLines]:
    for first, last in ranges:
        yield ChangedLines(side, shown(path), first, last)
