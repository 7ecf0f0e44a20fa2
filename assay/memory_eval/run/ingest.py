"""The ingest phase of an evaluation: the agent learns every turn of the dialogue."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentUnreachable
from assay.memory_eval.exam.held_exam import Lesson
from assay.memory_eval.progress import Progress
from assay.memory_eval.run.failure_budget import FailureBudget
from assay.memory_eval.run.ordered_workers import run_ordered
from assay.memory_eval.run.run_folder import IngestedTurn, RunFolder
from assay.memory_eval.run.segments import Segments

MOST_UNLEARNED = 0.05
"""Largest share of failed turns; beyond it a run says nothing about the agent's memory."""

WAVES = (range(1, 7), range(7, 13))
"""Blocks ingested concurrently: callbacks and forget requests (block 7) refer to the first six, which come before."""


class Teacher:
    """Sender of the remaining turns, with `num_workers` concurrent calls if the agent supports it.

    Concurrent means: the blocks of a wave in parallel, each block's turns in order, so that no change or correction
    arrives before what it changes.
    """

    def __init__(self, agent: RemoteAgent, folder: RunFolder, patience: FailureBudget, num_workers: int) -> None:
        self._agent = agent
        self._folder = folder
        self._patience = patience
        self._num_workers = num_workers if agent.parallel_safe else 1
        self._first_trouble = ""

    def teach(self, lessons: Sequence[Lesson], segments: Segments, *, stuck_after_s: float, progress: Progress) -> None:
        """Ingest all turns; raises `AgentFailed` if the agent fails permanently or learned too little."""
        began_at_s = time.monotonic() - self._folder.learning_time_s
        left = [lesson for lesson in lessons if lesson.turn_number not in self._folder.told]
        num_unlearned = sum(told.error is not None for told in self._folder.told.values())
        progress("learning", len(lessons) - len(left), len(lessons))
        for piece in segments.pieces(left):
            for told, error in self._all_told(piece, stuck_after_s):
                now = IngestedTurn(told.turn_number, told.took_s, time.monotonic() - began_at_s, told.error)
                if not isinstance(error, AgentUnreachable):  # such a turn is sent again by a resume
                    self._folder.was_told(now)
                progress("learning", len(self._folder.told), len(lessons))
                self._patience.heard(error)
                num_unlearned += error is not None
                self._must_have_learned(num_unlearned, len(lessons), error)
            segments.ended(piece[-1].turn_number)

    def _all_told(
        self, piece: Sequence[Lesson], stuck_after_s: float
    ) -> Iterator[tuple[IngestedTurn, AgentCallFailed | None]]:
        for chains in _waves(piece) if self._num_workers > 1 else [[piece]]:
            yield from run_ordered(chains, self._tell, num_workers=self._num_workers, stuck_after_s=stuck_after_s)

    def _tell(self, lesson: Lesson) -> tuple[IngestedTurn, AgentCallFailed | None]:
        began_at_s = time.monotonic()
        error = None
        try:
            self._agent.learn(lesson.content)
        except AgentCallFailed as failed:
            error = failed
        took_s = time.monotonic() - began_at_s
        return IngestedTurn(lesson.turn_number, took_s, 0.0, None if error is None else str(error)), error

    def _must_have_learned(self, num_unlearned: int, num_all: int, error: AgentCallFailed | None) -> None:
        if error is not None:
            self._first_trouble = self._first_trouble or str(error)
        if num_unlearned > MOST_UNLEARNED * num_all:
            raise AgentFailed(
                f"{num_unlearned} of {num_all} turns could not be learned, more than {MOST_UNLEARNED:.0%} of them;"
                f" the first: {self._first_trouble or 'before the run was continued'}"
            )


def _waves(lessons: Sequence[Lesson]) -> list[list[list[Lesson]]]:
    """Return the turns as waves of chains, one chain per block; blocks beyond the twelve come last, in order."""
    of_blocks: dict[int, list[Lesson]] = {}
    for lesson in lessons:
        of_blocks.setdefault(lesson.block, []).append(lesson)
    waves = [[of_blocks.pop(block) for block in wave if block in of_blocks] for wave in WAVES]
    return [wave for wave in waves if wave] + [[chain] for chain in of_blocks.values()]
