"""`/assay help`: list the commands."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.authority import Act, who
from assay.github_app.commands.command import Command, CommandRequest


class Help:
    """Command that lists the commands and who may use them."""

    name = "help"
    usage = "help"
    about = "Show this list."

    def __init__(self, others: Sequence[Command]) -> None:
        self._commands = (*others, self)

    def carry_out(self, request: CommandRequest) -> str:  # noqa: ARG002 - the reply is the same for all users
        rows = [f"| `/assay {one.usage}` | {one.about} | {_who(one.name)} |" for one in self._commands]
        return "\n".join(
            (
                "Start a comment with one or more of these lines:",
                "",
                "| command | what it does | who |",
                "|---|---|---|",
                *rows,
            )
        )


def _who(command: str) -> str:
    acts = [act for act in Act if act.split()[0] == command]
    return "; ".join(dict.fromkeys(who(act) for act in acts))
