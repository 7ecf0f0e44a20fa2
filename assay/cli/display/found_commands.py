"""Commands that Tier 1 would run, as lists that fit 80 columns."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli.display.drawing import one_line
from assay.validators import ChangeSet, ValidationConfig, explain


def show_tools(change: ChangeSet, config: ValidationConfig) -> None:
    """Print the commands of the head, the set-up steps, and the commands left out."""
    console = Console()
    explanation = explain(change.head, config, [file.path for file in change.files])
    if not explanation.tasks:
        console.print("No command was found. Add commands to `tier1.commands` (docs/configuration.md).", markup=False)
    else:
        tasks = (
            (
                f"{number}.",
                str(row.task.kind),
                row.task.line,
                "; ".join(
                    (
                        _found(row.task.found_in, row.task.directory),
                        *(f"CI starts {name} for it" for name in row.task.services),
                        f"read by {row.tool}",
                        row.gate,
                    )
                ),
            )
            for number, row in enumerate(explanation.tasks, 1)
        )
        _print_list(console, "Tier 1 would run", tasks)
    if explanation.setup:
        steps = (("-", "", step.line, _found(step.found_in, step.directory)) for step in explanation.setup)
        _print_list(console, "Set-up of a fresh checkout", steps)
    if explanation.left_out:
        left_out = (("-", "", one.line, f"from {one.found_in}; {one.why}") for one in explanation.left_out)
        _print_list(console, "Found, and left out", left_out)


def _found(where: str, directory: str) -> str:
    return f"from {where}" if directory == "." else f"from {where}, in {directory}"


def _print_list(console: Console, title: str, rows: Iterable[tuple[str, str, str, str]]) -> None:
    """Print rows of a number or dash, a kind ("" for none), a command and a remark below it."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for mark, kind, command, remark in rows:
        text = Text(f"{kind}  " if kind else "", style="dim")
        text.append(one_line(command), style="not dim bold")
        text.append(f"\n{one_line(remark)}", style="dim")
        table.add_row(mark, text)
    console.print(Text(title, style="bold"))
    console.print(table)
