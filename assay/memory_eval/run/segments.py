"""Learning in segments: the agent's process is restarted after each, to bound its memory use.

The agent carries over what it learned, by its own store, or by `save(path)` and `load(path)`.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.memory_eval.adapters.adapter import RemoteAgent
from assay.memory_eval.adapters.child.child_agent import ChildAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed
from assay.memory_eval.exam.held_exam import Lesson
from assay.memory_eval.run.run_folder import MEMORY, RunFolder


class Segments:
    """Segments of `size` turns (None: all in one). Only an agent in a child process can be restarted."""

    def __init__(self, agent: RemoteAgent, size: int | None, folder: RunFolder) -> None:
        self._agent = agent
        self._child = agent if isinstance(agent, ChildAgent) else None
        self._size = size if self._child is not None else None
        self._folder = folder
        self._own_place: Path | None = None
        self.note = ""
        if size is not None and self._child is None:
            self.note = f"segments have no effect for {agent.name}: it does not run in a child process"

    @property
    def restarts(self) -> bool:
        """Whether the agent's process is restarted between turns."""
        return self._size is not None

    def pieces(self, lessons: Sequence[Lesson]) -> Iterator[Sequence[Lesson]]:
        """Yield the turns in segments, in order."""
        size = self._size or max(1, len(lessons))
        for begin in range(0, len(lessons), size):
            yield lessons[begin : begin + size]

    def ended(self, turn_number: int) -> None:
        """Finish a segment at this turn: restart the agent, and keep what it learned for a resume."""
        if self._child is None:
            return
        before, now = self._folder.memory, self._place() / f"{MEMORY}-{turn_number}"
        with _carrying():
            if self.restarts:
                self._child.renew(now)
            elif self._folder.path is not None and self._child.can_save:
                self._child.save(now)
        if self._child.can_save and self._folder.path is not None:
            self._folder.was_saved(turn_number)
            if before is not None and before != now:
                _remove(before)

    def try_out(self) -> None:
        """Restart the agent once for a probe, without keeping what it saved."""
        if self._child is not None:
            memory = self._place() / f"{MEMORY}-probe"
            with _carrying():
                self._child.renew(memory)
            _remove(memory)

    def goes_on(self) -> bool:
        """Return whether the agent still has what it learned before the interruption; restore it if possible."""
        if not self._folder.told:
            return False
        if self._child is None:
            return self._agent.remembers_without_us and not _is_empty(self._agent)
        self._child.start()
        if not self._child.can_save:
            return self._child.persists is True or self._folder.keeps_a_store
        memory = self._folder.memory
        if memory is None or not memory.exists():
            return False
        self._folder.forget_telling(after=self._folder.saved_after or 0)
        with _carrying():
            self._child.load(memory.resolve())
        return True

    def close(self) -> None:
        """Remove files carried over outside the run's folder."""
        if self._own_place is not None:
            _remove(self._own_place)

    def _place(self) -> Path:
        if self._folder.path is not None:
            return self._folder.path.resolve()
        if self._own_place is None:
            self._own_place = Path(tempfile.mkdtemp(prefix="assay-memory-"))
        return self._own_place


def _is_empty(agent: RemoteAgent) -> bool:
    """Return whether the agent reports an empty memory, for example a restarted server."""
    try:
        return agent.stats().get("entries") == 0
    except AgentCallFailed:
        return False


@contextlib.contextmanager
def _carrying() -> Iterator[None]:
    """Convert call errors to `AgentFailed`: an agent that cannot carry over its memory has lost it."""
    try:
        yield
    except AgentCallFailed as failed:
        raise AgentFailed(f"the agent's memory could not be carried over: {failed}") from None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
