"""GitHub's responses: success, refusal, or a failure that may pass, with the delay before a retry.

GitHub, "Exceeding the rate limit": obey `retry-after`; else wait until `x-ratelimit-reset` if nothing remains; else
wait at least a minute.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.github.client.limits import BACK_OFF_S
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable, PermissionMissing, RateLimited

CORE = "core"
"""GitHub's name of the limit that most requests count towards."""
GRAPHQL = "graphql"
FIRST_BACK_OFF_S = 1.0
"""Chosen delay in seconds, doubled with each try."""
MOST_TOLD = 300
MOST_BACK_OFF_S = 24 * 3600.0

_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of GitHub; headers have lower-case names, `data` is the JSON or None. Status 0: there was none."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None

    @property
    def message(self) -> str:
        """GitHub's message as one line of ASCII."""
        if not isinstance(self.data, dict):
            return ""
        told, errors = [str(self.data.get("message", ""))], self.data.get("errors")
        for one in errors[:3] if isinstance(errors, list) else ():
            keys = ("resource", "field", "code", "message")
            told.append(" ".join(str(one[key]) for key in keys if one.get(key)) if isinstance(one, dict) else str(one))
        return _printable("; ".join(part for part in told if part)).strip()

    @property
    def resource(self) -> str:
        """GitHub's name of the limit that the request counted towards."""
        return self.headers.get("x-ratelimit-resource", CORE)

    @property
    def exhausted(self) -> str:
        """The limit that stops requests: a separate one (GraphQL, code scanning, search) if it is used up, else all."""
        return self.resource if self.headers.get("x-ratelimit-remaining") == "0" else CORE

    @property
    def exhausted_until(self) -> datetime | None:
        """Time at which the limit resets, if this response used it up."""
        return self._resets_at if self.headers.get("x-ratelimit-remaining") == "0" else None

    @property
    def left_of_hour(self) -> tuple[int, int, datetime] | None:
        """The remaining requests, the limit and when it resets; None for another limit, or none."""
        told = [self.headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit")]
        resets_at = self._resets_at
        if resets_at is None or self.resource != CORE or not all(one.isdecimal() for one in told):
            return None
        return int(told[0][:9]), int(told[1][:9]), resets_at

    @property
    def _resets_at(self) -> datetime | None:
        try:
            return datetime.fromtimestamp(int(float(self.headers.get("x-ratelimit-reset", ""))), UTC)
        except (ValueError, OverflowError, OSError):
            return None

    @property
    def is_limited(self) -> bool:
        """Whether a rate limit stopped the request, so that it was certainly not executed."""
        said = self.message.lower()
        is_told = self.headers.get("x-ratelimit-remaining") == "0" or "rate limit" in said or "abuse detection" in said
        return self.status == 429 or (self.status == 403 and ("retry-after" in self.headers or is_told))


def no_answer(error: Exception) -> Answer:
    """Return the answer of a request without one: time-out or broken connection; the error's text is unsafe."""
    return Answer(0, data={"message": f"no answer ({type(error).__name__})"})


def of_graphql(answer: Answer) -> Answer:
    """Return a response with the status that its errors stand for: GraphQL answers 200 to refusals and limits too."""
    errors = answer.data.get("errors") if isinstance(answer.data, dict) else [{}]
    if answer.status != 200 or not errors:
        return answer
    first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
    told = {"message": first.get("message", "it gave no data")}
    status = 404 if first.get("type") == "NOT_FOUND" else 422
    limited = replace(answer, status=403, data=told)
    return limited if limited.is_limited else replace(answer, status=status, data=told)


def error_of(answer: Answer, what: str, now: datetime) -> GithubAppError | None:
    """Return the error of a response to the request `what`; None for a success."""
    if 200 <= answer.status < 300:
        return None
    if answer.is_limited:
        return RateLimited(what, answer.message or "rate limited", now + timedelta(seconds=wait_of(answer, now)))
    if answer.status == 0:
        return GithubUnavailable(what, answer.message)
    if answer.status in (408, 425) or answer.status >= 500:
        return GithubUnavailable(what, f"it answered {answer.status}{f' ({answer.message})' if answer.message else ''}")
    return _refusal(answer, what)


def wait_of(answer: Answer, now: datetime, num_tried: int = 0) -> float:
    """Return the seconds to wait before a retry; `num_tried` counts earlier tries of a server in trouble."""
    try:
        after = float(answer.headers.get("retry-after", "nan"))
    except ValueError:
        after = math.nan
    if not answer.is_limited:
        after = max(0.0 if math.isnan(after) else after, FIRST_BACK_OFF_S * 2.0**num_tried)
    elif math.isnan(after) and answer.exhausted_until is not None:
        # The header has whole seconds only.
        after = max((answer.exhausted_until - now).total_seconds(), 0.0) + 1.0
    elif math.isnan(after):
        after = BACK_OFF_S
    return min(max(after, 0.0), MOST_BACK_OFF_S)


def _refusal(answer: Answer, what: str) -> GithubRefused:
    why = answer.message or "no reason given"
    lacks = ("not accessible by", "must have admin rights", "permission")
    if answer.status == 403 and any(words in why.lower() for words in lacks):
        return PermissionMissing(403, what, f"it needs {_permission(answer)}; {why}")
    if answer.status == 401:
        why = f"the credentials were not accepted; {why}"
    elif 300 <= answer.status < 400:
        why = f"it has moved: the repository was renamed, or the URL is wrong; {why}"
    return GithubRefused(answer.status, what, why)


def _permission(answer: Answer) -> str:
    """Return the permissions from `x-accepted-github-permissions`: `;` means and, `,` separates alternatives."""
    said = _printable(answer.headers.get("x-accepted-github-permissions", ""))
    wanted = said.replace("=", ": ").replace(";", " and").replace(",", " or ")
    return f"the permission {wanted}" if wanted else "a permission that GitHub does not name"


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub(" ", text)[:MOST_TOLD]
