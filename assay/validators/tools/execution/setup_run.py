"""Report entry for a tree whose setup failed.

If the base's setup succeeds and the head's fails, the change broke it, and that blocks. If both fail for the same
cause, the environment is at fault and the commands could not run.
"""

from __future__ import annotations

from dataclasses import replace

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Gate, Outcome, ToolKind, ToolRun
from assay.validators.tools.execution.environment import same_words, telling_line
from assay.validators.tools.execution.sides import Sides

NAME = "setup"


def setup_run(sides: Sides, config: ValidationConfig) -> tuple[ToolRun, ...]:
    """Return the head's failed setup, [] if it succeeded; the base is prepared too, to compare with."""
    head = sides.made("head").prepared
    if head.ok or head.step is None:
        return ()
    run = ToolRun(
        name=NAME,
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
    base = sides.base().prepared
    run = replace(run, base_outcome=base.outcome)
    if base.ok:
        gating = config.tier1.gate is not Gate.informational and head.outcome is Outcome.failed
        return (replace(run, gating=gating, reason=f"{head.reason}; the base can be prepared"),)
    is_lost = Outcome.infra_failed in (head.outcome, base.outcome)
    if is_lost or same_words([telling_line(head.excerpt)], [telling_line(base.excerpt)]):
        either = f"{head.reason}; the base cannot be prepared either"
        return (replace(run, outcome=Outcome.infra_failed, reason=either),)
    gating = config.tier1.gate is not Gate.informational
    why = f"{head.reason}; the base cannot be prepared for another cause ({base.reason})"
    return (replace(run, gating=gating, reason=why),)
