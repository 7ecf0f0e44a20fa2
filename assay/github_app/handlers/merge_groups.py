"""Merge groups: carry over the verdicts of the group's pull requests, since the queue expects an answer in seconds."""

from __future__ import annotations

from assay.github.events.model import MergeGroupEvent
from assay.github_app.runs.merge_queue import answer
from assay.github_app.runtime.context import Context


def on_merge_group(event: MergeGroupEvent, context: Context) -> None:
    """Publish the verdict for the group's head; dissolved groups need none."""
    if event.about.action == "checks_requested":
        answer(event, context)
