"""The review by a model, measured on known changes: `python -m tests.review_bench.run bench|compare`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from assay.cli.display.drawing import Terminal
from assay.cli.display.outputs import write
from assay.cli.main import run
from assay.cli.validate import reviewing_model
from assay.validators import ValidationConfig
from tests.review_bench.bench.comparing import compare_runs
from tests.review_bench.bench.figures import figures_data, figures_of
from tests.review_bench.bench.manifest import Kind as BenchKind
from tests.review_bench.bench.manifest import load_manifest
from tests.review_bench.bench.results import MeasuredChange, RunFile, read_run
from tests.review_bench.bench.running import BenchRequest, missing_repositories, run_bench
from tests.review_bench.display import print_comparison, print_figures

_REVIEW_USD = ValidationConfig().tier2.review.max_usd
MOST_USD = 10.0
"""Default budget of one run in US dollars."""


class KindNames(click.ParamType[tuple[BenchKind, ...]]):
    """Comma-separated list of kinds of changes."""

    name = "kinds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[BenchKind, ...]:
        """Convert `clean,planted` to kinds; fail on an unknown name and on an empty list."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        unknown = [name for name in names if name not in set(BenchKind)]
        if unknown or not names:
            wrong = ", ".join(unknown) or "nothing"
            self.fail(f"{wrong}: the kinds are {', '.join(BenchKind)} (separated by commas)", param, ctx)
        return tuple(kind for kind in BenchKind if kind in names)


@click.group("bench")
def review_command() -> None:
    """Measure the review by a model on known changes."""


@review_command.command("bench")
@click.option(
    "--repositories",
    "folder",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the clones.",
)
@click.option("--manifest", "file", type=click.Path(path_type=Path), help="List of changes. Default: the shipped one.")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Measure N changes, of each kind as many.")
@click.option(
    "--max-usd",
    metavar="X",
    type=click.FloatRange(min=_REVIEW_USD, max=10_000),
    default=MOST_USD,
    show_default=True,
    help="Budget of the run.",
)
@click.option(
    "--kinds", type=KindNames(), default=",".join(BenchKind), show_default=True, help="Kinds of changes to measure."
)
@click.option("--no-model", is_flag=True, help="Do not use a language model.")
@click.option("--demonstrate", is_flag=True, help="Run tests of the model in the repositories.")
@click.option("-o", "--output", metavar="FILE", help="JSON file of the run; - is stdout.")
def bench_command(
    folder: Path,
    file: Path | None,
    sample: int | None,
    max_usd: float,
    kinds: tuple[BenchKind, ...],
    no_model: bool,
    demonstrate: bool,
    output: str | None,
) -> int:
    """Review known changes of public repositories, and count what is found.

    The model is that of `ASSAY_REVIEW_MODEL`; without one only the analyzers are measured. Exit code: 0 success, 2
    usage or no repository, 3 no change could be measured.
    """
    manifest = load_manifest(file)
    every = manifest.sample(kinds)
    if not every:
        raise click.UsageError(f"{manifest.name} has no change of these kinds")
    missing = missing_repositories(manifest, every, folder)
    for line in missing.values():
        click.echo(f"assay: {line}", err=True)
    entries = manifest.sample(kinds, sample, {one.repository for one in every} - missing.keys())
    with reviewing_model(is_wanted=not no_model, max_usd=max_usd) as model, _progress(len(entries)) as progress:
        request = BenchRequest(
            manifest,
            entries,
            folder,
            model=model,
            max_usd=max_usd,
            demonstrates=demonstrate,
            missing=sorted(missing),
            on_change=progress,
        )
        found = run_bench(request)
    figures = figures_of(found)
    if output is not None:
        data = RunFile(run=found, figures=figures_data(figures)).model_dump(mode="json")
        write(output, json.dumps(data, indent=1) + "\n")
    print_figures(Terminal(stderr=output == "-"), found, figures)
    return 0 if any(one.error is None for one in found.changes) else 3


@review_command.command("compare")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["json", "table"]), default="table", show_default=True)
def compare_command(before: Path, after: Path, format_: str) -> None:
    """Compare two runs of the bench, change by change.

    BEFORE and AFTER are files of `bench`: of two versions of the prompts, two models, or with and without.
    """
    found = compare_runs(read_run(before), read_run(after))
    if format_ == "json":
        click.echo(json.dumps(asdict(found), indent=1))
        return
    print_comparison(Terminal(), found)


class _Shown:
    """Bar with the change that was measured last, and what was spent."""

    def __init__(self, bar: Progress | None, num: int) -> None:
        self._bar = bar
        self._task = None if bar is None else bar.add_task("", total=num)
        self._usd = 0.0

    def __call__(self, one: MeasuredChange) -> None:
        """Show a further change."""
        if self._bar is None or self._task is None:
            return
        self._usd += (one.model.cost_usd or 0.0) if one.model is not None else 0.0
        self._bar.update(self._task, advance=1, description=f"{one.id}  ${self._usd:.2f}")


@contextmanager
def _progress(num: int) -> Iterator[_Shown]:
    if not sys.stderr.isatty():
        yield _Shown(None, num)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Shown(bar, num)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], review_command))
