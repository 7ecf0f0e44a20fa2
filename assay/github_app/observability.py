"""What the operator sees: one JSON object a line in the log, without secrets, and figures for Prometheus.

Every line carries the delivery and the run it belongs to. Whatever a line is made of (message, arguments, traceback,
extra fields) is searched for secrets once, when it is finished: there is no way around that.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from pythonjsonlogger.json import JsonFormatter

REDACTED = "[redacted]"
MOST_LINE = 32_768
"""Characters of one log line: a traceback full of a stranger's text must not fill the disk."""

_FORMS = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|gh[a-z]_[A-Za-z0-9_.-]{10,}|github_pat_\w{10,}|v1\.[0-9a-f]{40}"
    r"|eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*"
    r"|assay_[A-Za-z0-9_-]{43}[0-9a-f]{0,8}"
    r"|sk-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}|AKIA[0-9A-Z]{16}"
    r"|sha256=[0-9a-f]{64}"
    r"|(?<=://)[^/@\s\"'\\]+:[^/@\s\"'\\]*(?=@)"
    r"|(?i:(?:access_token|client_secret|private_key|webhook_secret|password|api_key)\\?[\"']?\s*[=:]\s*\\?[\"']?)"
    r"[^\s\"'\\&,}]{4,}"
)
_SECRETS = re.compile(_FORMS + r"|(?i:\b(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{8,}", re.DOTALL)
# People write of "basic authentication" and of "the token endpoint": there it takes a long word with a digit.
_IN_PROSE = re.compile(
    _FORMS + r"|(?i:\b(?:bearer|basic|token)\s+)(?=[^\s\d]{0,80}\d)[A-Za-z0-9._~+/=-]{16,}", re.DOTALL
)

_delivery: ContextVar[str | None] = ContextVar("delivery", default=None)
_run: ContextVar[str | None] = ContextVar("run", default=None)
_known_secrets: set[str] = set()
_lock = threading.Lock()


def hide(secret: str | None) -> None:
    """From now on this text never appears in a log line, whatever it looks like. Texts under 6 characters are kept."""
    for part in (secret or "").splitlines():
        # The line that begins a key is no secret, and by it other keys are recognised.
        if len(part.strip()) >= 6 and not part.strip().startswith("-----"):
            with _lock:
                _known_secrets.update({part.strip(), json.dumps(part.strip())[1:-1]})


def redact(text: str, *, is_prose: bool = False) -> str:
    """The text without anything that is or looks like a credential; of prose, plain words after `token` stay."""
    with _lock:
        known = sorted(_known_secrets, key=len, reverse=True)
    for secret in known:
        text = text.replace(secret, REDACTED)
    return (_IN_PROSE if is_prose else _SECRETS).sub(REDACTED, text)


@contextlib.contextmanager
def about(*, delivery: str | None = None, run: str | None = None) -> Iterator[None]:
    """Log lines within carry these ids."""
    tokens = [(var, var.set(value)) for var, value in ((_delivery, delivery), (_run, run)) if value is not None]
    try:
        yield
    finally:
        for var, token in reversed(tokens):
            var.reset(token)


class SafeFormatter(JsonFormatter):
    """One line of JSON, with ids, cut to size, without secrets."""

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
    """Send everything that is logged in this process, by whatever library, through the safe formatter."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(SafeFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        # These bring handlers of their own, which would write past the formatter; a level set before is not ours.
        named = logging.getLogger(name)
        named.handlers[:] = []
        named.propagate, named.disabled = True, False
        named.setLevel(logging.NOTSET)
    # This one brings its own later, unless it has one.
    jobs = logging.getLogger("dbos")
    jobs.handlers[:], jobs.propagate = [handler], False
    for name in ("dbos", "urllib3", "github", "alembic", "uvicorn.access", "apprise"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))


# ------------------------------------------------------------------ figures

METRICS = CollectorRegistry()
"""Everything `/metrics` shows."""

DELIVERIES = Counter(
    "assay_deliveries", "Webhook deliveries, by event and what became of them.", ["event", "result"], registry=METRICS
)
ACKNOWLEDGED = Histogram(
    "assay_delivery_ack_seconds",
    "From the first byte of a delivery to its answer.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10),
    registry=METRICS,
)
HANDLED = Histogram(
    "assay_delivery_handling_seconds",
    "From receiving a delivery to having handled it.",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300, 3600),
    registry=METRICS,
)
QUEUED = Gauge(
    "assay_queue_depth", "Deliveries and runs that have not ended, by state.", ["queue", "state"], registry=METRICS
)
RUNS = Counter("assay_runs", "Validation runs that ended, by outcome.", ["outcome"], registry=METRICS)
JUDGING = Histogram(
    "assay_judging_seconds",
    "Checkout and judging of one head.",
    buckets=(1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200),
    registry=METRICS,
)
PARKED = Counter(
    "assay_jobs_parked", "Jobs given up until a person releases them, by kind.", ["kind"], registry=METRICS
)
TAKEN_OVER = Counter(
    "assay_jobs_taken_over", "Jobs of dead workers that this worker put back in line.", registry=METRICS
)
GITHUB_REQUESTS = Counter(
    "assay_github_requests", "Requests to GitHub, by method and status.", ["method", "status"], registry=METRICS
)
GITHUB_REMAINING = Gauge(
    "assay_github_rate_remaining", "Requests left in this hour, by installation.", ["installation"], registry=METRICS
)
GITHUB_WAITS = Counter("assay_github_limit_waits", "Times GitHub told us to wait.", ["kind"], registry=METRICS)


def answered(installation_id: int | None, method: str, status: int, headers: Mapping[str, str]) -> None:
    """Count an answer of GitHub's; the App's own requests stand under installation 0."""
    GITHUB_REQUESTS.labels(method, str(status)).inc()
    remaining = headers.get("x-ratelimit-remaining", "")
    if remaining.isascii() and remaining.isdigit() and headers.get("x-ratelimit-resource", "core") == "core":
        GITHUB_REMAINING.labels(str(installation_id or 0)).set(int(remaining[:9]))
    if status in (403, 429) and ("retry-after" in headers or remaining == "0"):
        GITHUB_WAITS.labels("primary" if remaining == "0" else "secondary").inc()
