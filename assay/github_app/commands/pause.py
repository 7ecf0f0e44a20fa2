"""`/assay pause`: stop validating pushes to this pull request."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.reports import open_only
from assay.github_app.store import EventKind


class Pause:
    """Command that stops validating further pushes, which get no Check Run, until `/assay resume`."""

    name = "pause"
    usage = "pause"
    about = "Stop validating pushes until `/assay resume`; a required check stays missing meanwhile."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        store = asked.context.store
        with store.together():
            is_new = store.pulls.pause(*asked.place, asked.by.login, asked.at)
            if is_new:
                store.events.append(
                    EventKind.pull_paused, asked.key, asked.at, *asked.place, data={"by": asked.by.login}
                )
        return "New pushes are not validated until `/assay resume`." if is_new else "Assay is already paused here."
