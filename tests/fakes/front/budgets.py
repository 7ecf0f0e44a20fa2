"""The hour's requests of an installation, as GitHub's page "Rate limits for the REST API" has it.

Beyond the limit requests are refused with 403, and GraphQL with 200 and an error ("Rate limits and query limits for the
GraphQL API"). Without a limit set by the test there is always something left.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

from tests.fakes.front.exchange import Answer, Exchange, refused

_HOUR_S = 3600.0
_MESSAGE = "API rate limit exceeded for installation ID 4242."


@dataclass(slots=True)
class Budget:
    """Requests of one kind in the window that is now."""

    resource: str
    limit: int
    window_s: float = _HOUR_S
    used: int = 0
    num_refused: int = 0
    resets_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def takes(self) -> bool:
        """Count a request, if there is one left."""
        with self.lock:
            if time.time() >= self.resets_at:
                # GitHub tells the time of the reset in whole seconds.
                self.used, self.resets_at = 0, float(math.ceil(time.time() + self.window_s))
            if self.used >= self.limit:
                self.num_refused += 1
                return False
            self.used += 1
            return True

    def headers(self) -> dict[str, str]:
        """What GitHub says of it with each answer."""
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.limit - self.used),
            "x-ratelimit-used": str(self.used),
            "x-ratelimit-reset": str(int(self.resets_at)),
            "x-ratelimit-resource": self.resource,
        }

    def used_up(self, exchange: Exchange) -> Answer:
        """The refusal of a request beyond it."""
        exchange.fault = "the limit is used up"
        answer = refused(403, _MESSAGE)
        if self.resource == "graphql":
            answer = Answer(200, {"errors": [{"type": "RATE_LIMITED", "message": _MESSAGE}]})
        answer.headers = self.headers()
        return answer


def budget_of(budgets: dict[str, Budget], exchange: Exchange) -> Budget:
    """The budget a request counts towards; that of everybody but the installation has no end."""
    resource = "graphql" if exchange.path.endswith("/graphql") else "core"
    is_counted = exchange.token is not None and exchange.token.kind == "installation"
    return budgets[resource] if is_counted and resource in budgets else Budget(resource, 5000)
