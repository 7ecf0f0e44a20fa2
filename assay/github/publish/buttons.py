"""Buttons of the App's Check Run; GitHub reports a press with the button's identifier."""

from __future__ import annotations

from assay.github.client import Button
from assay.github.publish.committable import committable_tests
from assay.github.publish.hold import HoldFacts, takes_words
from assay.validators import HandBack, ValidationReport, configuration_of

RERUN = Button("Re-run", "Validate this commit again", "rerun")
HAND_TO_AGENT = Button("Hand to agent", "Send blocking findings to the agent", "hand_to_agent")
RELEASE_HOLD = Button("Release hold", "Approve this commit", "release_hold")
COMMIT_TEST = Button("Commit test", "Add the report's test to this branch", "commit_test")
MOST_BUTTONS = 3
"""GitHub's limit per Check Run."""


def buttons_for(
    report: ValidationReport | None,
    hold: HoldFacts | None = None,
    *,
    can_hand_back: bool = True,
    can_commit: bool = False,
) -> tuple[Button, ...]:
    """Return the buttons that have an effect now, at most three.

    `can_hand_back`: a fix cycle may start. `can_commit`: the App may commit to the head branch.
    """
    if report is None:
        return (RERUN,)
    may_hand_back = can_hand_back and report.blocking and configuration_of(report).hand_back is not HandBack.off
    may_release = report.hold and not takes_words(report, hold)
    may_commit = can_commit and bool(committable_tests(report))
    optional = ((HAND_TO_AGENT, may_hand_back), (RELEASE_HOLD, may_release), (COMMIT_TEST, may_commit))
    return (RERUN, *(button for button, has_effect in optional if has_effect))[:MOST_BUTTONS]
