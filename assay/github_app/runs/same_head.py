"""Several pull requests with the same head commit: all of them show the worst verdict.

GitHub keeps one check per name and commit, so a verdict against one base would also count for the others, and any user
can open a second pull request against a base with laxer configuration.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.github.client import CheckConclusion
from assay.github.publish import BLOCKS, Other
from assay.github_app.runtime.context import Context
from assay.github_app.store import PullRow, RunRow, RunState

KEPT = ("run", "conclusion")
"""Keys stored with a publication: the run, and its own conclusion before other verdicts are merged in."""


def others_that_block(run: RunRow, context: Context) -> tuple[Other, ...]:
    """Return the other open pull requests of this head that block or have no verdict yet."""
    rows = context.store.pulls.with_head(run.repository_id, run.head_sha)
    found = (_blocking(row, context) for row in rows if row.number != run.number)
    return tuple(other for other in found if other is not None)


def refresh_others(repository_id: int, head_sha: str, but: int | None, context: Context) -> None:
    """Refresh all other pull requests of this head, closed ones too, because their Check Runs stay on the commit."""
    newest = {run.number: run for run in context.store.runs.with_sha(repository_id, head_sha)}
    for number, run in newest.items():
        if number is not None and number != but and _is_shown(run):
            context.ask_refresh(run.id, why="same-head")


def standing_of(run: RunRow, conclusion: CheckConclusion | None) -> Mapping[str, str]:
    """Return the data stored with a publication for other pull requests of its head; {} without a conclusion."""
    return {} if conclusion is None else dict(zip(KEPT, (run.id, str(conclusion)), strict=True))


def _is_shown(run: RunRow) -> bool:
    """Return whether its verdict is on GitHub, or is being published now, possibly without ours merged in."""
    return run.state in (RunState.waiting, RunState.completed) or (
        run.state is RunState.running and run.reported_at is not None
    )


def _blocking(row: PullRow, context: Context) -> Other | None:
    run = context.store.runs.of_head(row.repository_id, row.number, row.head_sha)
    if run is not None and run.state is RunState.failed:
        return Other(row.number, CheckConclusion.failure, "could not be validated")
    extra = context.store.published.get(row.repository_id, row.number).extra
    if run is None or extra.get("run") != run.id:
        return Other(row.number, CheckConclusion.action_required, "has no verdict yet")
    conclusion = CheckConclusion(extra["conclusion"])
    return Other(row.number, conclusion, f"ended in {conclusion}") if conclusion in BLOCKS else None
