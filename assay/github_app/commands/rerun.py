"""`/assay rerun`: validate the head again."""

from __future__ import annotations

from assay.github.authority import Act, who
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.permitting import may
from assay.github_app.commands.request.reports import open_only
from assay.validators import as_code

VALIDATED_AGAIN = "is validated again."
BEING_VALIDATED = "is already being validated."


class Rerun:
    """Command that validates the current head again; a running validation continues."""

    name = "rerun"
    usage = "rerun"
    about = "Validate the last commit again."

    def carry_out(self, request: CommandRequest) -> str:
        open_only(request)
        row = request.context.store.pulls.get(*request.place)
        if row is not None and row.is_paused:
            by = "`/assay resume`" if may(Act.resume, request) else f"`/assay resume` by {who(Act.resume)}"
            raise CommandRefused(f"Assay is paused here; {by} ends the pause.")
        head = request.pull.head_sha
        run = request.context.ask_validation(
            *request.place, head, "command", request_key=f"{request.key}:rerun", is_again=True
        )
        if run.request_key != f"{request.key}:rerun":
            return f"{as_code(head[:12])} {BEING_VALIDATED}"
        return f"{as_code(head[:12])} {VALIDATED_AGAIN}"
