"""The command `assay doctor`: a check of the App's setup."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli.app.store import DATA_DIR, FORMAT, settings_at
from assay.github_app.ops.doctor import Line, State, examine

_MARKS = {State.fine: ("✔", "green"), State.doubtful: ("▲", "yellow"), State.broken: ("✖", "bold red")}


@click.command("doctor")
@DATA_DIR
@FORMAT
def doctor_command(data_dir: Path | None, format_: str) -> int:
    """Check the GitHub App's setup.

    It checks Python, credentials, permissions, events, webhook, deliveries, databases, disk, programs and clock, and
    changes nothing. Exit code: 0 no problem, 1 a check failed, 2 invalid settings.
    """
    settings = settings_at(data_dir)
    console = Console()
    if format_ == "json":
        lines = list(examine(settings))
        click.echo(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        with Console(stderr=True).status("Checking …"):
            lines = list(examine(settings))
        console.print(_table(lines))
    broken = sum(line.state is State.broken for line in lines)
    if format_ == "table":
        console.print(_verdict(broken, sum(line.state is State.doubtful for line in lines)))
    return 1 if broken else 0


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for line in lines:
        mark, style = _MARKS.get(line.state, ("·", "dim"))
        said = Text(line.what)
        if line.fix:
            said.append(f"\n→ {line.fix}", style="cyan")
        table.add_row(Text(mark, style=style), Text(line.about), said)
    return table


def _verdict(num_broken: int, num_doubtful: int) -> Text:
    if num_broken:
        return Text(f"\n{num_broken} broken: the App cannot work.", style="bold red")
    if num_doubtful:
        return Text(f"\nThe App can work; {num_doubtful} to review.", style="yellow")
    return Text("\nThe App can work.", style="green")
