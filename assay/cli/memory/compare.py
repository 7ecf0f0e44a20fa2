"""The command `assay memory compare`: two reports of the same questions, or one agent over several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import STDOUT, Output
from assay.cli.memory.outputs import exit_code, fail_under_option, publish, publish_folder
from assay.cli.memory.run import Asked, chosen, examination_options, examined
from assay.memory_eval import compare_files, merge_reports

MOST_SEEDS = 100
SUFFIXES = {".json": "json", ".md": "markdown", ".html": "html", ".txt": "terminal"}


class Seeds(click.ParamType[tuple[int, ...]]):
    """Comma-separated list of whole numbers."""

    name = "seeds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Convert `42,123` to (42, 123); fail on an empty list, a duplicate, or text that is not a number."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",") if word.strip()]
        try:
            seeds = tuple(int(word) for word in words)
        except ValueError:
            self.fail(f"{value}: expected whole numbers separated by commas", param, ctx)
        if not seeds or len(set(seeds)) < len(seeds) or len(seeds) > MOST_SEEDS:
            self.fail(f"{value}: expected 1 to {MOST_SEEDS} different seeds", param, ctx)
        return seeds


@click.command("compare", short_help="Compare two reports, or evaluate over several seeds")
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path))
@click.option("--seeds", type=Seeds(), metavar="42,123,…", help="Evaluate with each seed, with a reset in between.")
@click.option("-o", "--output", metavar="FILE", help="Comparison file: .json, .md, .html or .txt.")
@click.option("--fail-on-worse", is_flag=True, help="Exit with 1 if the second report is worse.")
@examination_options
@fail_under_option
def compare_command(
    reports: Sequence[Path],
    seeds: tuple[int, ...] | None,
    output: str | None,
    fail_on_worse: bool,
    fail_under: float | None,
    **options: Any,
) -> int:
    """Compare two reports, or evaluate over several seeds.

    Two reports of the same questions are given as BEFORE.json AFTER.json; --seeds evaluates one agent instead. Exit
    code: 0 success, 1 by --fail-on-worse or --fail-under, 2 usage, 3 an invalid run.
    """
    if seeds is None:
        if len(reports) != 2:
            raise click.UsageError("expected two reports, BEFORE.json and AFTER.json, or --seeds")
        return _two(reports[0], reports[1], output, fail_on_worse=fail_on_worse)
    if reports or output or fail_on_worse:
        raise click.UsageError("--seeds cannot be combined with reports, -o or --fail-on-worse")
    return _seeds(seeds, Asked(seed=seeds[0], **options), fail_under)


def _two(before: Path, after: Path, output: str | None, *, fail_on_worse: bool) -> int:
    comparison = compare_files(before, after)
    publish(comparison, [Output("terminal") if output in (None, STDOUT) else Output(_format(str(output)), str(output))])
    return int(fail_on_worse and comparison.is_worse)


def _format(output: str) -> str:
    kind = SUFFIXES.get(Path(output).suffix.lower())
    if kind is None:
        raise click.UsageError(f"-o {output}: unknown suffix: use one of {', '.join(SUFFIXES)}")
    return kind


def _seeds(seeds: Sequence[int], asked: Asked, fail_under: float | None) -> int:
    if asked.world is not None:
        raise click.UsageError("--world has fixed questions: it cannot be combined with --seeds")
    asked = chosen(asked)
    found = []
    for seed in seeds:
        folder = None if asked.output_dir is None else asked.output_dir / f"seed-{seed}"
        found.append(examined(replace(asked, seed=seed, output_dir=folder)))
    merged = merge_reports(found)
    if asked.output_dir is not None:
        publish_folder(merged, asked.output_dir)
    publish(merged, [Output("terminal")])
    return exit_code(merged, fail_under)
