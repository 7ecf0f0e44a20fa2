"""`assay memory run`: one examination, from the first turn to the report."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.memory.examining import Asked, chosen, examination_options, examined
from assay.cli.memory.outputs import exit_code, fail_under_option, publish
from assay.cli.outputs import Output


@click.command("run", short_help="Teach an agent, ask it, grade, report.")
@examination_options
@click.option("--seed", type=int, default=42, show_default=True, help="Another seed is another world.")
@fail_under_option
def run_command(fail_under: float | None, **options: Any) -> int:
    """Teach an agent a dialogue, ask it, grade its answers, and report.

    Exit code: 0 fine, 1 below --fail-under, 2 usage, 3 the run says nothing of the agent's memory.
    """
    report = examined(chosen(Asked(**options)))
    publish(report, [Output("terminal")])
    return exit_code(report, fail_under)
