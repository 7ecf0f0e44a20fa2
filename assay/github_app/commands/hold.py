"""`/assay hold`: hold the head until another user releases it."""

from __future__ import annotations

from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.grammar import reason_in
from assay.github_app.commands.request.reports import open_only, refresh, report_of_head
from assay.github_app.runs.holds import hold_by_hand
from assay.validators import as_code

HELD = "is held until a user who did not make it comments `/assay release reason`."


class Hold:
    """Command that holds the current head and later ones until a user releases them."""

    name = "hold"
    usage = "hold [reason]"
    about = "Hold this pull request until another user releases it; a new push is held again."

    def carry_out(self, request: CommandRequest) -> str:
        open_only(request)
        reason = reason_in(request.text)
        head = request.pull.head_sha
        hold_by_hand(
            request.context.store, report_of_head(request), (*request.place, head), request.by.login, reason, request.at
        )
        refresh(request)
        return f"{as_code(head[:12])} {HELD}"
