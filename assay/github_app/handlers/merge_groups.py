"""The merge queue wants an answer within seconds: the verdicts of the group's pull requests are carried over."""

from __future__ import annotations

from assay.github.events.model import MergeGroupEvent
from assay.github_app.runs.merge_queue import answer
from assay.github_app.runtime.context import Context


def on_merge_group(event: MergeGroupEvent, context: Context) -> None:
    """Answer for the group's head; a group that was taken apart needs none."""
    if event.about.action == "checks_requested":
        answer(event, context)
