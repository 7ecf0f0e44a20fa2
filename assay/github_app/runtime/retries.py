"""Retry policy for failed jobs."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from assay.github.errors import (
    CommandRefused,
    GithubRefused,
    GithubUnavailable,
    PermissionMissing,
    RateLimited,
    SettingsError,
    StoreUnavailable,
    WebhookRefused,
)
from assay.github_app.runtime.context import backoff

PATIENCE = timedelta(hours=24)
"""Time over which a job is retried while GitHub or the database is unavailable."""

MOST_REFUSALS = 4
"""Attempts before a refusal by GitHub is final; about a minute lies between the first and the last."""
_MAY_PASS = frozenset({403, 404, 409, 422})
"""Refusals that pass by themselves within moments of a push, a webhook or a new token, as GitHub's replicas lag."""
_HOPELESS = (WebhookRefused, CommandRefused, SettingsError)


class Interrupted(BaseException):
    """Stop request in the middle of a job; the next worker continues the job.

    A `BaseException`, so that no error handler marks the job as done or failed.
    """


def next_attempt(
    error: BaseException, attempt: int, first_at: datetime, at: datetime, max_attempts: int
) -> datetime | None:
    """Return the time of the next attempt after the failed `attempt` (from 1), or None to stop retrying.

    The time is never before GitHub's rate limit ends. While GitHub or the database is unavailable, only the time since
    `first_at` counts, not the attempts. Refusals that may pass are retried for about a minute, others not.
    """
    if isinstance(error, _HOPELESS):
        return None
    if isinstance(error, GithubRefused):
        wait = after_refusal(attempt)
        return at + wait if wait is not None and error.status in _MAY_PASS else None
    is_away = isinstance(error, GithubUnavailable | StoreUnavailable)
    if at - first_at > PATIENCE if is_away else attempt >= max_attempts:
        return None
    wait = backoff(attempt) * random.uniform(0.8, 1.2)  # noqa: S311 - only spreads the load
    if isinstance(error, RateLimited):
        return max(error.retry_at + timedelta(seconds=random.uniform(0, 5)), at + wait)  # noqa: S311
    return at + wait


def after_refusal(attempt: int) -> timedelta | None:
    """Return the wait after the refused `attempt` (from 1), None after the last: 8, 16 and 32 seconds."""
    return backoff(attempt + 2) if attempt < MOST_REFUSALS else None


def was_refused(line: str | None) -> bool:
    """Return whether an `error_line` is that of a refusal by GitHub."""
    return (line or "").startswith((f"{GithubRefused.__name__}:", f"{PermissionMissing.__name__}:"))


def error_line(error: BaseException) -> str:
    """Return one line about an error, for stored rows and the log."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:500]}" if lines else type(error).__name__
