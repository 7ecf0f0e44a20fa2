"""Reports to publish, made from the one the renderers are tested with."""

from __future__ import annotations

import dataclasses
from typing import Any

from assay.github.events.model import Person, PullFacts
from assay.github.publish import Publication, PublishPolicy, RunFacts, State, publication_of
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Commit,
    Conclusion,
    Finding,
    QualityResult,
    RiskFactor,
    RiskLevel,
    Severity,
    Tier,
    ValidationReport,
)
from assay.validators.risk.level import levelled
from tests.validators.render.sample import sample

HEAD = "8fae4823c51b9d07e2f6a4b80c93d1e5f7a26b40"
RUN = RunFacts("assay:1:7:1")
APP = PublishPolicy(is_app=True, web_url="https://github.com/acme/shop")


def pull(number: int = 7, head: str = HEAD) -> PullFacts:
    """A pull request with nothing special about it."""
    return PullFacts(1, number, "A change", "", Person("ada"), head, "change", "2" * 40, "main")


def failing(head: str = HEAD, **changes: Any) -> ValidationReport:
    """One failing test, one blocking finding, medium risk."""
    return dataclasses.replace(sample(), head=Commit(head, "change"), **changes)


def fine(head: str = HEAD, level: RiskLevel = RiskLevel.low, **changes: Any) -> ValidationReport:
    """Nothing blocks, nothing is found."""
    report = failing(head)
    assert report.risk is not None
    floor = RiskFactor("schema", level, f"{level} because it drops a column", would_lower="keep the column")
    factors = () if level is RiskLevel.low else (floor,)
    base: dict[str, Any] = {
        "conclusion": Conclusion.success,
        "title": f"{level.capitalize()} risk · tests pass · nothing to fix",
        "blocking": (),
        "reasons": (),
        "tools": None,
        "quality": QualityResult(),
        "risk": levelled(dataclasses.replace(report.risk, likelihood=None, factors=factors)),
    }
    return dataclasses.replace(report, **(base | changes))


def held(head: str = HEAD, **changes: Any) -> ValidationReport:
    """Critical, and otherwise fine."""
    return fine(
        head,
        RiskLevel.critical,
        **{
            "conclusion": Conclusion.action_required,
            "hold": True,
            "title": "Critical risk · tests pass · nothing to fix · approval required",
            "reasons": ("critical risk: approval required",),
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
