"""Alerts on memory regressions: one per regression, not repeated while it lasts.

The alert runs as a job, not in the web request, because channels can be slow and are retried.
"""

from __future__ import annotations

from assay.github.external_results.memory_payload import CHANGES
from assay.github_app.ops.alerts import Notice, addresses_in, alert_once, plain
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Queue
from assay.github_app.store import MemoryRunRow, Store

KIND = "memory_regression"
WORSE = "true"
_HAIR = 1e-9


def memory_alert_job(run: MemoryRunRow) -> Job:
    """Return the job that sends the alert for a memory report."""
    job_id = f"memory:{run.repository_id}:{run.key}:{run.run_attempt}"
    return Job("tell_of_memory", job_id, Queue.chores, (run.repository_id, run.key))


def tell_of_memory(context: Context, repository_id: int, key: str) -> str:
    """Send the alert for a stored memory report if it is a new regression; return a summary."""
    store = context.store
    run, repository = store.memory_runs.get(repository_id, key), store.repositories.get(repository_id)
    if run is None or repository is None or run.regression != WORSE or run.change is None:
        return "no regression"
    if not is_news(run, store):
        return "already alerted"
    addresses = addresses_in(context.settings.alert_urls)
    web_url = f"{context.settings.github_url}/{repository.full_name}"
    sent = alert_once(store, _notice(run, repository.full_name, web_url), addresses, context.clock())
    return f"alerted {sum(one.is_sent for one in sent)} of {len(sent)} channels"


def is_news(run: MemoryRunRow, store: Store) -> bool:
    """Return whether this regression has no alert yet: the run before was none, or had another baseline.

    While a memory stays bad, each run is worse than the same baseline; that is one regression.
    """
    last = store.memory_runs.before(run)
    if last is None or last.regression != WORSE or last.change is None or run.change is None:
        return True
    same_run = last.change["baseline_run"] == run.change["baseline_run"]
    return not (same_run and abs(last.change["before"] - run.change["before"]) < _HAIR)


def _notice(run: MemoryRunRow, full_name: str, web_url: str) -> Notice:
    change = run.change or {}
    low, high = change.get("low"), change.get("high")
    within = "" if low is None or high is None else f" (95% interval of the change {low:+.1%} to {high:+.1%})"
    what = "facts held" if change.get("measure") == "facts" else "questions"
    over = f"over {change['num_pairs']} {what}" if change["num_pairs"] else f"{what} of different worlds"
    moved = f"{change['before']:.1%} before, {change['after']:.1%} now, {over}"
    if run.grading == CHANGES:
        kept = f"; {change['after']:.1%} of {change['num_pairs']} {change['measure']} kept"
        moved = "findings" + (kept if change["num_pairs"] else "")
    lines = [f"{plain(run.agent, 80)}: {moved}{within}", "", f"{web_url}/actions/runs/{run.run_id}"]
    title = f"Memory regression: {plain(full_name, 140)}"
    data = {"workflow_run_id": run.run_id, "name": run.name}
    key = f"{run.repository_id}:{run.key}"
    return Notice(KIND, key, title, "\n".join(lines), (run.repository_id, None), data)
