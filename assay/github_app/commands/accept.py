"""`/assay accept ID reason`: the finding is right, and the change may have it."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.waiving import waive
from assay.github_app.store import WaiverKind


class Accept:
    """Takes a finding upon oneself; in this pull request it blocks no more."""

    name = "accept"
    usage = "accept ID reason"
    about = "The finding is right and is accepted: it no longer blocks this pull request."

    def carry_out(self, asked: Asked) -> str:
        return waive(asked, WaiverKind.accept, self.usage)
