"""Classification of GitHub's responses: success, refusal, or retry with a delay.

GitHub, "Exceeding the rate limit": obey `retry-after`; else wait until `x-ratelimit-reset` if nothing remains; else
wait at least a minute. A write with a lost response may have been executed, so it is not sent again blindly.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.github.client.limits import BACK_OFF_S
from assay.github.client.pacing import CORE
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable, PermissionMissing, RateLimited

MOST_TRIES = 3
"""Chosen limit: tries within a call; after them the durable job retries later."""
FIRST_BACK_OFF_S = 1.0
"""Chosen delay in seconds, doubled with each try."""
MOST_TOLD = 300
MOST_BACK_OFF_S = 24 * 3600

_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of GitHub; headers have lower-case names, `data` is the JSON or None."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None

    @property
    def message(self) -> str:
        """GitHub's message as one line of ASCII."""
        if not isinstance(self.data, dict):
            return ""
        told = [str(self.data.get("message", ""))]
        errors = self.data.get("errors")
        for one in errors[:3] if isinstance(errors, list) else ():
            if isinstance(one, dict):
                told.append(" ".join(str(one[key]) for key in ("resource", "field", "code", "message") if one.get(key)))
            else:
                told.append(str(one))
        return _UNPRINTABLE.sub(" ", "; ".join(part for part in told if part)).strip()[:MOST_TOLD]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Failure of a request. `is_undone`: GitHub certainly did not execute it, so even a write may be sent again.

    `wait_s` is the delay before a retry, None if a retry is pointless.
    """

    error: GithubAppError
    wait_s: float | None = None
    is_undone: bool = True


def trouble_of(answer: Answer, what: str, needs: str, now: datetime, num_tried: int = 0) -> Trouble | None:
    """Return the failure of a response; None for a success.

    `what` and `needs` are as in `Connection.send`; `num_tried` counts earlier tries, for the backoff.
    """
    if 200 <= answer.status < 300:
        return None
    if answer.status in (403, 429) and _is_limit(answer):
        wait_s = _limited_for(answer, now, num_tried)
        why = answer.message or "rate limited"
        return Trouble(RateLimited(what, why, now + timedelta(seconds=wait_s)), wait_s)
    if answer.status in (408, 425) or answer.status >= 500:
        why = f"it answered {answer.status}" + (f" ({answer.message})" if answer.message else "")
        after = _seconds(answer.headers.get("retry-after"), now)
        return Trouble(GithubUnavailable(what, why), max(after or 0.0, backoff_s(num_tried)), is_undone=False)
    return Trouble(_refusal(answer, what, needs))


def broken(error: Exception, what: str, num_tried: int = 0) -> Trouble:
    """Return the failure without a response: time-out or broken connection; the error's text is left out as unsafe."""
    why = f"no answer ({type(error).__name__})"
    return Trouble(GithubUnavailable(what, why), backoff_s(num_tried), is_undone=False)


def backoff_s(num_tried: int) -> float:
    """Return one second, two, four and so on."""
    return FIRST_BACK_OFF_S * 2.0 ** min(num_tried, 16)


def exhausted_until(answer: Answer) -> datetime | None:
    """Return when the limit of requests resets, if this response used it up."""
    if answer.headers.get("x-ratelimit-remaining") != "0":
        return None
    return _moment(answer.headers.get("x-ratelimit-reset"))


def left_of_hour(answer: Answer) -> tuple[int, int, datetime] | None:
    """Return the remaining requests, the limit and when it resets; None for another limit, or none."""
    told = [answer.headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit")]
    resets_at = _moment(answer.headers.get("x-ratelimit-reset"))
    if resets_at is None or resource_of(answer) != CORE or not all(one.isdecimal() for one in told):
        return None
    return int(told[0][:9]), int(told[1][:9]), resets_at


def is_of_another_kind(answer: Answer) -> bool:
    """Return whether a separate limit is used up (GraphQL, code scanning, search), so that other requests may go on."""
    return answer.headers.get("x-ratelimit-remaining") == "0" and resource_of(answer) != CORE


def resource_of(answer: Answer) -> str:
    """Return GitHub's name of the limit that a response counted towards."""
    return answer.headers.get("x-ratelimit-resource", CORE)


def _is_limit(answer: Answer) -> bool:
    if answer.status == 429 or "retry-after" in answer.headers:
        return True
    said = answer.message.lower()
    return answer.headers.get("x-ratelimit-remaining") == "0" or "rate limit" in said or "abuse detection" in said


def _limited_for(answer: Answer, now: datetime, num_tried: int) -> float:
    after = _seconds(answer.headers.get("retry-after"), now)
    if after is not None:
        return after
    reset_at = exhausted_until(answer)
    if reset_at is not None:
        # The header has whole seconds only.
        return max((reset_at - now).total_seconds() + 1.0, 1.0)
    return min(BACK_OFF_S * 2.0 ** min(num_tried, 16), MOST_BACK_OFF_S)


def _seconds(text: str | None, now: datetime) -> float | None:
    """Parse the header `retry-after`: seconds or a date."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        try:
            value = (datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC) - now).total_seconds()
        except ValueError:
            return None
    return min(max(value, 0.0), float(MOST_BACK_OFF_S)) if math.isfinite(value) else None


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(float(text or "")), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _refusal(answer: Answer, what: str, needs: str) -> GithubRefused:
    why = answer.message or "no reason given"
    if answer.status == 403 and _lacks_permission(answer):
        return PermissionMissing(403, what, f"it needs the permission {_wanted(answer) or needs or '(unknown)'}; {why}")
    if answer.status == 401:
        return GithubRefused(401, what, f"the credentials were not accepted; {why}")
    if 300 <= answer.status < 400:
        return GithubRefused(answer.status, what, "it has moved: the repository was renamed, or the URL is wrong")
    return GithubRefused(answer.status, what, why)


def _lacks_permission(answer: Answer) -> bool:
    said = answer.message.lower()
    return "not accessible by" in said or "must have admin rights" in said or "permission" in said


def _wanted(answer: Answer) -> str:
    """Return the permissions from `x-accepted-github-permissions`: `;` means and, `,` separates alternatives."""
    said = _UNPRINTABLE.sub(" ", answer.headers.get("x-accepted-github-permissions", ""))[:MOST_TOLD]
    return said.replace("=", ": ").replace(";", " and").replace(",", " or ")
