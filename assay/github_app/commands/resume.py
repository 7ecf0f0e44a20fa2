"""`/assay resume`: end a pause."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.reports import open_only
from assay.github_app.store import EventKind
from assay.validators import as_code


class Resume:
    """Command that ends a pause and validates the current head."""

    name = "resume"
    usage = "resume"
    about = "End the pause, and validate a push that came meanwhile."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        store = asked.context.store
        with store.together():
            was_paused = store.pulls.resume(*asked.place)
            if was_paused:
                store.events.append(
                    EventKind.pull_resumed, asked.key, asked.at, *asked.place, data={"by": asked.by.login}
                )
        head = asked.pull.head_sha
        asked.context.ask_validation(*asked.place, head, "command", request_key=f"{asked.key}:resume")
        if not was_paused:
            return "Assay is not paused here."
        return f"Assay validates this pull request again, beginning with {as_code(head[:12])}."
