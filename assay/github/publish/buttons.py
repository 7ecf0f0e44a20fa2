"""Buttons of the App's Check Run; GitHub reports a press with the button's identifier."""

from __future__ import annotations

from assay.github.client import Button
from assay.github.publish.hold import HoldFacts, takes_words
from assay.validators import HandBack, ValidationReport, configuration_of

RERUN = Button("Re-run", "Validate this commit again", "rerun")
HAND_TO_AGENT = Button("Hand to agent", "Send blocking findings to the agent", "hand_to_agent")
RELEASE_HOLD = Button("Release hold", "Approve this commit", "release_hold")


def buttons_for(
    report: ValidationReport | None, hold: HoldFacts | None = None, *, can_hand_back: bool = True
) -> tuple[Button, ...]:
    """Return the buttons that have an effect now.

    Args:
        report: the report on the head, if there is one.
        hold: its hold.
        can_hand_back: whether a fix cycle may start, which the report does not contain.
    """
    if report is None:
        return (RERUN,)
    may_hand_back = can_hand_back and report.blocking and configuration_of(report).hand_back is not HandBack.off
    may_release = report.hold and not takes_words(report, hold)
    return (RERUN, *([HAND_TO_AGENT] if may_hand_back else []), *([RELEASE_HOLD] if may_release else []))
