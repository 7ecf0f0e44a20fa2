"""Grading options and the judge model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable
from assay.memory_eval import DEFAULT_JUDGE, Estimate

MODES = ("deterministic", "hybrid", "judge")


def grading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the grading options to a command."""
    for option in (
        click.option(
            "--grader-budget",
            type=click.FloatRange(0, min_open=True),
            metavar="USD",
            help="Maximum cost of the judge.",
        ),
        click.option("--grader-model", metavar="NAME", help="Judge model. Needs ANTHROPIC_API_KEY."),
        click.option(
            "--grader-votes",
            type=click.IntRange(1, 99),
            default=3,
            show_default=True,
            help="Votes of the judge per answer.",
        ),
        click.option(
            "--grading",
            type=click.Choice(MODES),
            help="Grading mode. Default: hybrid with --grader-model, else deterministic.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def judge_of(grading: str | None, name: str | None, budget_usd: float | None) -> Iterator[LanguageModel | str | None]:
    """Open the judge model; its name if it is unavailable (grading reports it), None if no judge is used."""
    if grading == "deterministic" or (grading is None and name is None):
        yield None
        return
    name = name or DEFAULT_JUDGE
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=budget_usd))
    except ModelUnavailable as error:
        click.echo(f"assay: no judge: {error}", err=True)
        yield name
        return
    with model:
        yield model


def print_estimate(estimate: Estimate) -> None:
    """Print the expected calls and cost of the judge; nothing if it is not called."""
    if not estimate.num_calls:
        return
    cost = "the model has no known price"
    if estimate.about_usd is not None and estimate.most_usd is not None:
        cost = f"about ${estimate.about_usd:.2f}, at most ${estimate.most_usd:.2f}"
    click.echo(f"assay: the judge needs {estimate.num_calls} calls, without retries; {cost}", err=True)
