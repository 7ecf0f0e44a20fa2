"""`/assay help`: what there is to say."""

from __future__ import annotations

from assay.github_app.commands.command import Asked, Who


class Help:
    """Lists the commands and who may give them."""

    name = "help"
    usage = "help"
    about = "Show this list."
    who = Who.author_too

    def carry_out(self, asked: Asked) -> str:  # noqa: ARG002 - the answer is the same for everybody
        from assay.github_app.commands import COMMANDS

        rows = [f"| `/assay {one.usage}` | {one.about} | {_WHO[one.who]} |" for one in COMMANDS]
        return "\n".join(
            (
                "A comment that begins with one of these lines is carried out, each line in turn.",
                "",
                "| command | what it does | who |",
                "|---|---|---|",
                *rows,
            )
        )


_WHO = {Who.writers: "write permission", Who.author_too: "write permission, or the author"}
