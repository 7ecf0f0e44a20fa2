"""Reports to publish, made from the one the renderers are tested with."""

from __future__ import annotations

import dataclasses
from typing import Any

from assay.github.events.model import Person, PullFacts
from assay.github.publish import Publication, PublishPolicy, RunFacts, State, publication_of
from assay.validators.report.gravity import KINDS, Gravity
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Commit,
    Conclusion,
    Finding,
    QualityResult,
    RiskLevel,
    Severity,
    Statement,
    Tier,
    ValidationReport,
)
from assay.validators.report.statements import statements_of
from assay.validators.risk.level import levelled
from tests.validators.render.sample import replaced, sample

HEAD = "8fae4823c51b9d07e2f6a4b80c93d1e5f7a26b40"
RUN = RunFacts("assay:1:7:1")
APP = PublishPolicy(is_app=True, web_url="https://github.com/acme/shop")


def pull(number: int = 7, head: str = HEAD) -> PullFacts:
    """A pull request with nothing special about it."""
    return PullFacts(1, number, "A change", "", Person("ada"), head, "change", "2" * 40, "main")


def failing(head: str = HEAD, **changes: Any) -> ValidationReport:
    """One failing test, one blocking finding, medium risk."""
    return replaced(sample(), head=Commit(head, "change"), **changes)


def statement(signal: str, kind: str, text: str, **more: Any) -> Statement:
    """A statement of a signal, with the gravity of its kind."""
    return Statement(kind, text, signal=signal, gravity=KINDS[kind].gravity, **more)


def fine(head: str = HEAD, level: RiskLevel = RiskLevel.low, **changes: Any) -> ValidationReport:
    """Nothing blocks, nothing is found."""
    report = failing(head)
    assert report.risk is not None
    floor = statement("schema", "schema_destroyed", "drops a column", advice="keep the column")
    floors = () if level is RiskLevel.low else (dataclasses.replace(floor, gravity=Gravity(level)),)
    base: dict[str, Any] = {
        "conclusion": Conclusion.success,
        "title": f"{level.capitalize()} risk · tests pass · {'1 to review' if floors else 'nothing to fix'}",
        "blocking": (),
        "reasons": (),
        "tools": None,
        "quality": QualityResult(),
        "risk": levelled(dataclasses.replace(report.risk, likelihood=None, statements=floors)),
    }
    report = replaced(report, **(base | changes))
    said = statements_of(report.tools, report.quality, report.risk, report.blocking)
    return dataclasses.replace(report, statements=said)


def held(head: str = HEAD, **changes: Any) -> ValidationReport:
    """Critical, and otherwise fine."""
    return fine(
        head,
        RiskLevel.critical,
        **{
            "conclusion": Conclusion.action_required,
            "hold": True,
            "title": "Critical risk · tests pass · 1 to review · approval required",
            "reasons": ("critical risk, set by policy: approval required",),
            **changes,
        },
    )


def with_findings(findings: list[Finding], head: str = HEAD) -> ValidationReport:
    """Tier 2 found these; errors block."""
    found = identified(findings)
    blocking = tuple(one.id for one in found if one.severity is Severity.error and one.introduced)
    conclusion = Conclusion.failure if blocking else Conclusion.success
    return fine(head, conclusion=conclusion, quality=QualityResult(found), blocking=blocking)


def finding(number: int, severity: Severity = Severity.warning, **changes: Any) -> Finding:
    """A finding on a line of its own."""
    values: dict[str, Any] = {
        "tier": Tier.quality,
        "severity": severity,
        "rule": "complexity",
        "file": "src/uploads/client.py",
        "message": f"Function number {number} is complex",
        "line": number,
        "context": f"f{number}",
    }
    return Finding(**(values | changes))


def said(
    report: ValidationReport | None, policy: PublishPolicy = APP, state: State = State.final, **more: Any
) -> Publication:
    """What is said about it."""
    run = more.pop("run", RUN)
    head = report.head.sha if report else HEAD
    return publication_of(report, more.pop("pull", pull(head=head)), policy, more.pop("hold", None), state, run=run)
