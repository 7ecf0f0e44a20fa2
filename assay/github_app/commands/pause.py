"""`/assay pause`: judge no further push to this pull request."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.reports import open_only
from assay.github_app.store import EventKind


class Pause:
    """Further pushes are not judged, and so get no Check Run, until somebody resumes."""

    name = "pause"
    usage = "pause"
    about = "Judge no further push here until `/assay resume`; where the check is required, it stays missing."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        store = asked.context.store
        with store.together():
            is_new = store.pulls.pause(*asked.place, asked.by.login, asked.at)
            if is_new:
                store.events.append(
                    EventKind.pull_paused, asked.key, asked.at, *asked.place, data={"by": asked.by.login}
                )
        return "New pushes are not judged until `/assay resume`." if is_new else "Assay is paused here already."
