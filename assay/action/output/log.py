"""The log of a step. What the runner reads there as a command to itself is only ever what we mean as one.

A runner obeys lines that begin with `::`, and, in an older form, `##[` anywhere in a line. File names, commit titles
and what tools print are strangers' words: each is brought onto a line that begins with ours, and where nothing is to be
told to the runner it is asked to listen to nothing.
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
"""Set where whoever started us has done so already."""


def say(text: str, to: TextIO | None = None) -> None:
    """Put a text into the log, whatever it holds: each of its lines is one of ours."""
    for line in text.splitlines() or [""]:
        _put(log_line(line), to)


@contextmanager
def muted(env: Mapping[str, str]) -> Iterator[None]:
    """Have the runner take no commands from the log meanwhile. The word that ends it is nobody's to guess."""
    if env.get(IS_RUNNER) != "true" or env.get(IS_MUTED):
        yield
        return
    word = secrets.token_hex(16)
    _put(f"::stop-commands::{word}")
    try:
        yield
    finally:
        _put(f"\n::{word}::")


def command(line: str) -> None:
    """Put a line into the log as it is: one that is meant for the runner, or was brought onto a line of ours."""
    _put(line)


def log_by_us() -> None:
    """Bring what our own modules log, warnings and above, into the step's log by the same way."""
    handler = _Saying(level=logging.WARNING)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logging.basicConfig(handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


def _put(line: str, to: TextIO | None = None) -> None:
    stream = to or sys.stdout
    stream.write(f"{line}\n")
    stream.flush()


class _Saying(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record))
