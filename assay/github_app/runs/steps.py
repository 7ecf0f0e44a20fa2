"""One validation run in a worker, from its place in line to a report in the store.

Every step may be done twice (a worker can die at any line), so each first looks how far the run is.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from assay.github.client import Repo
from assay.github.errors import StoreUnavailable
from assay.github.events.model import PullFacts, RepositoryFacts
from assay.github_app import observability
from assay.github_app.outcomes import see_pull
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.retries import Interrupted
from assay.github_app.store import RunRow, RunState

_log = logging.getLogger(__name__)
LOOK_S = 1.0
"""How often a running judge is asked whether it should stop."""


class Step(StrEnum):
    """What a run needs next."""

    judge = "judge"
    publish = "publish"
    conclude = "conclude"
    nothing = "nothing"


@dataclass(frozen=True, slots=True)
class Me:
    """The worker this runs in. `holds` says whether its lease stands, `stopping` is set when it is to end."""

    executor: str
    holds: Callable[[], bool]
    stopping: threading.Event

    def must_hold(self) -> None:
        """Raises `StoreUnavailable` where another worker may have taken over what we do."""
        if not self.holds():
            raise StoreUnavailable("this worker's lease ran out; the job is tried again")


class Judge(Protocol):
    """Judges a run's head and saves its report in the store."""

    def judge(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        """Returns when the report is saved, or soon after `stop` is set; by then no process of it is left.

        A process whose worker died ends by itself, so there is never one of an older run.

        Raises:
            CheckoutFailed, JudgingFailed, GithubRefused, GithubUnavailable, StoreUnavailable
        """


class Publisher(Protocol):
    """Says on GitHub how a run stands. Every method may be called again and leaves the same behind."""

    def begin(self, run: RunRow, pull: PullFacts, repo: Repo, context: Context) -> int:
        """Show that the head is being judged; the id of the Check Run, found before it is created."""

    def find(self, run: RunRow, repo: Repo) -> int | None:
        """The Check Run of a run, if it has one."""

    def cancel(self, run: RunRow, check_run_id: int, repo: Repo) -> None:
        """Conclude the Check Run as cancelled, with the run's reason."""

    def could_not_run(self, run: RunRow, check_run_id: int, repo: Repo) -> None:
        """Conclude the Check Run as failed for reasons of ours, with the run's error."""

    def publish(self, run: RunRow, pull: PullFacts, repo: Repo, context: Context) -> bool:
        """Bring Check Run, label, comment and review up to date; False while the head's own checks are waited for."""


class JudgingRuns:
    """The steps of `validate_head`."""

    def __init__(self, context: Context, judge: Judge, publisher: Publisher, me: Me) -> None:
        self._context = context
        self._judge = judge
        self._publisher = publisher
        self._me = me

    def begin(self, run_id: str) -> Step:
        """See whether the run still makes sense, and say on GitHub that it has begun."""
        store = self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None:
            return Step.nothing
        if run.state.is_ended:
            return Step.conclude
        if run.reported_at is not None:
            return Step.publish
        with self._context.repo(run.repository_id) as repo:
            pull = seen(self._context, run, repo)
            if not self._makes_sense(run, pull):
                return Step.conclude
            at = self._context.clock()
            if not store.runs.advance(
                run.id, RunState.running, at, executor=self._me.executor, process_group=None, base_sha=pull.base_sha
            ):
                return Step.conclude
            self._me.must_hold()
            check_run_id = self._publisher.begin(run, pull, repo, self._context)
            store.runs.set_check_run(run.id, check_run_id, at)
        return Step.judge

    def judge(self, run_id: str) -> Step:
        """Have the head judged; stops early when the run is cancelled, a newer head comes, or this worker ends."""
        store = self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None or run.state.is_ended:
            return Step.conclude
        if run.reported_at is not None:
            return Step.publish
        with self._context.repo(run.repository_id) as repo:
            pull = seen(self._context, run, repo)
        if not self._makes_sense(run, pull):
            return Step.conclude
        began = time.monotonic()
        with Watch(self._context, run.id, self._me) as watch:
            try:
                self._judge.judge(run, pull, self._context, watch.stop, lambda pid: self._started(run, pid))
            except Exception:
                # A judge that was told to stop may end in any way it likes.
                if not watch.stop.is_set():
                    raise
        if self._me.stopping.is_set() and watch.stop.is_set():
            raise Interrupted
        if watch.stop.is_set():
            return Step.conclude
        observability.JUDGING.observe(time.monotonic() - began)
        return Step.publish

    def conclude(self, run_id: str) -> Step:
        """End the Check Run of a run that was stopped; one that never began has none, and gets none."""
        run = self._context.store.runs.get(run_id)
        if run is not None and run.state in (RunState.superseded, RunState.cancelled):
            with self._context.repo(run.repository_id) as repo:
                check_run_id = run.check_run_id
                if check_run_id is None and run.started_at is not None:
                    check_run_id = self._publisher.find(run, repo)
                if check_run_id is not None:
                    self._publisher.cancel(run, check_run_id, repo)
        return Step.nothing

    def _makes_sense(self, run: RunRow, pull: PullFacts) -> bool:
        """Whether this is still the head to judge; if not, the run is ended and a newer head is asked for."""
        context = self._context
        state, reason = RunState.cancelled, None
        row = context.store.pulls.get(run.repository_id, pull.number)
        if pull.head_sha != run.head_sha:
            state, reason = RunState.superseded, f"superseded by {pull.head_sha[:12]}"
        elif pull.state == "closed" and not pull.is_merged:
            reason = "the pull request was closed"
        elif row is not None and row.is_paused:
            reason = f"paused by {row.paused_by}"
        if reason is None:
            return True
        if context.store.runs.advance(run.id, state, context.clock(), error=reason):
            observability.RUNS.labels(str(state)).inc()
        if state is RunState.superseded and pull.state == "open" and (row is None or not row.is_paused):
            context.ask_validation(run.repository_id, pull.number, pull.head_sha, "newer_head")
        return False

    def _started(self, run: RunRow, process_group: int) -> None:
        self._context.store.runs.advance(
            run.id, RunState.running, self._context.clock(), executor=self._me.executor, process_group=process_group
        )


def seen(context: Context, run: RunRow, repo: Repo) -> PullFacts:
    """The pull request of a run as GitHub describes it now, and remembered so."""
    if run.number is None:
        raise ValueError(f"{run.id} is not of a pull request")
    pull = repo.pull(run.number)
    row = context.store.repositories.get(run.repository_id)
    facts = (
        RepositoryFacts(row.id, repo.full_name, row.default_branch, row.is_private, row.is_archived)
        if row is not None
        else RepositoryFacts(run.repository_id, repo.full_name)
    )
    see_pull(context.store, facts, pull, context.clock())
    return pull


class Watch(AbstractContextManager["Watch"]):
    """Sets `stop` when the run was ended by somebody else, or this worker is to end."""

    def __init__(self, context: Context, run_id: str, me: Me) -> None:
        self.stop = threading.Event()
        self._context = context
        self._run_id = run_id
        self._me = me
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.is_set():
            if self._me.stopping.wait(LOOK_S) or self._was_ended():
                self.stop.set()
                return

    def _was_ended(self) -> bool:
        try:
            run = self._context.store.runs.get(self._run_id)
        except StoreUnavailable as error:
            _log.warning("whether to stop is not known just now: %s", error)
            return False
        return run is None or run.state.is_ended
