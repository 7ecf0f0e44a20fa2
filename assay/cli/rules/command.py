"""`assay rules`: what reviewers keep saying, as rules. One file for each of its commands."""

from __future__ import annotations

import click

from assay.cli.in_order import InOrder
from assay.cli.rules.compare import compare_command
from assay.cli.rules.exchange import export_command, import_command
from assay.cli.rules.life import accept_command, list_command, purge_command, reject_command, show_command
from assay.cli.rules.mine import mine_command


@click.group("rules", cls=InOrder)
def rules_command() -> None:
    """Look after the rules that reviewers' comments became, and compare comments with each other."""


_COMMANDS: tuple[click.Command, ...] = (
    list_command,
    show_command,
    accept_command,
    reject_command,
    purge_command,
    export_command,
    import_command,
    compare_command,
    mine_command,
)

for _command in _COMMANDS:
    rules_command.add_command(_command)
