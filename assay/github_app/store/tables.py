"""All tables in one place, for the migrations and the documents' test; each is written in the file of its group."""

from __future__ import annotations

from assay.github_app.store import (
    alerts,
    api_tokens,
    changed_lines,
    checks,
    cycles,
    deliveries,
    evaluations,
    experiments,
    holds,
    insight_tables,
    installations,
    leases,
    memory_runs,
    outcomes,
    prompt_versions,
    published,
    pull_tables,
    reverts,
    review_tables,
    rules_tables,
    run_tables,
    sessions,
    syncs,
    task_events,
    tasks,
    traces,
    waivers,
)
from assay.github_app.store.columns import METADATA

HOMES = (
    alerts,
    api_tokens,
    changed_lines,
    checks,
    cycles,
    deliveries,
    evaluations,
    experiments,
    holds,
    insight_tables,
    installations,
    leases,
    memory_runs,
    outcomes,
    prompt_versions,
    published,
    pull_tables,
    reverts,
    review_tables,
    rules_tables,
    run_tables,
    sessions,
    syncs,
    task_events,
    tasks,
    traces,
    waivers,
)
"""The files that hold tables; importing them is what fills `METADATA`."""

__all__ = ["HOMES", "METADATA"]
