"""The options of grading, and the model behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable
from assay.memory_eval import DEFAULT_JUDGE

MODES = ("deterministic", "hybrid", "judge")


def grading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how answers are graded."""
    for option in (
        click.option(
            "--grader-budget",
            type=click.FloatRange(0, min_open=True),
            metavar="USD",
            help="The most the judge may cost.",
        ),
        click.option("--grader-model", metavar="NAME", help="The model that judges. Needs ANTHROPIC_API_KEY."),
        click.option(
            "--grader-votes",
            type=click.IntRange(1, 99),
            default=3,
            show_default=True,
            help="How often the judge reads each.",
        ),
        click.option(
            "--grading",
            type=click.Choice(MODES),
            help="By rules alone, by both, or by a judge. Default: deterministic; hybrid with --grader-model.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def judge_of(grading: str | None, name: str | None, budget_usd: float | None) -> Iterator[LanguageModel | str | None]:
    """The judge; its name alone where it cannot be had (grading then says why), None where none is wanted."""
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
