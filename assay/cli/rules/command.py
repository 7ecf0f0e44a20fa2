"""The command group `assay rules`."""

from __future__ import annotations

import click

from assay.cli.display.in_order import InOrder
from assay.cli.rules.add import add_command
from assay.cli.rules.exchange import export_command, import_command
from assay.cli.rules.life import (
    accept_command,
    join_command,
    list_command,
    purge_command,
    reject_command,
    show_command,
)
from assay.cli.rules.mine import mine_command

COMMANDS = (
    add_command,
    list_command,
    show_command,
    accept_command,
    join_command,
    reject_command,
    purge_command,
    export_command,
    import_command,
    mine_command,
)


@click.group("rules", cls=InOrder, commands=COMMANDS)
def rules_command() -> None:
    """Manage rules learned from review comments."""
