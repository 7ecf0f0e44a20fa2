"""`/assay pause`: stop validating pushes to this pull request."""

from __future__ import annotations

from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.reports import open_only
from assay.github_app.store import EventKind

PAUSED = "New pushes are not validated until `/assay resume`."
ALREADY_PAUSED = "Assay is already paused here."


class Pause:
    """Command that stops validating further pushes, which get no Check Run, until `/assay resume`."""

    name = "pause"
    usage = "pause"
    about = "Stop validating pushes until `/assay resume`; a required check stays missing meanwhile."

    def carry_out(self, request: CommandRequest) -> str:
        open_only(request)
        store = request.context.store
        with store.together():
            is_new = store.pulls.pause(*request.place, request.by.login, request.at)
            if is_new:
                store.events.append(
                    EventKind.pull_paused, request.key, request.at, *request.place, data={"by": request.by.login}
                )
        return PAUSED if is_new else ALREADY_PAUSED
