"""`/assay accept ID reason`: waive a finding as accepted."""

from __future__ import annotations

from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.waiving import waive
from assay.github_app.store import WaiverKind


class Accept:
    """Command that waives a finding as accepted, for this pull request."""

    name = "accept"
    usage = "accept ID reason"
    about = "The finding is right and is accepted: it no longer blocks this pull request."

    def carry_out(self, request: CommandRequest) -> str:
        return waive(request, WaiverKind.accept, self.usage)
