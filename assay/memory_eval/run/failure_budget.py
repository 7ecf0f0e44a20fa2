"""Limits after which a failing agent ends the run."""

from __future__ import annotations

import time

from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentTimedOut, AgentUnreachable

TIMEOUTS_IN_A_ROW = 5
UNREACHED_IN_A_ROW = 5
TOTAL_TIMEOUT_S = 24 * 3600.0
"""Default time limit of a whole run, in seconds."""


class FailureBudget:
    """Failure budget of an agent; raises `AgentFailed` once it is exhausted.

    A run ends after five timeouts in a row, after five failed connections in a row, and at the time limit of the whole
    run. Calls that fail quickly are cheap and not limited.
    """

    def __init__(self, total_timeout_s: float) -> None:
        self._total_timeout_s = total_timeout_s
        self._deadline = time.monotonic() + total_timeout_s
        self._timeouts = 0
        self._unreached = 0

    def heard(self, error: AgentCallFailed | None) -> None:
        """Record the end of a call, successful (None) or failed."""
        self._timeouts = self._timeouts + 1 if isinstance(error, AgentTimedOut) else 0
        self._unreached = self._unreached + 1 if isinstance(error, AgentUnreachable) else 0
        if self._timeouts >= TIMEOUTS_IN_A_ROW:
            raise AgentFailed(f"the agent hangs: {self._timeouts} calls in a row, {error}", code="agent.hangs")
        if self._unreached >= UNREACHED_IN_A_ROW:
            raise AgentFailed(f"the agent is gone: {self._unreached} calls in a row, {error}", code="agent.gone")
        if time.monotonic() > self._deadline:
            raise AgentFailed(
                f"the run exceeded its time limit of {self._total_timeout_s:g} s", code="memory.time-limit"
            )
