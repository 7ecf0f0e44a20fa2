"""Table of `COMMANDS`, in the order of `/assay help`."""

from __future__ import annotations

from assay.github.authority import Act, who
from assay.github_app.commands import acts
from assay.github_app.commands.command import Command, CommandRequest
from assay.github_app.commands.explain import explain
from assay.github_app.commands.rule import rule


def _help(_: CommandRequest) -> str:
    """List the commands, and who may use them."""
    rows = [f"| `/assay {one.usage}` | {one.about} | {_who(one.name)} |" for one in COMMANDS]
    head = ["Start a comment with one or more of these lines:", "", "| command | what it does | who |", "|---|---|---|"]
    return "\n".join([*head, *rows])


def _who(command: str) -> str:
    found = [act for act in Act if act.split()[0] == command]
    return "; ".join(dict.fromkeys(who(act) for act in found))


COMMANDS: tuple[Command, ...] = (
    Command("rerun", "rerun", "Validate the last commit again.", acts.rerun),
    Command(
        "explain",
        "explain [ID]",
        "Details of a finding (by its id) or a risk signal (by its name); without either, a list.",
        explain,
    ),
    Command("fp", "fp ID reason", "The finding is wrong: it no longer blocks this pull request.", acts.fp),
    Command(
        "accept",
        "accept ID reason",
        "The finding is right and is accepted: it no longer blocks this pull request.",
        acts.accept,
    ),
    Command(
        "hold",
        "hold [reason]",
        "Hold this pull request until another user releases it; a new push is held again.",
        acts.hold,
    ),
    Command(
        "release",
        "release reason",
        "Release the hold of the last commit; for critical risk the reason names what is accepted.",
        acts.release,
    ),
    Command(
        "pause",
        "pause",
        "Stop validating pushes until `/assay resume`; a required check stays missing meanwhile.",
        acts.pause,
    ),
    Command("resume", "resume", "End the pause, and validate a push that came meanwhile.", acts.resume),
    Command(
        "rule",
        "rule list, show ID, accept ID, join ID INTO [reason], reject ID [reason], purge ID, publish",
        "The rules learned from reviews: list them, show one; for maintainers: accept, reject, or purge one, or join "
        "one into another that says the same; publish: update the block in AGENTS.md and other instruction files.",
        rule,
    ),
    Command("help", "help", "Show this list.", _help),
)
