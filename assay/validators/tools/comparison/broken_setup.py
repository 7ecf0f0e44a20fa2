"""The head's failed setup as a run of Tier 1: the change broke it, or the environment lets neither tree be prepared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.manifest_table import manifest_of
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Gate, Outcome, ToolKind, ToolRun
from assay.validators.tools.execution.environment import same_words, telling_line
from assay.validators.tools.execution.sides import Sides
from assay.validators.tools.tool import SetupStep

_SETUP = "setup"


def setup_run(sides: Sides, config: ValidationConfig, change: ChangeSet) -> tuple[ToolRun, ...]:
    """Return the head's failed setup, or nothing if it succeeded.

    The base is prepared too. If its setup succeeds, the change broke the head's, and that blocks. If both fail for the
    same cause, or in a step that the change cannot have broken, the environment is at fault and the commands could not
    run: parallel installers name whichever package failed first.
    """
    head = sides.head.prepared
    if head.ok or head.step is None:
        return ()
    run = ToolRun(
        name=_SETUP,
        kind=ToolKind.build,
        command=head.step.line,
        found_in=head.step.found_in,
        outcome=head.outcome,
        gate=config.tier1.gate,
        duration_s=round(head.duration_s, 3),
        reason=head.reason,
        excerpt=head.excerpt,
    )
    if head.outcome is Outcome.timed_out:
        return (replace(run, outcome=Outcome.infra_failed, base_outcome=Outcome.skipped),)
    if head.outcome not in (Outcome.failed, Outcome.infra_failed):
        return (run,)
    base = sides.base.prepared
    run = replace(run, base_outcome=base.outcome)
    is_lost = Outcome.infra_failed in (head.outcome, base.outcome)
    is_apart = head.step == base.step and not _touches_setup(change, head.step)
    is_alike = same_words([telling_line(head.excerpt)], [telling_line(base.excerpt)])
    if not base.ok and (is_lost or is_apart or is_alike):
        either = f"{head.reason}; the base cannot be prepared either"
        return (replace(run, outcome=Outcome.infra_failed, reason=either),)
    gating = config.tier1.gate is not Gate.informational and head.outcome is Outcome.failed
    why = "can be prepared" if base.ok else f"cannot be prepared for another cause ({base.reason})"
    return (replace(run, gating=gating, reason=f"{head.reason}; the base {why}"),)


def _touches_setup(change: ChangeSet, step: SetupStep) -> bool:
    """Return whether the change touches what may break a setup: manifests, lock files, and what the step names."""
    return any(
        manifest_of(file.path) is not None or PurePosixPath(file.path).name in step.line for file in change.files
    )
