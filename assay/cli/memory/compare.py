"""`assay memory compare`: one agent over several seeds, or two reports of the same questions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.memory.examining import Asked, chosen, examination_options, examined
from assay.cli.memory.outputs import exit_code, fail_under_option, publish, publish_folder
from assay.cli.outputs import STDOUT, Output, write
from assay.memory_eval import (
    Comparison,
    compare_files,
    comparison_json,
    comparison_markdown,
    merge_reports,
    show_comparison,
)

MOST_SEEDS = 100
SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "terminal"}


class Seeds(click.ParamType[tuple[int, ...]]):
    """Whole numbers with commas between them."""

    name = "seeds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """`42,123` -> (42, 123); fails on what is no number, on none, and on one that comes twice."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",") if word.strip()]
        try:
            seeds = tuple(int(word) for word in words)
        except ValueError:
            self.fail(f"{value}: whole numbers with commas between them are wanted", param, ctx)
        if not seeds or len(set(seeds)) < len(seeds) or len(seeds) > MOST_SEEDS:
            self.fail(f"{value}: 1 to {MOST_SEEDS} seeds, each once", param, ctx)
        return seeds


@click.command("compare", short_help="Compare two reports, or examine over several seeds.")
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path))
@click.option("--seeds", type=Seeds(), metavar="42,123,…", help="Examine with each of these, reset in between.")
@click.option("-o", "--output", metavar="FILE", help="Of two reports: write there, .json, .md or .txt.")
@click.option("--fail-on-worse", is_flag=True, help="Of two reports: exit with 1 where the second is worse.")
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
    """Compare two reports of the same questions, BEFORE.json AFTER.json; or examine one agent with several --seeds.

    Exit code: 0 fine, 1 by --fail-on-worse or --fail-under, 2 usage, 3 a run that says nothing of the memory.
    """
    if seeds is None:
        if len(reports) != 2:
            raise click.UsageError("two reports are compared, BEFORE.json and AFTER.json; or --seeds are given")
        return _two(reports[0], reports[1], output, fail_on_worse=fail_on_worse)
    if reports or output or fail_on_worse:
        raise click.UsageError("--seeds examine; reports, -o and --fail-on-worse belong to the comparison of two")
    return _seeds(seeds, Asked(seed=seeds[0], **options), fail_under)


def _two(before: Path, after: Path, output: str | None, *, fail_on_worse: bool) -> int:
    comparison = compare_files(before, after)
    if output is None or output == STDOUT:
        show_comparison(comparison, Console())
    else:
        write(output, _written(comparison, output))
    return int(fail_on_worse and comparison.is_worse)


def _written(comparison: Comparison, output: str) -> str:
    kind = SUFFIXES.get(Path(output).suffix.lower())
    if kind is None:
        raise click.UsageError(f"-o {output}: its name does not say which format: {', '.join(SUFFIXES)}")
    if kind == "json":
        return comparison_json(comparison)
    if kind == "markdown":
        return comparison_markdown(comparison)
    console = Console(file=io.StringIO(), width=110, color_system=None, force_terminal=False)
    with console.capture() as shown:
        show_comparison(comparison, console)
    return shown.get()


def _seeds(seeds: Sequence[int], asked: Asked, fail_under: float | None) -> int:
    if asked.world is not None:
        raise click.UsageError("--world is one world, and has no seeds")
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
