"""Validate with fix cycles: pass failures to an agent's command, then run the failing tier again.

    tools, fixed and run again -> quality, fixed and checked again -> tools once more if quality was fixed -> risk

The agent edits the user's working tree; from then on the uncommitted work is validated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import UsageError
from assay.validators.policy.verdict import blocking_findings
from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.json import document
from assay.validators.report.model import QualityResult, Tier, ToolsResult, ValidationReport
from assay.validators.run.fix_cycles import Fixed, Handover, fix_cycles, tool_failures
from assay.validators.run.pipeline import Options, enabled, quality_options, report_on, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import WORKTREE, Repository
from assay.validators.vcs.worktree import snapshot

R = TypeVar("R", ToolsResult, QualityResult)


def validate_and_fix(
    repository: Repository, change: ChangeSet, config: ValidationConfig, options: Options, command: str
) -> ValidationReport:
    """Validate a change, passing failures to `command` at most `maxFixCyclesPerTier` times per tier.

    Raises `UsageError` if the head is not checked out in the working tree: the agent could not fix it there.
    """
    _check_place(repository, change)
    session = _FixSession(repository, change, config, options, command)
    tools, quality = session.tools(), session.quality()
    if tools is not None and quality is not None and quality.num_fix_cycles:
        # A fix of the quality may have broken a test.
        tools = replace(session.run_tools(), num_fix_cycles=tools.num_fix_cycles, not_checked=tools.not_checked)
    finished: Callable[..., ToolsResult] = lambda *_, **__: tools or ToolsResult()  # noqa: E731 - both ways to run
    done = replace(
        options,
        run_tools=finished,
        run_scanners=finished,
        check_quality=lambda *_, **__: quality or QualityResult(),
    )
    return validate(session.change, config, done)


def _check_place(repository: Repository, change: ChangeSet) -> None:
    if repository.is_bare:
        raise UsageError("--fix-with: a bare repository has no working tree to fix")
    if not change.head_is_worktree and repository.resolve("HEAD") != change.head_sha:
        raise UsageError(
            f"--fix-with: {change.head_name} is not checked out here; check it out, or use --head {WORKTREE}",
            code="fix.not-checked-out",
        )
    if change.merge_base == repository.empty_tree():
        raise UsageError("--fix-with: a first commit has no base to compare the fixes with")
    if change.head_is_worktree:
        return
    in_tree, in_head = (
        snapshot(repository),
        repository.good("rev-parse", f"{change.head_sha}^{{tree}}").decode().strip(),
    )
    if in_tree != in_head:
        raise UsageError(f"--fix-with: there is uncommitted work; commit it, or use --head {WORKTREE}")


@dataclass
class _FixSession:
    """Current change of the fix cycles, and the tiers that check it."""

    repository: Repository
    change: ChangeSet
    config: ValidationConfig
    options: Options
    command: str

    def run_tools(self) -> ToolsResult:
        return self.options.run_tier1(self.change, self.config, progress=self.options.progress)

    def tools(self) -> ToolsResult | None:
        """Return Tier 1 after its fix cycles, or None if it is off."""
        return self._fixed(Tier.tools, self.run_tools, lambda result: (result, None, None), tool_failures)

    def quality(self) -> QualityResult | None:
        """Return Tier 2 after its fix cycles, or None if it is off."""

        def check() -> QualityResult:
            return self.options.check_quality(self.change, self.config, **quality_options(self.options))

        def failures(result: QualityResult) -> frozenset[str]:
            return frozenset(finding.id for finding in blocking_findings(self.config, result))

        return self._fixed(Tier.quality, check, lambda result: (None, result, None), failures)

    def _fixed(
        self,
        tier: Tier,
        run_tier: Callable[[], R],
        tiers: Callable[[R], tuple[ToolsResult | None, QualityResult | None, None]],
        failures: Callable[[R], frozenset[str]],
    ) -> R | None:
        """Return a tier's result after its fix cycles; `tiers` gives it the place it has in a report."""
        if not enabled(self.config)[tier] or not (tier is Tier.tools or tier in self.options.tiers):
            return None

        def hand_over(result: R) -> Handover:
            report = report_on(self.change, self.config, tiers(result))
            return Handover(failures(result), fix_prompt(report), _as_data(report, tier))

        def again() -> R:
            edited = read_change(self.repository, self.change.base_sha, WORKTREE)
            self.change = replace(edited, inherited=self.change.inherited)
            return run_tier()

        fixed: Fixed[R] = fix_cycles(
            run_tier(),
            again,
            hand_over,
            self.command,
            root=self.repository.root,
            most=self.config.max_fix_cycles_per_tier,
        )
        notes = (*fixed.result.not_checked, *fixed.notes)
        return replace(fixed.result, num_fix_cycles=fixed.num_cycles, not_checked=notes)


def _as_data(report: ValidationReport, tier: Tier) -> list[dict[str, Any]]:
    """Return what blocks, in the JSON report's form: failing commands and what tools found, or findings of Tier 2."""
    data = document(report)["tiers"][tier.name]
    runs = [run for run in data.get("runs", ()) if run["name"] in report.blocking]
    return [*runs, *(one for one in data["findings"] if tier is Tier.tools or one["id"] in report.blocking)]
