"""A worker whose judging takes recorded durations: its report is one that was made before, for the head at hand.

Every twentieth head is validated in earnest. Everything else is the App's: jobs, GitHub, Check Runs, stored reports.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.github.events.model import PullFacts
from assay.github.pull_request.validate import configuration_hash
from assay.github_app.ops import observability
from assay.github_app.ops.settings import Settings, read_settings
from assay.github_app.outcomes import validation_completed
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runs.validate_head import HeadValidator
from assay.github_app.runtime.context import Context
from assay.github_app.server.worker import Worker, opened
from assay.github_app.store import RunRow
from assay.validators import read_report

RECORDED_REPORT = "LOAD_REPORT"
DURATIONS = "LOAD_DURATIONS_S"
"""Environment variables: a report as JSON, and seconds separated by spaces."""
IN_EARNEST = 20


class RecordedValidator:
    """Validator that waits as long as a recorded validation took; the same head always waits as long."""

    def __init__(self, settings: Settings) -> None:
        self._real = HeadValidator(settings)
        self._report = read_report(Path(os.environ[RECORDED_REPORT]).read_bytes())
        self._durations = [float(one) for one in os.environ[DURATIONS].split()]

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        chance = int.from_bytes(hashlib.sha256(run.id.encode()).digest()[:4])
        if chance % IN_EARNEST == 0:
            self._real.validate(run, pull, context, stop, on_started)
            return
        on_started(os.getpid())
        if stop.wait(self._durations[chance % len(self._durations)]):
            return
        made = self._report
        base, head = replace(made.base, sha=pull.base_sha), replace(made.head, sha=run.head_sha)
        report = replace(made, base=base, head=head, merge_base=pull.base_sha)
        config = configuration_hash(report)
        validation_completed(context.store, run, report, context.clock(), config_hash=config, is_final=False)


def main() -> None:
    settings = read_settings()
    observability.set_up_logging(settings.log_level)
    with opened(settings) as context:
        worker = Worker(context, RecordedValidator(settings), RunPublisher())
        ended = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: ended.set())
        worker.start()
        ended.wait()
        worker.stop()


if __name__ == "__main__":
    main()
