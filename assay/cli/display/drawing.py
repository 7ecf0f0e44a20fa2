"""Progress on a terminal: tier, step and time. Without a terminal nothing is printed."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.progress import Progress as RichProgress
from rich.progress import SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from assay.validators import Tier, shown

NAMES = {Tier.tools: "tools", Tier.quality: "quality", Tier.risk: "risk"}
_MARKS = {"passed": "green", "failed": "red", "timed_out": "red", "infra_failed": "red", "inert": "yellow"}


class Terminal(Console):
    """Console that raises on a closed pipe, where rich exits with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Drawn:
    """Progress on standard error during a validation; a context manager.

    The steps are gone at the end, unless it `keeps_steps`: a line for each with its result and duration.
    """

    def __init__(self, console: Console | None = None, *, keeps_steps: bool = False) -> None:
        self._console = console or Console(stderr=True)
        self._keeps_steps = keeps_steps
        self._bars = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.fields[tier]:<8}"),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._running: dict[tuple[Tier, str], tuple[TaskID, float]] = {}

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._bars.stop()

    def began(self, tier: Tier, what: str) -> None:
        """Add a line with a running clock."""
        task = self._bars.add_task(one_line(what)[:100], tier=NAMES[tier], total=None)
        self._running[tier, what] = (task, time.monotonic())

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Remove the running line, or replace it by its result and duration."""
        task, began = self._running.pop((tier, what), (None, time.monotonic()))
        if task is not None:
            self._bars.remove_task(task)
        if self._keeps_steps and self._console.is_terminal:
            line = Text(f"  {NAMES[tier]:<8}")
            line.append(one_line(what)[:100])
            line.append(f"  {one_line(how)}", style=_MARKS.get(how, "dim"))
            line.append(f"  {time.monotonic() - began:.1f} s", style="dim")
            self._console.print(line)


def one_line(text: str) -> str:
    """Return one line without terminal escapes."""
    line = " ".join(text.split())
    return line if line.isprintable() else shown(line)
