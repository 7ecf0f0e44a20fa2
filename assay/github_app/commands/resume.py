"""`/assay resume`: judge this pull request again."""

from __future__ import annotations

from assay.github_app.commands.command import Asked
from assay.github_app.commands.reports import open_only
from assay.github_app.store import EventKind
from assay.validators import as_code


class Resume:
    """Ends a pause; a head that came meanwhile is judged."""

    name = "resume"
    usage = "resume"
    about = "Judge this pull request again; a push that came meanwhile is looked at now."

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
        return f"Assay looks at this pull request again, beginning with {as_code(head[:12])}."
