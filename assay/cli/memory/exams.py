"""The commands on files of exams: `assay memory world`, `grade`, `report`, `merge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import Output, PairedCommand
from assay.cli.memory.options import (
    FAIL_UNDER,
    GRADING,
    OUTPUT_DIR,
    exit_code,
    judge_of,
    path_option,
    print_estimate,
    publish,
    publish_folder,
    with_options,
    with_outputs,
)
from assay.cli.memory.progress import drawing
from assay.memory_eval import (
    generate_dialogue,
    generate_questions,
    grade_answers,
    grading_by,
    merge_reports,
    read_answers,
    read_exam,
    read_report,
    write_exam,
)


@click.command("world", short_help="Generate an exam folder")
@click.option("--turns", "num_turns", type=int, default=1000, show_default=True, help="Number of turns.")
@click.option("--questions", "num_questions", type=int, default=100, show_default=True, help="Number of questions.")
@click.option("--seed", type=int, default=42, show_default=True, help="Seed of the exam.")
@path_option("-o", "--output", required=True, metavar="DIR", help="Output folder.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
def world_command(num_turns: int, num_questions: int, seed: int, output: Path, force: bool) -> None:
    """Generate an exam folder.

    It has turns.jsonl, questions.jsonl and manifest.json; the same seed gives the same bytes on every machine. Exit
    code: 0 success, 2 usage.
    """
    if num_questions < 1:
        raise click.UsageError(f"--questions: {num_questions} is too low; use 1 or more")
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    manifest = write_exam(output, ground_truth, questions, seed, force=force)
    summary = f"{manifest['num_turns']:,} turns with {manifest['num_facts']:,} facts"
    click.echo(
        f"{output}: {summary}, {manifest['num_questions']:,} questions in {len(manifest['categories'])} categories"
    )


@click.command("report", cls=PairedCommand, short_help="Render a report in another format")
@click.argument("file", type=click.Path(path_type=Path))
@with_outputs
@FAIL_UNDER
def report_command(file: Path, outputs: Sequence[Output], fail_under: Mapping[str, float] | None) -> int:
    """Render a report.json on the terminal or in another format.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    report = read_report(file)
    publish(report, outputs)
    return exit_code(report, fail_under)


@click.command("merge", cls=PairedCommand, short_help="Aggregate the reports of several seeds")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@OUTPUT_DIR
@with_outputs
@FAIL_UNDER
def merge_command(
    reports: Sequence[Path],
    output_dir: Path | None,
    outputs: Sequence[Output],
    fail_under: Mapping[str, float] | None,
) -> int:
    """Aggregate the reports of several seeds, with an interval.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run among them.
    """
    merged = merge_reports([read_report(path) for path in reports])
    publish(merged, outputs)
    publish_folder(merged, output_dir)
    return exit_code(merged, fail_under)


@click.command("grade", cls=PairedCommand, short_help="Grade answers produced elsewhere")
@path_option("--world", "folder", required=True, metavar="DIR", help="Exam folder.")
@path_option("--answers", required=True, metavar="FILE", help="File with one {id, answer} per line.")
@with_options(*GRADING)
@with_outputs
@FAIL_UNDER
def grade_command(
    folder: Path, answers: Path, outputs: Sequence[Output], fail_under: Mapping[str, float] | None, **given: Any
) -> int:
    """Grade answers produced elsewhere.

    The file has one {"id": …, "answer": …} per line. A missing or empty answer scores 0; an unknown or duplicate id is
    an error. Exit code: 0 graded, 1 below --fail-under, 2 usage or input, 3 nothing could be graded.
    """
    exam = read_exam(folder, wants_turns=False)
    found = read_answers(answers, exam.questions)
    with (
        judge_of(given) as judge,
        grading_by(given["grading"], judge, given["grader_votes"]) as graders,
        drawing() as draw,
    ):
        print_estimate(graders.estimate([one for one in exam.questions if one.id in found]))
        report = grade_answers(
            exam, found, graders, agent=str(answers), progress=lambda done, num: draw("grading", done, num)
        )
    publish(report, outputs)
    return exit_code(report, fail_under)
