"""Failure of a tool or the environment, beyond the agent's control: GitHub, network, disk, memory, builds."""

from __future__ import annotations

from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import Category, Evidence, Failure, GoesTo, Suggestion, weighed
from assay.github_app.outcomes.tasks.failures.sayings import excerpt, heaviest, saying
from assay.github_app.provenance.traces.step import StepKind
from assay.github_app.store import EventKind, TaskStatus

_WORDS = (
    saying(r"\b(?:api )?rate limit|\btoo many requests\b|\b429\b|quota exceeded|overloaded_error", 0.8),
    saying(r"\b50[0234]\b|bad gateway|service unavailable|internal server error|gateway time-?out", 0.8),
    saying(r"(?:could not|couldn't|failed to|cannot|unable to) (?:clone|fetch|checkout|pull|push)|clone failed", 0.85),
    saying(r"unable to access '|could not read from remote|early EOF|RPC failed", 0.85),
    saying(r"could not resolve host|name or service not known|temporary failure in name resolution|ENOTFOUND", 0.85),
    saying(r"connection (?:refused|reset|timed out|aborted)|ECONN(?:REFUSED|RESET)|ETIMEDOUT|network is unreach", 0.8),
    saying(r"no space left on device|disk quota exceeded|read-only file system", 0.85),
    saying(
        r"out of memory|\bOOM\b|cannot allocate memory|\bkilled\b.{0,20}(?:signal )?9\b|exit(?:ed)? (?:code )?137", 0.75
    ),
    saying(
        r"bad credentials|permission denied \(publickey\)|authentication failed|token (?:has )?expired|\b40[13]\b", 0.75
    ),
    saying(r"docker daemon|image pull|failed to start (?:the )?(?:container|sandbox|runner)|lost communication", 0.85),
    saying(r"sandbox (?:failed|crashed|died|unavailable)|runner (?:failed|died|shut ?down)|worker (?:died|lost)", 0.8),
    saying(r"certificate (?:verify failed|has expired)|SSLError|proxy error", 0.8),
    saying(r"(?:command|module|executable) not found.{0,60}(?:node|python|java|docker|git|make)\b", 0.5),
)
_BROKEN_CHECKS = {"startup_failure": 0.6, "stale": 0.4}
_LAST_STEPS = 15
"""Steps before the end in which a failing tool may be the cause."""


class EnvironmentFailure:
    """Rule for environment failures."""

    name = str(Category.environment_failure)

    def look(self, case: Case) -> Failure | None:
        """Check the task's error, events, checks that never started, and the end of its sessions."""
        found = [*_by_status(case), *_by_events(case), *_by_checks(case), *_by_traces(case)]
        what = found[0].text if found else ""
        text = f"The environment stopped tasks here ({what}). Check it before starting work, or retry."
        return weighed(Category.environment_failure, found, Suggestion(GoesTo.memory, text))


def _by_status(case: Case) -> Iterator[Evidence]:
    found = heaviest(case.task.error_message, _WORDS)
    if found is not None and case.task.status is not TaskStatus.completed:
        yield Evidence("status", f"error_message of {case.task.id}", *found)


def _by_events(case: Case) -> Iterator[Evidence]:
    for event in case.events:
        if event.kind != EventKind.tool_failed:
            continue
        text = " ".join(str(value) for value in event.data.values() if isinstance(value, str))
        found = heaviest(text, _WORDS)
        words, weight = found or (excerpt(text), 0.3)
        yield Evidence("event", f"{event.kind} at {event.at.isoformat()}", words, weight * 0.9)


def _by_checks(case: Case) -> Iterator[Evidence]:
    for check in case.first_checks:
        weight = _BROKEN_CHECKS.get(check.conclusion or "")
        if weight is not None:
            yield Evidence("check", check.name, f"ended as {check.conclusion}", weight)


def _by_traces(case: Case) -> Iterator[Evidence]:
    """Yield the last error that resembles an environment failure, if the session did not end well."""
    for row, steps in case.traces:
        if row.ending == "completed":
            continue
        for step in reversed(steps[-_LAST_STEPS:]):
            found = heaviest(step.said, _WORDS) if step.is_error else None
            if found is not None:
                # A rejected model call ends a session; an agent can often work around a tool's error.
                weight = found[1] * (0.9 if step.kind is StepKind.model else 0.6)
                yield Evidence("trace", f"{row.id} {step.name}", found[0], weight)
                break
