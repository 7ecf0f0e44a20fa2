"""Failure of a tool or the environment, beyond the agent's control: GitHub, network, disk, memory, builds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    excerpt,
    failure_of,
)
from assay.github_app.store import FAILED_STATUSES, EventKind

_MESSAGE = re.compile(
    r"rate limit|too many requests|overloaded_error|bad gateway|service unavailable|internal server error"
    r"|gateway time-?out|\b(?:HTTP|status|error)[ :]*(?:code )?(?:401|403|429|50[0234])\b"
    r"|(?:could not|failed to|unable to) (?:clone|fetch|checkout|pull|push)|clone failed|unable to access '"
    r"|could not read from remote|early EOF|RPC failed|could not resolve host|name or service not known"
    r"|temporary failure in name resolution|ENOTFOUND|connection (?:refused|reset|timed out|aborted)"
    r"|ECONN(?:REFUSED|RESET)|ETIMEDOUT|network is unreach|no space left on device|read-only file system"
    r"|out of memory|\bOOM\b|cannot allocate memory|exit(?:ed)? (?:code )?137|bad credentials"
    r"|permission denied \(publickey\)|authentication failed|token (?:has )?expired|docker daemon"
    r"|failed to start (?:the )?(?:container|sandbox|runner)|certificate (?:verify failed|has expired)",
    re.IGNORECASE,
)
"""Messages of git, operating systems, containers and HTTP services."""


class EnvironmentFailure:
    """Rule for environment failures."""

    name = str(Category.environment_failure)

    def look(self, case: Case) -> Failure | None:
        """Check the error of a task that failed, its events, checks that never began, and the end of its sessions."""
        has_failed = case.task.status in FAILED_STATUSES
        found = [*(_by_status(case) if has_failed else ()), *_by_checks(case)]
        what = found[0].text if found else ""
        text = f"The environment stopped tasks here ({what}). Check it before starting work, or retry."
        return failure_of(Category.environment_failure, found, Suggestion(GoesTo.memory, text))


def _by_status(case: Case) -> Iterator[Evidence]:
    said = _message(case.task.error_message)
    if said is not None:
        yield Evidence("status", f"error_message of {case.task.id}", said)
    for event in case.events:
        if event.kind == EventKind.tool_failed:
            said = _message(" ".join(str(value) for value in event.data.values() if isinstance(value, str)))
            if said is not None:
                yield Evidence("event", f"{event.kind} at {event.at.isoformat()}", said)
    for row, steps in case.traces:
        # An agent can work around an earlier error; the last step is what the session ended with.
        if row.ending != "completed" and steps and steps[-1].is_error:
            said = _message(steps[-1].said)
            if said is not None:
                yield Evidence("trace", f"{row.id} {steps[-1].name}", said)


def _by_checks(case: Case) -> Iterator[Evidence]:
    for check in case.first_checks:
        if check.conclusion == "startup_failure":
            yield Evidence("check", check.name, "did not start")


def _message(text: str | None) -> str | None:
    match = _MESSAGE.search(text or "")
    return None if match is None else excerpt(text or "", match.start(), match.end())
