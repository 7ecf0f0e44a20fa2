"""The three buttons under a Check Run of the App; pressing one comes back by its identifier."""

from __future__ import annotations

from assay.github_app.github import Button
from assay.validators import HandBack, ValidationReport, configuration_of

RERUN = Button("Re-run", "Judge this commit once more", "rerun")
HAND_TO_AGENT = Button("Hand to agent", "Give the agent what blocks, to fix it", "hand_to_agent")
RELEASE_HOLD = Button("Release hold", "Let this commit go, on your word", "release_hold")


def buttons_for(report: ValidationReport | None) -> tuple[Button, ...]:
    """Those that have something to do."""
    if report is None:
        return (RERUN,)
    may_hand_back = report.blocking and configuration_of(report).hand_back is not HandBack.off
    return (RERUN, *([HAND_TO_AGENT] if may_hand_back else []), *([RELEASE_HOLD] if report.hold else []))
