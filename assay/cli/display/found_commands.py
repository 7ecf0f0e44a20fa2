"""Commands that Tier 1 would run, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.validators import ChangeSet, ValidationConfig, explain, shown


def show_tools(change: ChangeSet, config: ValidationConfig, console: Console | None = None) -> None:
    """Print the commands of the head, the set-up steps, and the commands left out."""
    console = console or Console()
    explanation = explain(change.head, config, [file.path for file in change.files])
    if not explanation.tasks:
        console.print("No command was found. Add commands to `tier1.commands` (docs/configuration.md).", markup=False)
    else:
        tasks = [
            (str(number), row.task.kind, row.task.line, row.task.directory, row.task.found_in, row.tool, row.gate)
            for number, row in enumerate(explanation.tasks, 1)
        ]
        columns = ("", "kind", "command", "in", "found in", "read by", "gate")
        console.print(_table("Tier 1 would run", columns, tasks))
    if explanation.setup:
        steps = [(step.line, step.directory, step.found_in) for step in explanation.setup]
        console.print(_table("Set-up of a fresh checkout", ("command", "in", "found in"), steps))
    if explanation.left_out:
        rows = [(left.line, left.found_in, left.why) for left in explanation.left_out]
        console.print(_table("Found, and left out", ("command", "found in", "because"), rows))


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*[Text(_plain(cell)) for cell in row])
    return table


def _plain(cell: str) -> str:
    """Return one line without terminal escapes."""
    line = " ".join(cell.split())
    return line if line.isprintable() else shown(line)
