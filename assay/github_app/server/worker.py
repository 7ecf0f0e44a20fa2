"""Worker: takes deliveries, runs jobs, renews its lease and schedules maintenance; `serve` adds the web server.

On SIGTERM it takes no more jobs, waits the grace period for running ones, and leaves the rest to the next worker. A
killed worker leaves all of them: jobs are durable.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from fastapi import APIRouter, FastAPI

from assay.github.client import Github, Repo
from assay.github.errors import SettingsError, StoreUnavailable
from assay.github_app.handlers import refresh_head
from assay.github_app.maintenance.memory_alert import WORSE, memory_alert_job
from assay.github_app.maintenance.purge import purge_job
from assay.github_app.maintenance.sweep import sweep_job
from assay.github_app.ops import observability
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.ops.settings import Settings
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runs.sources import delete_inaccessible_clones
from assay.github_app.runs.steps import Publisher, Validator, WorkerHandle
from assay.github_app.runs.validate_head import HeadValidator
from assay.github_app.runtime.context import Context, now
from assay.github_app.runtime.queues import Queues
from assay.github_app.server.app import make_app, make_monitor
from assay.github_app.server.dispatcher import Dispatcher, Rush
from assay.github_app.server.engine import POLL_S, JobEngine
from assay.github_app.server.leases import Lease, take_name
from assay.github_app.store import MemoryRunRow, Store
from assay.github_app.web.http.slow_clients import web_server
from assay.github_app.web.uploads.memory_results import MemoryResults
from assay.github_app.web.uploads.routes import router, tokens_of
from assay.github_app.web.uploads.tool_results import Results

if TYPE_CHECKING:
    from socket import socket  # noqa: TID251 - for annotations: uvicorn opens it

_log = logging.getLogger(__name__)
GRACE_S = 20.0
"""Seconds a stopping worker waits for its jobs; container platforms kill after 30."""
SWITCH_S = 0.0005
"""Seconds a thread keeps the interpreter while another waits; a tenth of Python's default."""


class Worker:
    """Worker of this process. `start` once, `stop` once."""

    def __init__(self, context: Context, validator: Validator, publisher: Publisher) -> None:
        """Take a worker name. Raises `SettingsError` where another process has it."""
        settings = context.settings
        self._context = context
        self._name = take_name(settings)
        self._lease = Lease(context.store, str(self._name), settings.lease_s, self._take_over, self._put_back)
        self._handle = WorkerHandle(str(self._name), self._lease.holds, threading.Event())
        self._jobs = JobEngine(context, validator, publisher, self._handle)
        self.rush = Rush()
        self._dispatcher = Dispatcher(context, every_s=POLL_S / 2, rush=self.rush)
        self._clock = _Timekeeper(context)

    @property
    def name(self) -> str:
        """Name of this worker in leases, runs and jobs."""
        return str(self._name)

    def start(self) -> None:
        """Start to work. Raises `StoreUnavailable`."""
        self._lease.start()
        self._jobs.start()
        self._dispatcher.start()
        self._clock.start()
        _log.info("worker %s started", self.name)

    def stop(self, grace_s: float = GRACE_S) -> None:
        """Take no more jobs, wait for running ones, and leave the rest enqueued."""
        _log.info("worker %s stops", self.name)
        self._clock.stop()
        self._dispatcher.stop()
        self._jobs.stop(grace_s)
        self._lease.stop(is_idle=self._is_idle())
        self._name.release()

    def _take_over(self, executor: str) -> int:
        return self._jobs.take_over(executor)

    def _put_back(self) -> int:
        return self._jobs.put_back_lost(self._lease.lease_s)

    def _is_idle(self) -> bool:
        try:
            return not self._context.queues.running_at(self.name)
        except StoreUnavailable as error:
            _log.warning("cannot list unfinished jobs: %s", error)
            return False


class _Timekeeper:
    """Scheduler of maintenance jobs. All workers enqueue the same job ids, so each job runs once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="timekeeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        every_s = self._context.settings.sweep_s
        while True:
            at = self._context.clock()
            try:
                self._context.queues.put(sweep_job(int(at.timestamp() // every_s)))
                self._context.queues.put(purge_job(at.date().isoformat()))
                if num_gone := delete_inaccessible_clones(self._context):
                    _log.info("deleted %d cached clones of repositories without access", num_gone)
            except StoreUnavailable as error:
                _log.warning("maintenance not enqueued: %s", error)
            if self._stop.wait(every_s - at.timestamp() % every_s):
                return


@contextlib.contextmanager
def opened(settings: Settings) -> Iterator[Context]:
    """Open store, queues and GitHub client; close them at the end.

    Raises:
        SettingsError: an id or key is missing, or the database was migrated by a newer version of Assay.
        StoreUnavailable: the database cannot be reached.
    """
    if settings.app_id is None:
        raise SettingsError("ASSAY_APP_ID is not set; see `assay app create`")
    key = settings.key()
    observability.hide(key)
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"ASSAY_DATA_DIR: cannot create {settings.data_dir}: {error.strerror}") from None
    with contextlib.ExitStack() as closing:
        store = closing.enter_context(Store.open(settings.store_url()))
        queues = closing.enter_context(contextlib.closing(Queues(settings.jobs_url())))
        github = Github(
            settings.app_id,
            key,
            settings.github_api_url,
            seconds_between_writes=settings.write_pause_s,
            on_answer=observability.answered,
        )
        closing.enter_context(github)
        yield Context(store, github, settings, queues, now)


def work(settings: Settings) -> None:
    """Run a worker until SIGTERM or SIGINT. Raises `SettingsError`, `StoreUnavailable`."""
    observability.set_up_logging(settings.log_level)
    with opened(settings) as context:
        worker = _worker(context)
        ended = threading.Event()
        with _monitored(settings, context.store), _signals(lambda *_: ended.set()):
            worker.start()
            ended.wait()
            worker.stop()
    _leave()


def serve(settings: Settings, *, worker: bool = True) -> None:
    """Run the web server until SIGTERM or SIGINT; with `worker`, run a worker too.

    Raises `SettingsError`, also if the port is not available, and `StoreUnavailable`.
    """
    observability.set_up_logging(settings.log_level)
    # The worker's threads must yield often enough for webhooks to be answered between their steps.
    sys.setswitchinterval(SWITCH_S)
    with _bound(settings.host, settings.port, "ASSAY_PORT") as listener, opened(settings) as context:
        mine = _worker(context) if worker else None

        @contextlib.asynccontextmanager
        async def lifespan(_: FastAPI) -> AsyncIterator[None]:
            if mine is not None:
                await asyncio.to_thread(mine.start)
            yield

        app = make_app(
            settings, context.store, lifespan=lifespan, on_receipt=mine.rush.note if mine is not None else int
        )
        add_uploads(app, context)
        server = _Server(web_server(app))
        try:
            with _signals(server.handle_exit):
                server.run([listener])
        finally:
            if mine is not None:
                mine.stop()
    _leave()


def add_uploads(app: FastAPI, context: Context) -> None:
    """Add the routes for posted results. Without a trusted workflow they refuse each job, and say what to set."""
    app.include_router(_results(context))
    app.include_router(_memories(context))


def _worker(context: Context) -> Worker:
    return Worker(context, HeadValidator(context.settings), RunPublisher(now()))


def _results(context: Context) -> APIRouter:
    """Return the routes for posted tool results; a stored result refreshes the Check Runs of its head."""

    def opened(repository_id: int) -> Repo:
        return context.repo(repository_id, FOR_READING)

    settings = context.settings
    results = Results(tokens_of(settings), settings.trusted_workflows, opened, context.store)
    return router(results, on_stored=lambda kept: refresh_head(kept.repository_id, kept.head_sha, context))


def _memories(context: Context) -> APIRouter:
    """Return the routes for posted memory reports; a regression enqueues an alert."""

    def alert(run: MemoryRunRow) -> None:
        if run.regression == WORSE:
            context.queues.put(memory_alert_job(run))

    settings = context.settings
    memories = MemoryResults(tokens_of(settings), settings.trusted_workflows, context.store)
    return router(memories, on_stored=alert)


class _Server(uvicorn.Server):
    """Server without signal handlers: uvicorn's would end the process before the worker stops."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@contextlib.contextmanager
def _monitored(settings: Settings, store: Store) -> Iterator[None]:
    """Answer health checks and requests for metrics on the worker's port, if it has one."""
    if settings.worker_port is None:
        yield
        return
    server = _Server(web_server(make_monitor(settings, store)))
    with _bound(settings.host, settings.worker_port, "ASSAY_WORKER_PORT") as listener:
        thread = threading.Thread(target=server.run, args=([listener],), name="monitor", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def _bound(host: str, port: int, setting: str) -> Iterator[socket]:
    """Bind a port before the worker starts, so that a port in use starts no job."""
    try:
        listener = uvicorn.Config("", host=host, port=port, log_config=None).bind_socket()
    except SystemExit:
        raise SettingsError(
            f"{setting}: cannot bind {host} port {port}, see the line above; set another", code="settings.port-in-use"
        ) from None
    with listener:
        listener.set_inheritable(False)
        yield listener


@contextlib.contextmanager
def _signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for one, was in before.items():
            signal.signal(one, was)


def _leave() -> None:
    """Exit even if a job hangs in a request: its thread would keep the process alive, and the job is durable."""
    logging.shutdown()
    if any(thread.name.startswith("dbos-executor") and thread.is_alive() for thread in threading.enumerate()):
        os._exit(0)
