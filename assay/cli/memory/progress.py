"""Progress bars of an evaluation, on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

Draw = Callable[[str, int, int], None]
"""Called with the phase, the number done and the total."""


@contextmanager
def drawing(prefix: str = "") -> Iterator[Draw]:
    """Show a bar per phase on standard error; yield what draws it."""
    console = Console(stderr=True)
    bars = RichProgress(
        TextColumn("{task.description:<24}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}

    def draw(phase: str, num_done: int, num_all: int) -> None:
        if bars.disable:
            return
        if phase not in tasks:
            tasks[phase] = bars.add_task(f"{prefix}{phase}", total=num_all)
        bars.update(tasks[phase], completed=num_done, total=num_all)

    with bars:
        yield draw
