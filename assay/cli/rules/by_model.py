"""Options of the commands that may read comments with a language model: which one, for how much, and kept answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.coded_error import CodedError
from assay.llm import AnthropicModel, Budget, GivingUp, KeptAnswers, LanguageModel, ModelUnavailable

if TYPE_CHECKING:
    from assay.llm import BatchModel

MOST_USD = 5.0

MODEL = click.option("--model", metavar="NAME", help="Read comments with this Claude model. Default: none.")
BUDGET = click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=MOST_USD,
    show_default=True,
    help="Maximum cost in US dollars.",
)
ANSWERS = click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Keep the model's answers there, and reuse them.",
)
BATCH = click.option("--batch", is_flag=True, help="Ask in batches at half the price; needs --answers.")


@dataclass(frozen=True, slots=True)
class Opened:
    """Model of the options: one call per prompt, or batches; neither without `--model`."""

    model: LanguageModel | None = None
    batches: BatchModel | None = None


class BatchFailed(CodedError):
    """Batch that could not be sent or collected."""

    exit_code = 3


@contextmanager
def model_for(name: str | None, budget: float, answers: Path | None, *, is_batch: bool = False) -> Iterator[Opened]:
    """Yield the model of these options; afterwards print to standard error what it cost."""
    if name is None:
        if answers is not None or is_batch:
            raise click.UsageError(f"{'--batch' if is_batch else '--answers'} needs --model")
        yield Opened()
        return
    if is_batch and answers is None:
        raise click.UsageError("--batch needs --answers: a batch may take a day, and the file keeps its id")
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=budget))
    except ModelUnavailable as error:
        raise click.UsageError(str(error)) from None
    with model:
        if model.price is None:
            raise click.UsageError(f"{name}: its price is unknown, so --budget cannot be enforced")
        kept = None if answers is None else _kept(model, answers)
        opened = _opened(model, kept, is_batch=is_batch)
        try:
            yield opened
        except ModelUnavailable as error:
            text = f"{error.text}; to go on, run again with --answers {answers}"
            raise BatchFailed(text, code=error.code) from None
        finally:
            spent = model.spent
            reused = f", {kept.num_reused:,} answers reused" if kept else ""
            click.echo(f"{name}: {spent.num_calls:,} calls, {spent.cost_usd or 0:.2f} US dollars{reused}", err=True)


def _kept(model: AnthropicModel, answers: Path) -> KeptAnswers:
    try:
        # A file that cannot be written would be noticed only after the first answer is paid for.
        answers.open("a").close()
        return KeptAnswers(GivingUp(model), answers)
    except OSError as error:
        raise click.UsageError(f"{answers}: cannot be read and written ({error.strerror})") from None


def _opened(model: AnthropicModel, kept: KeptAnswers | None, *, is_batch: bool) -> Opened:
    if not is_batch or kept is None:
        return Opened(kept or GivingUp(model))
    from assay.llm.batches import Batches

    try:
        return Opened(batches=Batches(model, kept, lambda line: click.echo(f"assay: {line}", err=True)))
    except ModelUnavailable as error:
        raise click.UsageError(str(error)) from None


def report_unanswered(without_model: Mapping[str, int], num: int, what: str) -> None:
    """Print to standard error for how many of `num` comments or pairs the model has no answer."""
    if without_model:
        reasons = ", ".join(f"{count:,} {why}" for why, count in without_model.items())
        total = sum(without_model.values())
        click.echo(f"assay: {total:,} of {num:,} {what} were read without the model: {reasons}", err=True)
