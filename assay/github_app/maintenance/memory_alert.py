"""Telling the operator's channels of a memory that got worse: once for each fall, and not again while it lasts.

In a job of its own, never in the web request: a channel may take its time, and is tried again.
"""

from __future__ import annotations

from assay.github_app.ops.alerts import Notice, addresses_in, alert_once, plain
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Line
from assay.github_app.store import MemoryRunRow, Store

KIND = "memory_regression"
WORSE = "true"
_HAIR = 1e-9


def memory_alert_job(run: MemoryRunRow) -> Job:
    """The job that tells of an examination, where there is something to tell."""
    job_id = f"memory:{run.repository_id}:{run.key}:{run.run_attempt}"
    return Job("tell_of_memory", job_id, Line.chores, (run.repository_id, run.key))


def tell_of_memory(context: Context, repository_id: int, key: str) -> str:
    """Tell of a kept examination if the memory got worse; what came of it, in a few words."""
    store = context.store
    run, repository = store.memory_runs.get(repository_id, key), store.repositories.get(repository_id)
    if run is None or repository is None or run.regression != WORSE or run.change is None:
        return "nothing to tell"
    if not is_news(run, store):
        return "told before"
    urls = context.settings.alert_urls
    addresses = addresses_in(urls.get_secret_value() if urls else None)
    web_url = f"{context.settings.github_url}/{repository.full_name}"
    sent = alert_once(store, _notice(run, repository.full_name, web_url), addresses, context.clock())
    return f"{sum(one.is_sent for one in sent)} of {len(sent)} channels told"


def is_news(run: MemoryRunRow, store: Store) -> bool:
    """Whether this is a fall nobody was told of: the run before was not worse, or it was worse than something else.

    While a memory stays bad each run is worse than the same report of before; that is one fall.
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
    moved = f"{change['before']:.1%} before, {change['after']:.1%} now, over {change['num_pairs']} questions"
    lines = [f"{plain(run.agent, 80)}: {moved}{within}", "", f"{web_url}/actions/runs/{run.run_id}"]
    title = f"Memory got worse: {plain(full_name, 140)}"
    data = {"workflow_run_id": run.run_id, "name": run.name}
    key = f"{run.repository_id}:{run.key}"
    return Notice(KIND, key, title, "\n".join(lines), (run.repository_id, None), data)
