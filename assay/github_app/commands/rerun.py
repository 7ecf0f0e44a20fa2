"""`/assay rerun`: judge the head once more."""

from __future__ import annotations

from assay.github.authority import Act, who
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked
from assay.github_app.commands.permitting import may
from assay.github_app.commands.reports import open_only
from assay.validators import as_code


class Rerun:
    """Has the present head judged again; one that is being judged goes on."""

    name = "rerun"
    usage = "rerun"
    about = "Judge the last commit once more."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        row = asked.context.store.pulls.get(*asked.place)
        if row is not None and row.is_paused:
            by = "`/assay resume`" if may(Act.resume, asked) else f"`/assay resume` by {who(Act.resume)}"
            raise CommandRefused(f"Assay is paused here; {by} lets it go on.")
        head = asked.pull.head_sha
        run = asked.context.ask_validation(
            *asked.place, head, "command", request_key=f"{asked.key}:rerun", is_again=True
        )
        if run.request_key != f"{asked.key}:rerun":
            return f"{as_code(head[:12])} is being judged already."
        return f"{as_code(head[:12])} is judged once more."
