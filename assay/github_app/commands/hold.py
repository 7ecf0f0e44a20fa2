"""`/assay hold`: a person holds the head."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.reasons import reason_in
from assay.github_app.commands.reports import open_only, refresh, report_of_head
from assay.github_app.runs.holds import hold_by_hand
from assay.validators import as_code


class Hold:
    """Holds the present head, and the next ones after it, until somebody releases them."""

    name = "hold"
    usage = "hold [reason]"
    about = "Hold this pull request until somebody else releases it; a new push is held again."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        reason = reason_in(asked.text)
        head = asked.pull.head_sha
        hold_by_hand(asked.context.store, report_of_head(asked), (*asked.place, head), asked.by.login, reason, asked.at)
        refresh(asked)
        return f"{as_code(head[:12])} is held until somebody who did not make it says `/assay release reason`."
