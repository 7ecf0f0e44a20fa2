"""`/assay help`: what there is to say."""

from __future__ import annotations

from assay.github_app.authority import Act, who
from assay.github_app.commands.command import Asked


class Help:
    """Lists the commands and who may give them."""

    name = "help"
    usage = "help"
    about = "Show this list."

    def carry_out(self, asked: Asked) -> str:  # noqa: ARG002 - the answer is the same for everybody
        from assay.github_app.commands import COMMANDS

        rows = [f"| `/assay {one.usage}` | {one.about} | {_who(one.name)} |" for one in COMMANDS]
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
