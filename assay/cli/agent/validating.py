"""Validation of a change in a local repository, for an agent that is still working on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel, Field

from assay.coded_error import CodedError
from assay.validators import (
    STATEMENT_KINDS,
    WORKTREE,
    Finding,
    Inherited,
    LearnedRule,
    Options,
    Repository,
    Statement,
    Tier,
    ValidationReport,
    ValidatorError,
    as_visible,
    change_between,
    known_names,
    load_configuration,
    not_checked_lines,
    validate,
)

MOST_FINDINGS = 50
MOST_TEXT = 600
MOST_NOTES = 30
MOST_STATEMENTS = 20


class CannotValidate(CodedError):
    """Change that cannot be validated now; `str()` is one line for the agent."""


class ChangeFinding(BaseModel):
    """Finding of a report."""

    id: str
    severity: str
    rule: str
    file: str
    line: int | None = None
    message: str
    suggestion: str | None = None


class ChangeReport(BaseModel):
    """Summary of a report."""

    conclusion: str = Field(description="success, neutral, failure or action_required.")
    title: str
    risk: str | None = Field(None, description="low, medium, high or critical; null if not assessed.")
    risk_set_by: list[str] = Field(default_factory=list, description="likelihood, policy, both, or none if low.")
    risk_reasons: list[str] = Field(default_factory=list, description="Statements on the risk, the gravest first.")
    hold: bool = Field(False, description="The change requires a person's approval.")
    findings: list[ChangeFinding] = Field(default_factory=list)
    num_findings_left_out: int = 0
    not_checked: list[str] = Field(default_factory=list, description="What was not checked, and why.")


@dataclass(frozen=True)
class LocalValidation:
    """Validator of changes in one repository, one at a time.

    `may_run_tools` permits running its commands; `inherited` reads the files that its configuration builds on.
    """

    repository: Path | None
    may_run_tools: bool = True
    inherited: Callable[[], Inherited] = Inherited
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def validate(
        self, base: str | None, head: str | None, run_tools: bool, learned_rules: Sequence[LearnedRule] = ()
    ) -> ChangeReport:
        """Validate the working tree or a revision. Raises `CannotValidate`."""
        if self.repository is None:
            raise CannotValidate("no repository: start `assay mcp` inside one, or name it", code="mcp.no-repository")
        if run_tools and not self.may_run_tools:
            raise CannotValidate(
                "this server does not run the repository's commands; call it without run_tools", code="mcp.no-tools"
            )
        tiers = tuple(Tier) if run_tools else (Tier.quality, Tier.risk)
        with self._one_at_a_time:
            try:
                return summarized(self._report(self.repository, base, head or WORKTREE, tiers, learned_rules))
            except ValidatorError as error:
                raise CannotValidate(as_visible(str(error), MOST_TEXT)) from None

    def _report(
        self, path: Path, base: str | None, head: str, tiers: Sequence[Tier], learned_rules: Sequence[LearnedRule]
    ) -> ValidationReport:
        with Repository(path) as repository:
            change = replace(change_between(repository, base, head), inherited=self.inherited())
            loaded = load_configuration(change.in_force, known_names(), change.inherited)
            options = Options(tiers=tiers, notes=loaded.notes, sources=loaded.sources, learned_rules=learned_rules)
            return validate(change, loaded.config, options)


def summarized(report: ValidationReport) -> ChangeReport:
    """Summarize a report within limits, with untrusted text escaped."""
    findings = [
        *(report.tools.findings if report.tools is not None else ()),
        *(report.quality.findings if report.quality is not None else ()),
    ]
    findings.sort(key=lambda finding: -finding.severity.rank)
    risk = report.risk
    return ChangeReport(
        conclusion=str(report.conclusion),
        title=as_visible(report.title, MOST_TEXT),
        risk=None if risk is None or risk.level is None else str(risk.level),
        risk_set_by=[] if risk is None else [*risk.set_by],
        risk_reasons=[] if risk is None else [_reason(one) for one in risk.statements[:MOST_STATEMENTS]],
        hold=report.hold,
        findings=[_found(finding) for finding in findings[:MOST_FINDINGS]],
        num_findings_left_out=max(0, len(findings) - MOST_FINDINGS),
        not_checked=[
            as_visible(f"{what}: {why}", MOST_TEXT) for what, why in not_checked_lines(report.not_checked)[:MOST_NOTES]
        ],
    )


def _reason(said: Statement) -> str:
    at = f"{said.file}:{said.line}: " if said.file and said.line else f"{said.file}: " if said.file else ""
    return as_visible(f"{at}{STATEMENT_KINDS[said.kind].label}: {said.text}", MOST_TEXT)


def _found(finding: Finding) -> ChangeFinding:
    return ChangeFinding(
        id=finding.id,
        severity=str(finding.severity),
        rule=as_visible(finding.rule, MOST_TEXT),
        file=as_visible(finding.file, MOST_TEXT),
        line=finding.line,
        message=as_visible(finding.message, MOST_TEXT),
        suggestion=None if finding.suggestion is None else as_visible(finding.suggestion, MOST_TEXT),
    )
