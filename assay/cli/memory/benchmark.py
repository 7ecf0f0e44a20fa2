"""The command `assay memory benchmark`: evaluation on a public benchmark, from a local copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import PairedCommand, outputs_of
from assay.cli.memory.agent_options import (
    AGENT_URL,
    ENV,
    FALLBACK,
    MODEL,
    OUTPUT_DIR,
    PARALLEL_WORKERS,
    PYTHON_PATH,
    TIMEOUT,
    fallback,
    model_arguments,
)
from assay.cli.memory.judge import grading_options, judge_of
from assay.cli.memory.outputs import (
    REPORT_SUFFIXES,
    exit_code,
    fail_under_option,
    format_option,
    make_folder,
    output_option,
    publish,
    publish_folder,
)
from assay.cli.memory.progress import drawing
from assay.cli.memory.secrets import keep_secrets_to_ourselves
from assay.escape import visible
from assay.memory_eval import BENCHMARK_FORMATS, AgentOptions, EvalRunner, agent_from, evaluate_benchmark

MOST_NAME = 100

_OPTIONS = (
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Maximum number of worlds. Default: all."),
    click.option(
        "--adapter",
        metavar="NAME",
        help=f"Agent: http, subprocess:COMMAND, python:module:Class or baseline:NAME. Default: {FALLBACK}.",
    ),
    AGENT_URL,
    MODEL,
    PYTHON_PATH,
    ENV,
    TIMEOUT,
    PARALLEL_WORKERS,
    click.option("--resume", is_flag=True, help="Resume the interrupted runs in --output-dir."),
    OUTPUT_DIR,
)


def _benchmark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("benchmark", cls=PairedCommand, short_help="Evaluate an agent on a public benchmark")
@click.argument("benchmark", metavar="FORMAT", type=click.Choice(BENCHMARK_FORMATS))
@click.argument("path", type=click.Path(path_type=Path))
@_benchmark_options
@grading_options
@format_option
@output_option
@fail_under_option
@click.pass_context
def benchmark_command(ctx: click.Context, /, benchmark: str, path: Path, fail_under: float | None, **given: Any) -> int:
    """Evaluate an agent on a public benchmark.

    FORMAT is locomo, longmemeval or beam; PATH is your copy of its file, for beam of its folder. Exit code: 0 success,
    1 below --fail-under, 2 usage or input, 3 an invalid run.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    folder: Path | None = given["output_dir"]
    if given["resume"] and folder is None:
        raise click.UsageError("--resume needs --output-dir")
    if folder is not None:
        make_folder(folder)
    keep_secrets_to_ourselves()
    with (
        judge_of(given["grading"], given["grader_model"], given["grader_budget"]) as judge,
        drawing() as draw,
        closing(agent_from(_adapter(given["adapter"], given["agent_url"]), _agent_options(given))) as agent,
    ):
        world = ""

        def on_world(name: str) -> None:
            nonlocal world
            world = visible(name, MOST_NAME)

        runner = EvalRunner(
            grading=given["grading"],
            grader_votes=given["grader_votes"],
            parallel_workers=given["parallel_workers"],
            output_dir=folder,
            resume=given["resume"],
            timeout_s=given["timeout_s"],
            progress=lambda phase, done, num: draw(f"{world}: {phase}", done, num),
        )
        try:
            report = evaluate_benchmark(
                benchmark, path, agent, runner, limit=given["limit"], grader_model=judge, on_world=on_world
            )
        except KeyboardInterrupt:
            if folder is not None:
                click.echo(f"assay: partial results are in {folder}; add --resume to continue", err=True)
            raise
    publish(report, outputs)
    if folder is not None:
        publish_folder(report, folder)
    return exit_code(report, fail_under)


def _adapter(adapter: str | None, url: str | None) -> str:
    if adapter == "snapshot":
        raise click.UsageError("--adapter snapshot learns no turns; name an agent that does")
    if adapter or url:
        return adapter or "http"
    return fallback()


def _agent_options(given: dict[str, Any]) -> AgentOptions:
    paths: Sequence[Path] = given["python_path"]
    return AgentOptions(
        url=given["agent_url"],
        python_path=tuple(paths) or None,
        arguments=model_arguments(given["model"]),
        passed_on=tuple(given["passed_on"]),
        timeout_s=given["timeout_s"],
    )
