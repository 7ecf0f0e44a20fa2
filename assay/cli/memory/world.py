"""The command `assay memory world`: generation of an exam folder."""

from __future__ import annotations

from pathlib import Path

import click

from assay.memory_eval import generate_dialogue, generate_questions, write_exam


@click.command("world", short_help="Generate an exam folder")
@click.option("--turns", "num_turns", type=int, default=1000, show_default=True, help="Number of turns.")
@click.option("--questions", "num_questions", type=int, default=100, show_default=True, help="Number of questions.")
@click.option("--seed", type=int, default=42, show_default=True, help="Seed of the exam.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Output folder.")
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
