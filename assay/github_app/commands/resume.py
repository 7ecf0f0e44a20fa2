"""`/assay resume`: end a pause."""

from __future__ import annotations

from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.reports import open_only
from assay.github_app.store import EventKind
from assay.validators import as_code


class Resume:
    """Command that ends a pause and validates the current head."""

    name = "resume"
    usage = "resume"
    about = "End the pause, and validate a push that came meanwhile."

    def carry_out(self, request: CommandRequest) -> str:
        open_only(request)
        store = request.context.store
        with store.together():
            was_paused = store.pulls.resume(*request.place)
            if was_paused:
                store.events.append(
                    EventKind.pull_resumed, request.key, request.at, *request.place, data={"by": request.by.login}
                )
        head = request.pull.head_sha
        request.context.ask_validation(*request.place, head, "command", request_key=f"{request.key}:resume")
        if not was_paused:
            return "Assay is not paused here."
        return f"Assay validates this pull request again, beginning with {as_code(head[:12])}."
