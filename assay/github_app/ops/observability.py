"""Logging as JSON lines without secrets, and metrics for Prometheus.

Every line has the ids of its delivery and run. Secrets are redacted in the finished line, so message, arguments,
traceback and extra fields are all covered.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from pythonjsonlogger.json import JsonFormatter

from assay.secret_forms import IN_LOGS, IN_PROSE

REDACTED = "[redacted]"
MOST_LINE = 32_768
"""Maximum characters of a log line: a traceback with untrusted text must not fill the disk."""

_delivery: ContextVar[str | None] = ContextVar("delivery", default=None)
_run: ContextVar[str | None] = ContextVar("run", default=None)
_known_secrets: set[str] = set()
_lock = threading.Lock()


def hide(secret: str | None) -> None:
    """Redact each line of this text in all further log lines, except lines under 6 characters."""
    for part in (secret or "").splitlines():
        # The first line of a key is not secret, and the pattern needs it to recognise keys.
        if len(part.strip()) >= 6 and not part.strip().startswith("-----"):
            with _lock:
                _known_secrets.update({part.strip(), json.dumps(part.strip())[1:-1]})


def redact(text: str, *, is_prose: bool = False) -> str:
    """Return the text without known and apparent credentials; in prose, plain words after `token` stay."""
    with _lock:
        known = sorted(_known_secrets, key=len, reverse=True)
    for secret in known:
        text = text.replace(secret, REDACTED)
    return (IN_PROSE if is_prose else IN_LOGS).sub(REDACTED, text)


@contextlib.contextmanager
def about(*, delivery: str | None = None, run: str | None = None) -> Iterator[None]:
    """Add these ids to all log lines within."""
    tokens = [(var, var.set(value)) for var, value in ((_delivery, delivery), (_run, run)) if value is not None]
    try:
        yield
    finally:
        for var, token in reversed(tokens):
            var.reset(token)


class SafeFormatter(JsonFormatter):
    """Formatter of JSON lines: with ids, truncated, without secrets."""

    def __init__(self) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger"},
            timestamp="at",
            json_ensure_ascii=True,
        )

    def format(self, record: logging.LogRecord) -> str:
        line = redact(super().format(record))
        if len(line) <= MOST_LINE:
            return line
        short = {"level": record.levelname, "logger": record.name, "cut": line[: MOST_LINE // 2], **_ids()}
        return json.dumps(short)

    def add_fields(
        self, log_data: dict[str, object], record: logging.LogRecord, message_dict: dict[str, object]
    ) -> None:
        super().add_fields(log_data, record, message_dict)
        log_data.pop("color_message", None)  # the same as the message, for terminals
        log_data.update(_ids())


def _ids() -> dict[str, str]:
    named = {"delivery": _delivery.get(), "run": _run.get()}
    return {name: value for name, value in named.items() if value is not None}


def set_up_logging(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Send all log records of this process, also of libraries, through `SafeFormatter`."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(SafeFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        # uvicorn installs its own handlers, which bypass the formatter, and may have set a level.
        named = logging.getLogger(name)
        named.handlers[:] = []
        named.propagate, named.disabled = True, False
        named.setLevel(logging.NOTSET)
    # DBOS installs its own handler later, unless the logger has one.
    jobs = logging.getLogger("dbos")
    jobs.handlers[:], jobs.propagate = [handler], False
    for name in ("dbos", "urllib3", "github", "alembic", "uvicorn.access", "apprise"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))


# ------------------------------------------------------------------ metrics

METRICS = CollectorRegistry()
"""Metrics of `/metrics`."""

DELIVERIES = Counter(
    "assay_deliveries", "Webhook deliveries, by event and result.", ["event", "result"], registry=METRICS
)
ACKNOWLEDGED = Histogram(
    "assay_delivery_ack_seconds",
    "Seconds from the first byte of a delivery to the response.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10),
    registry=METRICS,
)
HANDLED = Histogram(
    "assay_delivery_handling_seconds",
    "Seconds from receiving a delivery to the end of its job.",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300, 3600),
    registry=METRICS,
)
QUEUED = Gauge(
    "assay_queue_depth",
    "Unfinished deliveries and runs, and dead deliveries, by state.",
    ["queue", "state"],
    registry=METRICS,
)
OLDEST_S = Gauge(
    "assay_delivery_oldest_seconds", "Age of the oldest unfinished delivery; 0 if there is none.", registry=METRICS
)
WORKERS = Gauge("assay_workers", "Workers whose last heartbeat is younger than the lease.", registry=METRICS)
RUNS = Counter("assay_runs", "Ended validation runs, by outcome.", ["outcome"], registry=METRICS)
for _outcome in ("completed", "superseded", "cancelled", "failed"):
    RUNS.labels(_outcome)  # from 0: Prometheus sees no increase in a series that begins
VALIDATION_SECONDS = Histogram(
    "assay_validation_seconds",
    "Seconds to check out and validate one head.",
    buckets=(1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200),
    registry=METRICS,
)
DEAD_LETTERED = Counter("assay_jobs_parked", "Jobs that are no longer retried, by kind.", ["kind"], registry=METRICS)
TAKEN_OVER = Counter("assay_jobs_taken_over", "Jobs of dead workers that this worker re-enqueued.", registry=METRICS)
GITHUB_REQUESTS = Counter(
    "assay_github_requests", "Requests to GitHub, by method and status.", ["method", "status"], registry=METRICS
)
GITHUB_REMAINING = Gauge(
    "assay_github_rate_remaining",
    "Requests (core) and points (graphql) left in this hour, by installation.",
    ["installation", "resource"],
    registry=METRICS,
)
_RESETS: dict[tuple[str, str], int] = {}
"""When each of these hours ends, in seconds since 1970."""
GITHUB_WAITS = Counter("assay_github_limit_waits", "Rate limits hit, by kind.", ["kind"], registry=METRICS)


def answered(installation_id: int | None, method: str, status: int, headers: Mapping[str, str]) -> None:
    """Count a response from GitHub; requests without an installation count under 0."""
    GITHUB_REQUESTS.labels(method, str(status)).inc()
    remaining = headers.get("x-ratelimit-remaining", "")
    resource = headers.get("x-ratelimit-resource", "core")
    # Other limits are small, and nothing that waits depends on them.
    if remaining.isascii() and remaining.isdigit() and resource in ("core", "graphql"):
        limit = (str(installation_id or 0), resource)
        GITHUB_REMAINING.labels(*limit).set(int(remaining[:9]))
        resets_at = headers.get("x-ratelimit-reset", "")
        if resets_at.isascii() and resets_at.isdigit():
            _RESETS[limit] = int(resets_at[:12])
    if status in (403, 429) and ("retry-after" in headers or remaining == "0"):
        GITHUB_WAITS.labels("primary" if remaining == "0" else "secondary").inc()


def forget_past_hours(now_s: float) -> None:
    """Show no more what was left of hours that ended: an installation that is quiet since has all its requests."""
    for limit, resets_at in list(_RESETS.items()):
        if resets_at <= now_s:
            GITHUB_REMAINING.remove(*limit)
            del _RESETS[limit]
