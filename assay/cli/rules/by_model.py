"""Options of the commands that may read comments with a language model: which one, for how much, and kept answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from assay.llm import AnthropicModel, Budget, KeptAnswers, LanguageModel, ModelUnavailable

MOST_USD = 5.0

MODEL = click.option("--model", metavar="NAME", help="Read comments with this Claude model. Default: none.")
BUDGET = click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=MOST_USD,
    show_default=True,
    help="Maximum cost in US dollars; without a price of the model, unlimited.",
)
ANSWERS = click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Keep the model's answers there, and reuse them.",
)


@contextmanager
def model_for(name: str | None, budget: float, answers: Path | None) -> Iterator[LanguageModel | None]:
    """Yield the model of these options, None without one; afterwards print to standard error what it cost."""
    if name is None:
        if answers is not None:
            raise click.UsageError("--answers needs --model")
        yield None
        return
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=budget))
    except ModelUnavailable as error:
        raise click.UsageError(str(error)) from None
    with model:
        try:
            kept = None if answers is None else KeptAnswers(model, answers)
        except OSError as error:
            raise click.UsageError(f"{answers}: cannot be read ({error.strerror})") from None
        yield kept or model
        spent = model.spent
        cost = "unknown cost" if spent.cost_usd is None else f"{spent.cost_usd:.2f} US dollars"
        reused = f", {kept.num_reused:,} answers reused" if kept else ""
        click.echo(f"{name}: {spent.num_calls:,} calls, {cost}{reused}", err=True)
