"""The command `assay experiments`: prompt comparisons with statistics valid at every look."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from assay.cli.app.store import (
    BY,
    DATA_DIR,
    FORMAT,
    REPOSITORY,
    known,
    opened_store,
    operator,
    table_of,
    usage_errors,
)
from assay.github_app.outcomes.experiments.comparing import ComparedExperiment, ComparedMetric, compared
from assay.github_app.outcomes.experiments.experiments import NoExperiment, assign, create, end, running
from assay.github_app.outcomes.experiments.metrics import EXPERIMENT_METRICS
from assay.github_app.runtime.context import now
from assay.github_app.store import ExperimentRow, Method, Variant
from assay.validators import as_visible

NAME = click.argument("name")


class VariantText(click.ParamType[Variant]):
    """Variant as `name` or `name=prompt-version`, each with an optional `:share`."""

    name = "variant"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Variant:
        """Parse the variant; fail if the share is not a number."""
        if isinstance(value, Variant):
            return value
        text, _, share = str(value).partition(":")
        name, _, version = text.partition("=")
        try:
            return Variant(name.strip(), float(share or 1), version.strip() or None)
        except ValueError:
            self.fail(f"{share!r} is not a share: expected name, name=prompt-version, or either with :2", param, ctx)


@click.group("experiments")
def experiments_command() -> None:
    """Compare prompts by the outcomes of their tasks."""


@experiments_command.command("create")
@DATA_DIR
@REPOSITORY
@NAME
@click.option(
    "--variant", "variants", multiple=True, required=True, type=VariantText(), metavar="NAME[=VERSION][:SHARE]",
    help="Two or more; the first is the baseline.",
)  # fmt: skip
@click.option("--method", type=click.Choice([str(one) for one in Method]), default="hash", show_default=True)
@click.option(
    "--metric",
    type=click.Choice(list(EXPERIMENT_METRICS)),
    default="merged",
    show_default=True,
    help="Deciding metric.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="False positive rate.")
@click.option("--about", default="", help="One-line description.")
@BY
@usage_errors(NoExperiment)
def create_command(
    data_dir: Path | None,
    repository: str,
    name: str,
    variants: tuple[Variant, ...],
    method: str,
    metric: str,
    alpha: float,
    about: str,
    by: str | None,
) -> None:
    """Start an experiment in a repository."""
    with opened_store(data_dir) as store:
        row = known(store, repository)
        made = create(
            store, row.id, name, variants, now(),
            method=Method(method), metric=metric, alpha=alpha, about=about, by=operator(by),
        )  # fmt: skip
    arms = ", ".join(f"{one.name} {one.share:.0%}" for one in made.variants)
    click.echo(f"{made.name} runs in {row.full_name}: {arms}; {made.metric} decides, at an error of {made.alpha:g}")


@experiments_command.command("assign")
@DATA_DIR
@REPOSITORY
@NAME
@click.option("--task", "task_id", required=True, metavar="ID", help="Task that has not started yet.")
@FORMAT
@usage_errors(NoExperiment)
def assign_command(data_dir: Path | None, repository: str, name: str, task_id: str, format_: str) -> None:
    """Print the variant of a task; repeated calls return the same."""
    with opened_store(data_dir) as store:
        variant = assign(store, known(store, repository).id, name, task_id, now())
    if format_ == "json":
        said = {
            "experiment": name,
            "task_id": task_id,
            "variant": variant.name,
            "prompt_version": variant.prompt_version,
        }
        click.echo(json.dumps(said))
        return
    click.echo(variant.name)


@experiments_command.command("list")
@DATA_DIR
@REPOSITORY
def list_command(data_dir: Path | None, repository: str) -> None:
    """List a repository's experiments, newest first."""
    with opened_store(data_dir) as store:
        found = store.experiments.of([known(store, repository).id])
    for one in found:
        state = f"ended {one.ended_at:%Y-%m-%d}" if one.ended_at else "running"
        arms = " against ".join(arm.name for arm in reversed(one.variants))
        click.echo(f"{one.name}: {arms}, {state}{f': {as_visible(one.conclusion, 200)}' if one.conclusion else ''}")
    if not found:
        click.echo("no experiments")


@experiments_command.command("show")
@DATA_DIR
@REPOSITORY
@NAME
@FORMAT
@usage_errors(NoExperiment)
def show_command(data_dir: Path | None, repository: str, name: str, format_: str) -> None:
    """Compare the variants of an experiment.

    The statistics stay valid however often the command is run.
    """
    with opened_store(data_dir) as store:
        found = compared(store, running(store, known(store, repository).id, name))
    if format_ == "json":
        click.echo(json.dumps(as_data(found), indent=2))
        return
    _show(found, Console())


@experiments_command.command("end")
@DATA_DIR
@REPOSITORY
@NAME
@click.option("--conclusion", default="", help="One-line conclusion.")
@BY
@usage_errors(NoExperiment)
def end_command(data_dir: Path | None, repository: str, name: str, conclusion: str, by: str | None) -> int:
    """End an experiment: assign no further tasks.

    Exit code: 0 ended, 1 it had already ended.
    """
    with opened_store(data_dir) as store:
        is_news = end(store, known(store, repository).id, name, now(), by=operator(by), conclusion=conclusion)
    click.echo(f"{name} has ended" if is_news else f"{name} had already ended")
    return 0 if is_news else 1


def as_data(found: ComparedExperiment) -> dict[str, Any]:
    """Convert the comparison to JSON data."""
    return {
        "experiment": experiment_data(found.experiment),
        "num_assigned": dict(found.num_assigned),
        "metrics": [asdict(metric) for metric in found.metrics],
    }


def experiment_data(row: ExperimentRow) -> dict[str, Any]:
    """Convert an experiment to JSON data, without its salt: the salt would let a caller choose a task's variant."""
    data = {name: value for name, value in asdict(row).items() if name not in ("salt", "repository_id")}
    for name in ("created_at", "ended_at"):
        data[name] = data[name].isoformat() if data[name] else None
    return data


def _show(found: ComparedExperiment, console: Console) -> None:
    one = found.experiment
    state = f"ended {one.ended_at:%Y-%m-%d}" if one.ended_at else "running"
    console.print(Text(f"{one.name} ({state}; {one.metric} decides, at an error of {one.alpha:g})", style="bold"))
    rows = [
        {
            "metric": metric.metric,
            "variant": arm.variant,
            "tasks": arm.num,
            "value": _figure(metric, arm.value),
            "95 %": "" if arm.low is None else f"{_figure(metric, arm.low)} to {_figure(metric, arm.high)}",
            "median": _figure(metric, arm.median),
        }
        for metric in found.metrics
        for arm in metric.arms
    ]
    console.print(table_of(rows))
    for versus in found.deciding.comparisons:
        console.print(Text(f"{versus.variant}: {versus.in_words} (p {versus.p_value:.3f})"))


def _figure(metric: ComparedMetric, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0%}" if EXPERIMENT_METRICS[metric.metric].is_rate else f"{value:,.1f}"
