"""The three buttons under a Check Run. GitHub sends back the identifier of the one that is pressed."""

from __future__ import annotations

from assay.github_app.github import Button

RERUN = Button("Re-run", "Judge this commit once more", "rerun")
HAND_BACK = Button("Hand to agent", "Give the agent its findings to fix", "hand-back")
RELEASE = Button("Release hold", "Let this commit go on as it is", "release")
