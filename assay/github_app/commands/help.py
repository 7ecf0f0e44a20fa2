"""`/assay help`: what there is to say."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.authority import Act, who
from assay.github_app.commands.command import Asked, Command


class Help:
    """Lists the commands and who may give them."""

    name = "help"
    usage = "help"
    about = "Show this list."

    def __init__(self, others: Sequence[Command]) -> None:
        self._commands = (*others, self)

    def carry_out(self, asked: Asked) -> str:  # noqa: ARG002 - the answer is the same for everybody
        rows = [f"| `/assay {one.usage}` | {one.about} | {_who(one.name)} |" for one in self._commands]
        return "\n".join(
            (
                "A comment that begins with one of these lines is carried out, each line in turn.",
                "",
                "| command | what it does | who |",
                "|---|---|---|",
                *rows,
            )
        )


def _who(command: str) -> str:
    acts = [act for act in Act if act.split()[0] == command]
    return "; ".join(dict.fromkeys(who(act) for act in acts))
