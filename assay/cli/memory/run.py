"""The command `assay memory run`: a whole evaluation."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.memory.examining import Asked, chosen, examination_options, examined
from assay.cli.memory.outputs import exit_code, fail_under_option, publish
from assay.cli.outputs import Output


@click.command("run", short_help="Run a dialogue and questions on an agent, and grade it")
@examination_options
@click.option("--seed", type=int, default=42, show_default=True, help="Seed of the generated exam.")
@fail_under_option
def run_command(fail_under: float | None, **options: Any) -> int:
    """Run a dialogue and questions on an agent, and grade it.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    report = examined(chosen(Asked(**options)))
    publish(report, [Output("terminal")])
    return exit_code(report, fail_under)
