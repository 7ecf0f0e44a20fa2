"""The log of a step, safe from injected workflow commands.

The runner executes lines that begin with `::` and, in an older form, `##[` anywhere in a line. File names, titles and
tool output are untrusted: each line gets a prefix, and the runner ignores commands while none are needed.
"""

from __future__ import annotations

import logging
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from assay.action.output.annotations import log_line

IS_RUNNER = "GITHUB_ACTIONS"
IS_MUTED = "ASSAY_ACTION_MUTED"
"""Set if the calling process already stopped commands."""


def say(text: str, to: TextIO | None = None) -> None:
    """Log a text, each line with our prefix."""
    for line in text.splitlines() or [""]:
        command(log_line(line), to)


@contextmanager
def muted(env: Mapping[str, str]) -> Iterator[None]:
    """Stop workflow commands in the log for the duration; the word that ends this is random."""
    if env.get(IS_RUNNER) != "true" or env.get(IS_MUTED):
        yield
        return
    word = secrets.token_hex(16)
    command(f"::stop-commands::{word}")
    try:
        yield
    finally:
        command(f"\n::{word}::")


def command(line: str, to: TextIO | None = None) -> None:
    """Log a line unchanged: a command for the runner, or a line with our prefix."""
    stream = to or sys.stdout
    stream.write(f"{line}\n")
    stream.flush()


def log_by_us() -> None:
    """Route warnings and errors of Assay's own modules into the step's log."""
    handler = _Saying(level=logging.WARNING)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logging.basicConfig(handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


class _Saying(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record))
