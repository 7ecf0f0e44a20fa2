"""Learning in pieces: after each the agent's process is ended and started anew, so that its memory use stays bounded.

What it learned is carried over by the agent: by its own store, or by `save(path)` and `load(path)`.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.memory_eval.adapters.child_agent import ChildAgent
from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed
from assay.memory_eval.exam.held_exam import Lesson
from assay.memory_eval.run.run_folder import MEMORY, RunFolder


class Segments:
    """Pieces of `size` turns (None: all in one). Only an agent in a process of ours can be started anew."""

    def __init__(self, agent: RemoteAgent, size: int | None, folder: RunFolder) -> None:
        self._agent = agent
        self._child = agent if isinstance(agent, ChildAgent) else None
        self._size = size if self._child is not None else None
        self._folder = folder
        self._own_place: Path | None = None
        self.note = ""
        if size is not None and self._child is None:
            self.note = f"segments change nothing for {agent.name}: it is no process that was started here"

    @property
    def restarts(self) -> bool:
        """Whether the agent's process is ended between turns."""
        return self._size is not None

    def pieces(self, lessons: Sequence[Lesson]) -> Iterator[Sequence[Lesson]]:
        """The lessons in pieces, in order."""
        size = self._size or max(1, len(lessons))
        for begin in range(0, len(lessons), size):
            yield lessons[begin : begin + size]

    def ended(self, turn_number: int) -> None:
        """A piece has been told up to this turn: start the agent anew, and have what it learned kept for a resume."""
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
        """Start the agent anew once, for a probe; what it wrote is not kept."""
        if self._child is not None:
            memory = self._place() / f"{MEMORY}-probe"
            with _carrying():
                self._child.renew(memory)
            _remove(memory)

    def goes_on(self) -> bool:
        """Whether the agent still has what it learned before the run was interrupted; readies it if so."""
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
        """Remove what was carried over outside the run's folder."""
        if self._own_place is not None:
            _remove(self._own_place)

    def _place(self) -> Path:
        if self._folder.path is not None:
            return self._folder.path.resolve()
        if self._own_place is None:
            self._own_place = Path(tempfile.mkdtemp(prefix="assay-memory-"))
        return self._own_place


def _is_empty(agent: RemoteAgent) -> bool:
    """Whether it says of itself that it knows nothing: a server that was started anew, perhaps."""
    try:
        return agent.stats().get("entries") == 0
    except AgentCallFailed:
        return False


@contextlib.contextmanager
def _carrying() -> Iterator[None]:
    """An agent that cannot carry over what it learned has lost it."""
    try:
        yield
    except AgentCallFailed as failed:
        raise AgentFailed(f"what the agent learned could not be carried over: {failed}") from None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
