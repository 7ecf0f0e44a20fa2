"""How far an examination is, on a terminal; nothing where nobody is looking."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress


class Drawn:
    """A bar for each phase on standard error; a context manager, called with (phase, done, of how many)."""

    def __init__(self, console: Console | None = None, prefix: str = "") -> None:
        self._console = console or Console(stderr=True)
        self._prefix = prefix
        self._tasks: dict[str, TaskID] = {}
        self._bars = RichProgress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._bars.stop()

    def __call__(self, phase: str, num_done: int, num_all: int) -> None:
        """So many of all are done."""
        if not self._console.is_terminal:
            return
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(f"{self._prefix}{phase}", total=num_all)
        self._bars.update(self._tasks[phase], completed=num_done, total=num_all)
