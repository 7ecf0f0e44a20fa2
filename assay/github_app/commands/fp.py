"""`/assay fp ID reason`: waive a finding as a false positive."""

from __future__ import annotations

from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.waiving import waive
from assay.github_app.store import WaiverKind


class FalsePositive:
    """Command that waives a finding as a false positive, for this pull request."""

    name = "fp"
    usage = "fp ID reason"
    about = "The finding is wrong: it no longer blocks this pull request."

    def carry_out(self, request: CommandRequest) -> str:
        return waive(request, WaiverKind.fp, self.usage)
