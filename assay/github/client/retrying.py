"""What an answer of GitHub's means: done, refused for good, or to be asked again, and when.

GitHub, "Exceeding the rate limit": obey `retry-after`; else wait until `x-ratelimit-reset` where nothing remains; else
at least a minute. A write whose answer was lost may have been done: it is never blindly sent twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.github.client.limits import BACK_OFF_S
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable, PermissionMissing, RateLimited

MOST_TRIES = 3
"""Ours: tries inside one call; after them the durable job tries again, later."""
FIRST_BACK_OFF_S = 1.0
"""Ours: doubled with each try."""
MOST_TOLD = 300
MOST_BACK_OFF_S = 24 * 3600

_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """What GitHub answered; headers have lower-case names, `data` is the JSON (None where there was none)."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None

    @property
    def message(self) -> str:
        """GitHub's own words, in one line of plain letters."""
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
    """Why there is no result. `is_undone`: GitHub certainly did nothing, so that even a write may be sent again.

    `wait_s` is how long to wait before asking again, None where asking again is pointless.
    """

    error: GithubAppError
    wait_s: float | None = None
    is_undone: bool = True


def trouble_of(answer: Answer, what: str, needs: str, now: datetime, num_tried: int = 0) -> Trouble | None:
    """What is wrong with an answer; None where it is good.

    Args:
        answer: what came back.
        what: what was to be done, for the error ("create the check run").
        needs: the permission it takes ("checks: write").
        now: the time, aware.
        num_tried: how often it was tried before, for the back-off.
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
    """No answer at all: a time-out, a connection that broke or never came about. Its own text may hold anything."""
    why = f"no answer ({type(error).__name__})"
    return Trouble(GithubUnavailable(what, why), backoff_s(num_tried), is_undone=False)


def backoff_s(num_tried: int) -> float:
    """One second, two, four, …"""
    return FIRST_BACK_OFF_S * 2.0 ** min(num_tried, 16)


def exhausted_until(answer: Answer) -> datetime | None:
    """When asking makes sense again, where this answer says that nothing remains of the hour's requests."""
    if answer.headers.get("x-ratelimit-remaining") != "0":
        return None
    return _moment(answer.headers.get("x-ratelimit-reset"))


def is_of_another_kind(answer: Answer) -> bool:
    """Whether an allowance of its own is used up (GraphQL, code scanning, search): the other requests may go on."""
    is_used_up = answer.headers.get("x-ratelimit-remaining") == "0"
    return is_used_up and answer.headers.get("x-ratelimit-resource", "core") != "core"


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
        # In which part of that second it happens is not said.
        return max((reset_at - now).total_seconds() + 1.0, 1.0)
    return min(BACK_OFF_S * 2.0 ** min(num_tried, 16), MOST_BACK_OFF_S)


def _seconds(text: str | None, now: datetime) -> float | None:
    """The header `retry-after`: seconds, or (to the letter of HTTP) a date."""
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
    why = answer.message or "no reason was given"
    if answer.status == 403 and _lacks_permission(answer):
        return PermissionMissing(403, what, f"it takes the permission {_wanted(answer) or needs or '(unknown)'}; {why}")
    if answer.status == 401:
        return GithubRefused(401, what, f"the credentials were not accepted; {why}")
    if 300 <= answer.status < 400:
        return GithubRefused(answer.status, what, "it has moved: the repository was renamed, or the address is wrong")
    return GithubRefused(answer.status, what, why)


def _lacks_permission(answer: Answer) -> bool:
    said = answer.message.lower()
    return "not accessible by" in said or "must have admin rights" in said or "permission" in said


def _wanted(answer: Answer) -> str:
    """`x-accepted-github-permissions` says what would do: "checks=write; contents=read" are alternatives by comma."""
    said = _UNPRINTABLE.sub(" ", answer.headers.get("x-accepted-github-permissions", ""))[:MOST_TOLD]
    return said.replace("=", ": ").replace(";", " and").replace(",", " or ")
