"""`/assay rerun`: validate the head again."""

from __future__ import annotations

from assay.github.authority import Act, who
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked
from assay.github_app.commands.permitting import may
from assay.github_app.commands.reports import open_only
from assay.validators import as_code


class Rerun:
    """Command that validates the current head again; a running validation continues."""

    name = "rerun"
    usage = "rerun"
    about = "Validate the last commit again."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        row = asked.context.store.pulls.get(*asked.place)
        if row is not None and row.is_paused:
            by = "`/assay resume`" if may(Act.resume, asked) else f"`/assay resume` by {who(Act.resume)}"
            raise CommandRefused(f"Assay is paused here; {by} ends the pause.")
        head = asked.pull.head_sha
        run = asked.context.ask_validation(
            *asked.place, head, "command", request_key=f"{asked.key}:rerun", is_again=True
        )
        if run.request_key != f"{asked.key}:rerun":
            return f"{as_code(head[:12])} is already being validated."
        return f"{as_code(head[:12])} is validated again."
