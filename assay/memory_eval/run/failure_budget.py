"""When nothing more is to be expected of an agent, so that a dead one does not cost a night."""

from __future__ import annotations

import time

from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentTimedOut, AgentUnreachable

TIMEOUTS_IN_A_ROW = 5
UNREACHED_IN_A_ROW = 5
TOTAL_TIMEOUT_S = 24 * 3600.0
"""How long a whole run may take where nobody says otherwise."""


class Patience:
    """Told how each call went; raises `AgentFailed` once it has run out.

    An agent is given up after five calls in a row that took too long, after five that nobody took, and when the run's
    whole time is over. Calls that fail quickly cost little and are borne.
    """

    def __init__(self, total_timeout_s: float = TOTAL_TIMEOUT_S) -> None:
        self._total_timeout_s = total_timeout_s
        self._deadline = time.monotonic() + total_timeout_s
        self._timeouts = 0
        self._unreached = 0

    def heard(self, error: AgentCallFailed | None) -> None:
        """A call has ended, well (None) or not."""
        self._timeouts = self._timeouts + 1 if isinstance(error, AgentTimedOut) else 0
        self._unreached = self._unreached + 1 if isinstance(error, AgentUnreachable) else 0
        if self._timeouts >= TIMEOUTS_IN_A_ROW:
            raise AgentFailed(f"the agent hangs: {self._timeouts} calls in a row, {error}")
        if self._unreached >= UNREACHED_IN_A_ROW:
            raise AgentFailed(f"the agent is gone: {self._unreached} calls in a row, {error}")
        if time.monotonic() > self._deadline:
            raise AgentFailed(f"the run was given {self._total_timeout_s:g} s, and they are over")
