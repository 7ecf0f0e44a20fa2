"""Reset of an agent before an evaluation, verified with a random word.

The agent learns the word, is reset, and is asked for it. An agent that still answers it did not forget, and its
later answers may come from earlier runs.
"""

from __future__ import annotations

import secrets

from assay.memory_eval.adapters.adapter import RemoteAgent
from assay.memory_eval.adapters.child.child_agent import ChildAgent
from assay.memory_eval.adapters.child.class_agent import ClassAgent
from assay.memory_eval.adapters.in_process import InProcessAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, CannotReset, ExamUsageError
from assay.memory_eval.run.run_folder import RunFolder
from assay.memory_eval.run.segments import Segments

LESSON = "Please remember: the check word of this examination is {word}."
QUESTION = "What is the check word of this examination? Answer with the word."


def emptied(agent: RemoteAgent, segments: Segments, folder: RunFolder) -> list[str]:
    """Reset the agent and verify that it forgot; return notes for the report.

    Raises `AgentFailed` if it cannot be reset or still remembers, and `ExamUsageError` if it is to be restarted between
    segments and would lose what it learned.
    """
    try:
        _reset(agent)
    except CannotReset as cannot:
        if isinstance(agent, InProcessAgent) and not agent.was_taught:
            return [f"not reset before learning, treated as new: {cannot}"]
        raise AgentFailed(
            f"{agent.name} was taught before, and cannot be made to forget: {cannot}", code="agent.cannot-reset"
        ) from None
    word = f"zq{secrets.token_hex(4)}"
    trouble = _taught(agent, word)
    recalled = not trouble and _says(agent, word)
    if segments.restarts:
        _must_carry_over(agent, segments, folder, word, recalled=recalled)
    _reset(agent)
    if _says(agent, word):
        raise AgentFailed(
            f"{agent.name} still remembers after a reset what it learned before", code="agent.still-remembers"
        )
    _reset(agent)
    if recalled:
        return []
    why = trouble or "it did not answer the word before the reset either"
    return [f"not checked: whether a reset makes the agent forget: {why}"]


def _reset(agent: RemoteAgent) -> None:
    try:
        agent.reset()
    except CannotReset:
        raise
    except AgentCallFailed as failed:
        raise AgentFailed(
            f"{agent.name} cannot be made to forget: reset: {failed}", code="agent.cannot-reset"
        ) from None


def _taught(agent: RemoteAgent, word: str) -> str:
    """Have the agent learn the word; return the error, or ""."""
    try:
        agent.learn(LESSON.format(word=word))
    except AgentCallFailed as failed:
        return str(failed)
    return ""


def _says(agent: RemoteAgent, word: str) -> bool:
    try:
        return word in agent.answer(QUESTION).answer.casefold()
    except AgentCallFailed:
        return False


def _must_carry_over(agent: RemoteAgent, segments: Segments, folder: RunFolder, word: str, *, recalled: bool) -> None:
    """Check that what was learned survives a restart of the agent's process."""
    segments.try_out()
    if recalled and _says(agent, word):
        folder.was_found_to_keep_a_store()
        return
    says_so = isinstance(agent, ChildAgent) and (agent.can_save or agent.persists is True)
    if recalled or not says_so:
        found = "loses what it learned when its process ends" if recalled else "does not report a persistent store"
        advice = (
            "give its class `save(path)` and `load(path)`, or its own store and `persistent = True`"
            if isinstance(agent, ClassAgent)
            else "let it store its memory on disk and load it at the start"
        )
        raise ExamUsageError(
            f"{agent.name} {found}, and --segment-size ends it between turns: {advice}",
            code="agent.loses-memory" if recalled else "agent.no-store",
        )
