"""Output and exit code of evaluation reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from assay.cli.display.outputs import STDOUT, SUFFIXES, Output, write
from assay.escape import visible
from assay.memory_eval import (
    REPORT_FILES,
    REPORT_FORMATS,
    Comparison,
    Drift,
    EvalReport,
    Inspection,
    rendered,
    show_result,
)

REPORT_SUFFIXES = {**{key: value for key, value in SUFFIXES.items() if value in REPORT_FORMATS}, ".html": "html"}
COULD_NOT_SAY = 3
MOST_WHY = 500

fail_under_option = click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    metavar="SCORE",
    help="Minimum answer score, 0.0 to 1.0; exit with 1 below it.",
)
format_option = click.option(
    "-f",
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(list(REPORT_FORMATS)),
    help="Output format, repeatable.",
)
output_option = click.option(
    "-o", "--output", "files", multiple=True, metavar="FILE", help="Output file; its suffix is the default format."
)


def publish(result: EvalReport | Comparison | Drift | Inspection, outputs: Sequence[Output]) -> None:
    """Render a result into each output."""
    for output in outputs:
        if output.format == "terminal" and output.path == STDOUT:
            show_result(result, Console())
        else:
            write(output.path, rendered(result, output.format))


def publish_folder(report: EvalReport, folder: Path) -> None:
    """Write every format into the folder of a run."""
    make_folder(folder)
    publish(report, [Output(name, str(folder / file)) for name, file in REPORT_FILES.items()])


def make_folder(folder: Path) -> None:
    """Create the folder; raise a usage error if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"{folder}: cannot be written ({error.strerror})") from None


def exit_code(report: EvalReport, fail_under: float | None) -> int:
    """Return 0, 1 below `fail_under`, or 3 for an invalid run, whose reason is printed."""
    if not report.valid or report.overall_score is None:
        why = visible(report.why_invalid or "nothing could be graded", MOST_WHY)
        click.echo(f"assay: the run is invalid: {why}", err=True)
        return COULD_NOT_SAY
    return int(report.is_below(fail_under))
