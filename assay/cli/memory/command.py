"""The command group `assay memory`."""

from __future__ import annotations

import click

from assay.cli.display.in_order import InOrder
from assay.cli.memory.datasets import build_dataset_command, download_dataset_command, list_datasets_command
from assay.cli.memory.exams import grade_command, merge_command, report_command, world_command
from assay.cli.memory.run import benchmark_command, compare_command, run_command
from assay.cli.memory.stores import drift_command, inspect_command

COMMANDS = (
    run_command,
    compare_command,
    inspect_command,
    drift_command,
    world_command,
    grade_command,
    report_command,
    merge_command,
    benchmark_command,
    list_datasets_command,
    download_dataset_command,
    build_dataset_command,
)


@click.group("memory", cls=InOrder, commands=COMMANDS)
def memory_command() -> None:
    """Evaluate an agent's memory.

    `run` does a whole evaluation. For agents it cannot reach, `world` writes the exam and `grade` grades the answers.
    """
