"""One commit as the head of several pull requests: GitHub keeps the newest check of a name for a commit, not for each.

So a verdict on the commit counts for all of them, also the one given against another base, whose settings are laxer.
Anybody can open a second pull request. Hence the worst verdict of the open ones stands on each of their Check Runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.github.client import CheckConclusion
from assay.github.publish import BLOCKS, Other
from assay.github_app.runtime.context import Context
from assay.github_app.store import PullRow, RunRow, RunState

KEPT = ("run", "conclusion")
"""What is kept beside a publication: the run, and its own conclusion, before that of others is put in."""


def others_that_block(run: RunRow, context: Context) -> tuple[Other, ...]:
    """The other open pull requests of this head that may not be merged, or are not judged yet."""
    rows = context.store.pulls.with_head(run.repository_id, run.head_sha)
    found = (_blocking(row, context) for row in rows if row.number != run.number)
    return tuple(other for other in found if other is not None)


def refresh_others(repository_id: int, head_sha: str, but: int | None, context: Context) -> None:
    """Have the verdicts of all other pull requests of this head looked at again, closed ones too: theirs stand on."""
    newest = {run.number: run for run in context.store.runs.with_sha(repository_id, head_sha)}
    for number, run in newest.items():
        if number is not None and number != but and _speaks(run):
            context.ask_refresh(run.id, why="same-head")


def standing_of(run: RunRow, conclusion: CheckConclusion | None) -> Mapping[str, str]:
    """What to keep beside a publication, so that others of its head can ask how it ended; nothing while it waits."""
    return {} if conclusion is None else dict(zip(KEPT, (run.id, str(conclusion)), strict=True))


def _speaks(run: RunRow) -> bool:
    """Whether a verdict of it stands on GitHub, or is being put there just now, maybe without knowing of ours."""
    return run.state in (RunState.waiting, RunState.completed) or (
        run.state is RunState.running and run.reported_at is not None
    )


def _blocking(row: PullRow, context: Context) -> Other | None:
    run = context.store.runs.of_head(row.repository_id, row.number, row.head_sha)
    if run is not None and run.state is RunState.failed:
        return Other(row.number, CheckConclusion.failure, "could not be judged")
    told = context.store.published.get(row.repository_id, row.number).extra
    if run is None or told.get("run") != run.id:
        return Other(row.number, CheckConclusion.action_required, "is not judged yet")
    conclusion = CheckConclusion(told["conclusion"])
    return Other(row.number, conclusion, f"ended in {conclusion}") if conclusion in BLOCKS else None
