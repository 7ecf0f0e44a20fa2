"""What becomes of a job that went wrong: tried again, and when; or given up, for people to look at."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from assay.github.errors import (
    CommandRefused,
    GithubRefused,
    GithubUnavailable,
    RateLimited,
    SettingsError,
    StoreUnavailable,
    WebhookRefused,
)
from assay.github_app.runtime.context import backoff

PATIENCE = timedelta(hours=24)
"""How long the same thing is tried while GitHub or the database does not answer."""

INCIDENT = " · incident "
"""Between what went wrong and the name under which the log tells more."""

_HOPELESS = (GithubRefused, WebhookRefused, CommandRefused, SettingsError)


class Interrupted(BaseException):
    """This worker is told to stop in the middle of a job. Whoever starts next goes on with it.

    Not an `Exception` on purpose: it must pass everything that handles errors, so that the job is neither done nor
    failed.
    """


def next_try(
    error: BaseException, attempt: int, first_at: datetime, at: datetime, max_attempts: int
) -> datetime | None:
    """When to try again after the failed `attempt` (from 1); None to give up.

    GitHub's own "not before" is obeyed. While GitHub or the database is away the tries are not counted, only the time
    since `first_at`. What GitHub refuses it will refuse again.
    """
    if isinstance(error, _HOPELESS):
        return None
    is_away = isinstance(error, GithubUnavailable | StoreUnavailable)
    if at - first_at > PATIENCE if is_away else attempt >= max_attempts:
        return None
    wait = backoff(attempt) * random.uniform(0.8, 1.2)  # noqa: S311 - only spreads the load
    if isinstance(error, RateLimited):
        return max(error.retry_at + timedelta(seconds=random.uniform(0, 5)), at + wait)  # noqa: S311
    return at + wait


def said(error: BaseException) -> str:
    """One line about an error, for rows that people see."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:500]}" if lines else type(error).__name__
