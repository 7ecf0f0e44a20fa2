"""Measure how review comments are compared: `python -m tests.repeats replay`."""

from __future__ import annotations

import sys

import click

from assay.cli.main import run
from tests.repeats.replay_command import replay_command


@click.group("repeats", commands=(replay_command,))
def repeats() -> None:
    """Measure how review comments are compared."""


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], repeats))
