"""Options that the commands share: the agent, the grading, the outputs and the figures a report must reach."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from assay.cli.display.outputs import STDOUT, SUFFIXES, Output, outputs_of, write
from assay.escape import visible
from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable
from assay.memory_eval import (
    DEFAULT_JUDGE,
    REPORT_FILES,
    REPORT_FORMATS,
    Comparison,
    Drift,
    Estimate,
    EvalReport,
    ExamUsageError,
    Inspection,
    least_figures,
    rendered,
    show_result,
)

FALLBACK = "baseline:bm25"
MODEL_VARIABLE = "ASSAY_AGENT_MODEL"
"""Environment variable that passes `--model` to an agent's process."""
REPORT_SUFFIXES = {**{key: value for key, value in SUFFIXES.items() if value in REPORT_FORMATS}, ".html": "html"}
COULD_NOT_SAY = 3
MOST_WHY = 500

Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def path_option(*names: str, **given: Any) -> Option:
    """Return an option whose value is a path."""
    return click.option(*names, type=click.Path(path_type=Path), **given)


def number(*names: str, default: int | None = None, most: int | None = None, **given: Any) -> Option:
    """Return an option whose value is a whole number of at least 1, with its default in the help."""
    kind = click.IntRange(1, most)
    return click.option(*names, type=kind, default=default, show_default=default is not None, **given)


def positive(*names: str, **given: Any) -> Option:
    """Return an option whose value is a number above 0."""
    return click.option(*names, type=click.FloatRange(0, min_open=True), **given)


class Least(click.ParamType[Mapping[str, float]]):
    """Figures with the least each may have: `0.6`, or `answers=.6,kept=.95`."""

    name = "figures"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Mapping[str, float]:
        """Convert the text; fail on an unknown figure or a number that is not from 0 to 1."""
        try:
            return value if isinstance(value, Mapping) else least_figures(str(value))
        except ExamUsageError as error:
            self.fail(str(error), param, ctx)


_BELOW = "Exit with 1 below these: 0.6 (answers), or answers=.6,kept=.95."
_MODEL = f"Model for the agent: argument `model` of a Python class, else {MODEL_VARIABLE}."
_PYTHON_PATH = "Import path of a Python agent, repeatable. Default: the current folder."
_ENV = "Secret-like variable to pass to the agent, repeatable."
_WORKERS = "Maximum concurrent calls, if the agent allows them."
_MODES = "Grading mode. Default: hybrid with --grader-model, else deterministic."

FAIL_UNDER = click.option("--fail-under", type=Least(), metavar="FIGURES", help=_BELOW)
MAPPING = path_option("--mapping", metavar="FILE", help="YAML file with table and columns of any SQLite file.")
OUTPUT_DIR = path_option("--output-dir", metavar="DIR", help="Folder for reports and results.")
AGENT = (
    click.option("--agent-url", metavar="URL", help="URL of an HTTP agent."),
    click.option("--model", metavar="NAME", help=_MODEL),
    path_option("--python-path", multiple=True, metavar="DIR", help=_PYTHON_PATH),
    click.option("--env", "passed_on", multiple=True, metavar="NAME", help=_ENV),
    positive("--timeout", "timeout_s", default=60.0, show_default=True, help="Seconds per call."),
    number("--parallel-workers", default=1, most=256, help=_WORKERS),
    click.option("--resume", is_flag=True, help="Resume the interrupted run in --output-dir."),
    OUTPUT_DIR,
)
GRADING = (
    click.option("--grading", type=click.Choice(("deterministic", "hybrid", "judge")), help=_MODES),
    number("--grader-votes", default=3, most=99, help="Votes of the judge per answer."),
    click.option("--grader-model", metavar="NAME", help="Judge model. Needs ANTHROPIC_API_KEY."),
    positive("--grader-budget", metavar="USD", help="Maximum cost of the judge."),
)


def with_options(*options: Option) -> Option:
    """Return a decorator that adds options to a command, in the order of the help."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def with_outputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--format` and `--output` to a command of the class `PairedCommand`; it is given `outputs`."""
    kinds = click.Choice(list(REPORT_FORMATS))
    to_file = "Output file; its suffix is the default format."

    @click.option("-f", "--format", "formats", multiple=True, type=kinds, help="Output format, repeatable.")
    @click.option("-o", "--output", "files", multiple=True, metavar="FILE", help=to_file)
    @wraps(command)
    def paired(formats: Sequence[str], files: Sequence[str], **given: Any) -> Any:  # noqa: ARG001 - read in order
        return command(outputs=outputs_of(click.get_current_context(), REPORT_SUFFIXES), **given)

    return paired


def adapter_of(adapter: str | None, url: str | None, memory: Path | None = None) -> str:
    """Return the adapter: given, by the URL or the memory, or the fallback, which is said."""
    if adapter or url or memory:
        return adapter or ("http" if url else "snapshot")
    click.echo(f"assay: no --adapter given; evaluating the built-in {FALLBACK}", err=True)
    return FALLBACK


def model_arguments(model: str | None) -> dict[str, str]:
    """Pass `--model` to an agent's process by the environment; return the arguments of a Python class."""
    if not model:
        return {}
    os.environ[MODEL_VARIABLE] = model
    return {"model": model}


@contextmanager
def judge_of(given: Mapping[str, Any]) -> Iterator[LanguageModel | str | None]:
    """Open the judge of `GRADING`; its name if it is unavailable (grading reports it), None if no judge is used."""
    grading, name = given["grading"], given["grader_model"]
    if grading == "deterministic" or (grading is None and name is None):
        yield None
        return
    name = name or DEFAULT_JUDGE
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=given["grader_budget"]))
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


def publish(result: EvalReport | Comparison | Drift | Inspection, outputs: Sequence[Output]) -> None:
    """Render a result into each output."""
    for output in outputs:
        if output.format == "terminal" and output.path == STDOUT:
            show_result(result, Console())
        else:
            write(output.path, rendered(result, output.format))


def publish_folder(report: EvalReport, folder: Path | None) -> None:
    """Write every format into the folder of a run, if there is one."""
    if make_folder(folder) is not None:
        publish(report, [Output(name, str(folder / file)) for name, file in REPORT_FILES.items()] if folder else [])


def make_folder(folder: Path | None) -> Path | None:
    """Create the folder, if there is one; raise a usage error if that fails."""
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"{folder}: cannot be written ({error.strerror})") from None
    return folder


def exit_code(report: EvalReport, fail_under: Mapping[str, float] | None) -> int:
    """Return 0, 1 below `fail_under` with the figures that are, or 3 for an invalid run, whose reason is printed."""
    if not report.valid or report.overall_score is None:
        why = visible(report.why_invalid or "nothing could be graded", MOST_WHY)
        click.echo(f"assay: the run is invalid: {why}", err=True)
        return COULD_NOT_SAY
    missed = report.below(fail_under or {})
    for line in missed:
        click.echo(f"assay: {line}", err=True)
    return int(bool(missed))
