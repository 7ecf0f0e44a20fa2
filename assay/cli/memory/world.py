"""`assay memory world`: an exam as files."""

from __future__ import annotations

from pathlib import Path

import click

from assay.memory_eval import generate_dialogue, generate_questions, write_exam


@click.command("world", short_help="Write an exam as files.")
@click.option("--turns", "num_turns", type=int, default=1000, show_default=True, help="How long the dialogue is.")
@click.option("--questions", "num_questions", type=int, default=100, show_default=True, help="How many are asked.")
@click.option("--seed", type=int, default=42, show_default=True, help="Another seed is another world.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where it goes.")
@click.option("--force", is_flag=True, help="Write into a folder that holds something else too.")
def world_command(num_turns: int, num_questions: int, seed: int, output: Path, force: bool) -> None:
    """Draw an exam and write it: turns.jsonl, questions.jsonl and manifest.json.

    The same seed gives the same bytes on every machine. Exit code: 0 fine, 2 usage.
    """
    if num_questions < 1:
        raise click.UsageError(f"{num_questions} questions make no exam: ask for 1 or more")
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    manifest = write_exam(output, ground_truth, questions, seed, force=force)
    told = f"{manifest['num_turns']:,} turns with {manifest['num_facts']:,} facts"
    click.echo(f"{output}: {told}, {manifest['num_questions']:,} questions in {len(manifest['categories'])} categories")
