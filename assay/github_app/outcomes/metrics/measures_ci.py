"""CI result of a pull request's first push: the head at opening, or at "ready for review" of a draft.

It passes if every Tier 1 or required check of that head passed. Machine failures, workflows that could not start and
timeouts are counted separately, because they are not results of the change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import kind_of, outcome_of
from assay.github_app.store import PullHistory
from assay.validators import Outcome


class FirstPush(StrEnum):
    """CI result of the first push. `unknown`: no check that counts was received, or one had not ended."""

    passed = "passed"
    failed = "failed"
    timed_out = "timed_out"
    infra_failed = "infra_failed"
    inert = "inert"
    unknown = "unknown"


_IN_ORDER = (FirstPush.failed, FirstPush.timed_out, FirstPush.infra_failed, FirstPush.inert, FirstPush.passed)
"""Precedence of check results: the first one found is the answer; skipped checks are ignored."""


def first_push(history: PullHistory) -> FirstPush:
    """Return the CI result by the run of this head, which has the required checks, else by the names of its checks."""
    head = history.pull.first_push_head
    if head is None:
        return FirstPush.unknown
    validated = [one.tools for one in history.runs if one.run.head_sha == head and one.tools]
    by_run = _by_run(validated[-1]) if validated else FirstPush.unknown
    return by_checks(history.checks) if by_run is FirstPush.unknown else by_run


def by_checks(checks: Collection[CheckFacts]) -> FirstPush:
    """Return the CI result by checks alone: those named after a build, test, lint, type check or scan."""
    counted = [check for check in checks if kind_of(check.name) is not None]
    ended = {outcome_of(check)[0] for check in counted if check.status == "completed"}
    if Outcome.failed not in ended and any(check.status != "completed" for check in counted):
        return FirstPush.unknown
    return _worst({str(outcome) for outcome in ended})


def _by_run(tools: Mapping[str, int]) -> FirstPush:
    return _worst({name for name, number in tools.items() if number})


def _worst(outcomes: Collection[str]) -> FirstPush:
    return next((one for one in _IN_ORDER if one in outcomes), FirstPush.unknown)
