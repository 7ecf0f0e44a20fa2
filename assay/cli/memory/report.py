"""The commands `assay memory grade`, `report` and `merge`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.display.outputs import PairedCommand, outputs_of
from assay.cli.memory.judge import grading_options, judge_of, print_estimate
from assay.cli.memory.outputs import (
    REPORT_SUFFIXES,
    exit_code,
    fail_under_option,
    format_option,
    output_option,
    publish,
    publish_folder,
)
from assay.cli.memory.progress import drawing
from assay.memory_eval import grade_answers, grading_by, merge_reports, read_answers, read_exam, read_report


@click.command("report", cls=PairedCommand, short_help="Render a report in another format")
@click.argument("file", type=click.Path(path_type=Path))
@format_option
@output_option
@fail_under_option
@click.pass_context
def report_command(
    ctx: click.Context,
    file: Path,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    fail_under: float | None,
) -> int:
    """Render a report.json on the terminal or in another format.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    report = read_report(file)
    publish(report, outputs)
    return exit_code(report, fail_under)


@click.command("merge", cls=PairedCommand, short_help="Aggregate the reports of several seeds")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output-dir", type=click.Path(path_type=Path), metavar="DIR", help="Folder for every format.")
@format_option
@output_option
@fail_under_option
@click.pass_context
def merge_command(
    ctx: click.Context,
    reports: Sequence[Path],
    output_dir: Path | None,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    fail_under: float | None,
) -> int:
    """Aggregate the reports of several seeds, with an interval.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run among them.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    merged = merge_reports([read_report(path) for path in reports])
    publish(merged, outputs)
    if output_dir is not None:
        publish_folder(merged, output_dir)
    return exit_code(merged, fail_under)


@click.command("grade", cls=PairedCommand, short_help="Grade answers produced elsewhere")
@click.option("--world", "folder", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Exam folder.")
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="File with one {id, answer} per line.",
)
@grading_options
@format_option
@output_option
@fail_under_option
@click.pass_context
def grade_command(
    ctx: click.Context,
    folder: Path,
    answers: Path,
    grading: str | None,
    grader_votes: int,
    grader_model: str | None,
    grader_budget: float | None,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    fail_under: float | None,
) -> int:
    """Grade answers produced elsewhere.

    The file has one {"id": …, "answer": …} per line. A missing or empty answer scores 0; an unknown or duplicate id is
    an error. Exit code: 0 graded, 1 below --fail-under, 2 usage or input, 3 nothing could be graded.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    exam = read_exam(folder, wants_turns=False)
    given = read_answers(answers, exam.questions)
    with (
        judge_of(grading, grader_model, grader_budget) as judge,
        grading_by(grading, judge, grader_votes) as graders,
        drawing() as draw,
    ):
        print_estimate(graders.estimate([one for one in exam.questions if one.id in given]))
        report = grade_answers(
            exam, given, graders, agent=str(answers), progress=lambda done, num: draw("grading", done, num)
        )
    publish(report, outputs)
    return exit_code(report, fail_under)
