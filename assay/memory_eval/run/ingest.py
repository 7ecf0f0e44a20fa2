"""The ingest phase of an evaluation: the agent learns every turn of the dialogue."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from assay.memory_eval.adapters.adapter import RemoteAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentUnreachable
from assay.memory_eval.exam.held_exam import Lesson
from assay.memory_eval.run.calls import FailureBudget, Pace, run_ordered
from assay.memory_eval.run.run_folder import IngestedTurn, RunFolder
from assay.memory_eval.run.segments import Segments

MOST_UNLEARNED = 0.05
"""Largest share of failed turns; beyond it a run says nothing about the agent's memory."""

WAVES = (range(1, 7), range(7, 13))
"""Blocks ingested concurrently: callbacks and forget requests (block 7) refer to the first six, which come before."""


def ingest(
    agent: RemoteAgent,
    lessons: Sequence[Lesson],
    segments: Segments,
    folder: RunFolder,
    patience: FailureBudget,
    pace: Pace,
) -> None:
    """Send the agent all turns not yet learned; raises `AgentFailed` if it fails permanently or learned too little.

    Concurrent means: the blocks of a wave in parallel, each block's turns in order, so that no change or correction
    arrives before what it changes.
    """
    began_at_s = time.monotonic() - folder.learning_time_s
    left = [lesson for lesson in lessons if lesson.turn_number not in folder.told]
    num_unlearned = sum(told.error is not None for told in folder.told.values())
    first_error = ""
    pace.progress("learning", len(lessons) - len(left), len(lessons))
    for piece in segments.pieces(left):
        for told, error in _all_told(agent, piece, pace):
            now = replace(told, elapsed_s=time.monotonic() - began_at_s)
            if not isinstance(error, AgentUnreachable):  # such a turn is sent again by a resume
                folder.was_told(now)
            pace.progress("learning", len(folder.told), len(lessons))
            patience.heard(error)
            if error is not None:
                num_unlearned += 1
                first_error = first_error or str(error)
            if num_unlearned > MOST_UNLEARNED * len(lessons):
                raise AgentFailed(
                    f"{num_unlearned} of {len(lessons)} turns could not be learned, more than {MOST_UNLEARNED:.0%} of"
                    f" them; the first: {first_error or 'before the run was continued'}"
                )
        segments.ended(piece[-1].turn_number)


def _all_told(
    agent: RemoteAgent, piece: Sequence[Lesson], pace: Pace
) -> Iterator[tuple[IngestedTurn, AgentCallFailed | None]]:
    for chains in _waves(piece) if pace.num_workers > 1 else [[piece]]:
        yield from run_ordered(chains, partial(_told, agent), pace)


def _told(agent: RemoteAgent, lesson: Lesson) -> tuple[IngestedTurn, AgentCallFailed | None]:
    began_at_s = time.monotonic()
    error = None
    try:
        agent.learn(lesson.content)
    except AgentCallFailed as failed:
        error = failed
    took_s = time.monotonic() - began_at_s
    return IngestedTurn(lesson.turn_number, took_s, 0.0, None if error is None else str(error)), error


def _waves(lessons: Sequence[Lesson]) -> list[list[list[Lesson]]]:
    """Return the turns as waves of chains, one chain per block; blocks beyond the twelve come last, in order."""
    of_blocks: dict[int, list[Lesson]] = {}
    for lesson in lessons:
        of_blocks.setdefault(lesson.block, []).append(lesson)
    waves = [[of_blocks.pop(block) for block in wave if block in of_blocks] for wave in WAVES]
    return [wave for wave in waves if wave] + [[chain] for chain in of_blocks.values()]
