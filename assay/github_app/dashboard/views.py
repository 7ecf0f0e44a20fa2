"""What each page shows, taken out of the store: plain values for the templates."""

from __future__ import annotations

from typing import Any

from assay.github_app.store import PullRow, RunRow, Store
from assay.validators import ValidationReport, ValidatorError, read_report

MOST_RUNS = 50


def overview_view(store: Store) -> dict[str, Any]:
    """The newest runs, with the pull request of each."""
    rows = []
    for run in store.runs.latest(MOST_RUNS):
        repository = store.repositories.get(run.repository_id)
        pull = store.pulls.get(run.repository_id, run.number) if run.number is not None else None
        rows.append({"run": run, "repository": repository.full_name if repository else "?", "pull": pull})
    return {"rows": rows, "counts": store.runs.counts()}


def jobs_view(store: Store) -> dict[str, Any]:
    """Workers, what is being done, and what was given up."""
    return {
        "workers": store.leases.all(),
        "runs": store.runs.unended(),
        "deliveries": store.deliveries.counts(),
        "oldest": store.deliveries.oldest_waiting(),
        "parked": store.deliveries.parked(),
    }


def pull_view(store: Store, full_name: str, number: int) -> dict[str, Any] | None:
    """A pull request: its newest report, and what happened to it; None where nothing is known of it."""
    repository = store.repositories.named(full_name)
    pull = store.pulls.get(repository.id, number) if repository else None
    if repository is None or pull is None:
        return None
    run = store.runs.newest(repository.id, number)
    return {
        "repository": full_name,
        "pull": pull,
        "run": run,
        "report": _report(store, run, pull),
        "holds": store.holds.history(repository.id, number),
        "events": store.events.of(repository.id, number),
    }


def _report(store: Store, run: RunRow | None, pull: PullRow) -> ValidationReport | None:
    newest = store.runs.newest_reported(pull.repository_id, pull.number)
    shown = newest if run is None or run.reported_at is None else run
    data = store.runs.report(shown.id) if shown is not None else None
    if data is None:
        return None
    try:
        return read_report(data)
    except ValidatorError:
        # Written by another version: the row's own figures are shown, and the report is not.
        return None
