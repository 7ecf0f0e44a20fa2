"""`/assay fp ID reason`: the finding is wrong."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.waiving import waive
from assay.github_app.store import WaiverKind


class FalsePositive:
    """Says that a finding is no fault; in this pull request it blocks no more."""

    name = "fp"
    usage = "fp ID reason"
    about = "The finding is wrong: it no longer blocks this pull request."

    def carry_out(self, asked: Asked) -> str:
        return waive(asked, WaiverKind.fp, self.usage)
