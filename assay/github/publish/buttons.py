"""The buttons under a Check Run of the App; a press comes back by its identifier."""

from __future__ import annotations

from assay.github.client import Button
from assay.github.publish.hold import HoldFacts, takes_words
from assay.validators import HandBack, ValidationReport, configuration_of

RERUN = Button("Re-run", "Judge this commit once more", "rerun")
HAND_TO_AGENT = Button("Hand to agent", "Give the agent what blocks, to fix it", "hand_to_agent")
RELEASE_HOLD = Button("Release hold", "Let this commit go, on your word", "release_hold")


def buttons_for(
    report: ValidationReport | None, hold: HoldFacts | None = None, *, can_hand_back: bool = True
) -> tuple[Button, ...]:
    """Return those that can do something now for somebody.

    Args:
        report: the report on the head; None where there is none.
        hold: its hold.
        can_hand_back: whether a fix cycle may begin, which the report alone does not tell.
    """
    if report is None:
        return (RERUN,)
    may_hand_back = can_hand_back and report.blocking and configuration_of(report).hand_back is not HandBack.off
    may_release = report.hold and not takes_words(report, hold)
    return (RERUN, *([HAND_TO_AGENT] if may_hand_back else []), *([RELEASE_HOLD] if may_release else []))
