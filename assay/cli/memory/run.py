"""The command `assay memory run`, with the options and the evaluation that `compare --seeds` shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import Output
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
from assay.cli.memory.judge import grading_options, judge_of, print_estimate
from assay.cli.memory.outputs import exit_code, fail_under_option, make_folder, publish, publish_folder
from assay.cli.memory.progress import drawing
from assay.cli.memory.secrets import keep_secrets_to_ourselves
from assay.memory_eval import (
    AgentOptions,
    EvalReport,
    EvalRunner,
    agent_from,
    keeps_a_store,
    read_exam,
    takes_a_model,
)

BASELINES = ("nothing", "transcript", "bm25", "embeddings")
LEARNING_AGENT = "learning-agent"

_OPTIONS = (
    click.option(
        "--turns",
        "num_turns",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        help="Number of turns in the dialogue.",
    ),
    click.option(
        "--questions",
        "num_questions",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="Number of questions.",
    ),
    click.option(
        "--adapter",
        metavar="NAME",
        help="Agent: http, subprocess:COMMAND, python:module:Class, store:module:Class, mcp:SERVER, a library such as"
        f" mem0, snapshot or baseline:NAME. Default: by --agent-url or --load-memory, else {FALLBACK}.",
    ),
    AGENT_URL,
    MODEL,
    click.option(
        "--world",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Exam folder to use instead of generating one.",
    ),
    click.option("--skip-learning", is_flag=True, help="Skip the dialogue and only ask the questions."),
    click.option(
        "--load-memory",
        "--load-db",
        "load_memory",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Existing memory for --skip-learning; `storage_path` of a Python agent; folder of a live store.",
    ),
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="YAML file with table and columns of an SQLite memory.",
    ),
    click.option(
        "--baseline",
        "baselines",
        multiple=True,
        type=click.Choice(BASELINES),
        help="Baseline to evaluate on the same questions, repeatable.",
    ),
    click.option(
        "--segment-size",
        type=click.IntRange(1),
        metavar="TURNS",
        help="Turns after which to restart the agent's process.",
    ),
    PARALLEL_WORKERS,
    PYTHON_PATH,
    ENV,
    TIMEOUT,
    click.option("--resume", is_flag=True, help="Resume the interrupted run in --output-dir."),
    OUTPUT_DIR,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of one evaluation."""

    num_turns: int
    num_questions: int
    seed: int | None
    adapter: str | None
    agent_url: str | None
    model: str | None
    world: Path | None
    skip_learning: bool
    load_memory: Path | None
    mapping: Path | None
    baselines: Sequence[str]
    segment_size: int | None
    parallel_workers: int
    python_path: tuple[Path, ...]
    passed_on: Sequence[str]
    timeout_s: float
    resume: bool
    output_dir: Path | None
    grading: str | None
    grader_votes: int
    grader_model: str | None
    grader_budget: float | None

    @property
    def has_store(self) -> bool:
        """Whether the agent is given `load_memory` as the place of its store, and can still learn."""
        return keeps_a_store(self.adapter or "") and not self.is_learning_agent_elsewhere

    @property
    def is_learning_agent_elsewhere(self) -> bool:
        """Whether the learning agent is a server, or a store that it left, instead of its library with a model."""
        return self.adapter == LEARNING_AGENT and (bool(self.agent_url) or not self.model)


def examination_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options in the order of the help."""
    command = grading_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("run", short_help="Run a dialogue and questions on an agent, and grade it")
@examination_options
@click.option("--seed", type=int, help="Seed of the exam. Default: random, shown at the end.")
@fail_under_option
def run_command(fail_under: float | None, **options: Any) -> int:
    """Run a dialogue and questions on an agent, and grade it.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    report = examined(chosen(Asked(**options)))
    publish(report, [Output("terminal")])
    return exit_code(report, fail_under)


def chosen(asked: Asked) -> Asked:
    """Return the options with the adapter filled in; warn about options without effect."""
    if asked.skip_learning and not (asked.load_memory or asked.adapter or asked.agent_url):
        raise click.UsageError("--skip-learning needs an agent with a memory: add --load-memory or --adapter")
    if asked.load_memory and not asked.skip_learning and not asked.has_store:
        raise click.UsageError("--load-memory cannot be combined with learning: add --skip-learning")
    adapter = _adapter(asked)
    if asked.model and (not takes_a_model(adapter) or asked.is_learning_agent_elsewhere):
        click.echo(f"assay: --model has no effect on {adapter}: it needs a python or subprocess agent", err=True)
    return replace(asked, adapter=adapter)


def examined(asked: Asked) -> EvalReport:
    """Evaluate the agent and each baseline, and write the output folder; `asked` comes from `chosen`."""
    if asked.output_dir is not None:
        make_folder(asked.output_dir)
    keep_secrets_to_ourselves()
    text = asked.adapter or FALLBACK
    options = _agent_options(asked)
    runner = _runner(asked)
    with judge_of(asked.grading, asked.grader_model, asked.grader_budget) as judge:
        try:
            with drawing() as draw, closing(agent_from(text, options)) as agent:
                report = replace(runner, progress=draw).run(agent, judge)
        except KeyboardInterrupt:
            if asked.seed is None and asked.world is None:
                click.echo("assay: the secret exam is lost; the next run draws another", err=True)
            elif asked.output_dir is not None:
                kept = f"partial results are in {asked.output_dir}; add --resume to continue"
                click.echo(f"assay: {kept}", err=True)
            raise
        same = replace(runner, seed=report.seed)
        baselines = [_baseline(same, name, judge) for name in dict.fromkeys(asked.baselines)]
    report = replace(report, baselines=(*report.baselines, *baselines))
    if asked.output_dir is not None:
        publish_folder(report, asked.output_dir)
    return report


def _runner(asked: Asked) -> EvalRunner:
    """Return the runner of the agent; the exam's files are read here, before any code of the agent runs."""
    return EvalRunner(
        num_turns=asked.num_turns,
        num_questions=asked.num_questions,
        seed=asked.seed,
        grader_votes=asked.grader_votes,
        grading=asked.grading,
        world=None if asked.world is None else read_exam(asked.world),
        segment_size=asked.segment_size,
        parallel_workers=asked.parallel_workers,
        output_dir=asked.output_dir,
        resume=asked.resume,
        skip_learning=asked.skip_learning,
        timeout_s=asked.timeout_s,
        on_estimate=print_estimate,
        agent_model=asked.model,
    )


def _baseline(runner: EvalRunner, name: str, judge: Any) -> dict[str, Any]:
    """Evaluate a baseline on the same questions in this process, without the run's folder."""
    same = replace(
        runner,
        output_dir=None,
        resume=False,
        skip_learning=False,
        segment_size=None,
        parallel_workers=1,
        agent_model=None,
        measures_memory=False,
    )
    with drawing(prefix=f"{name}: ") as draw, closing(agent_from(f"baseline:{name}")) as agent:
        report = replace(same, progress=draw).run(agent, judge)
    return {
        "name": name,
        "overall_score": report.overall_score,
        "category_scores": {row.category: row.avg_score for row in report.category_breakdown},
    }


def _adapter(asked: Asked) -> str:
    """Return the adapter: given, derived from the URL or memory, or the fallback."""
    if asked.adapter:
        return asked.adapter
    if asked.agent_url:
        return "http"
    return "snapshot" if asked.load_memory else fallback()


def _agent_options(asked: Asked) -> AgentOptions:
    return AgentOptions(
        url=asked.agent_url,
        python_path=asked.python_path or None,
        arguments=model_arguments(asked.model),
        storage_path=asked.load_memory if asked.has_store else None,
        passed_on=tuple(asked.passed_on),
        load_memory=asked.load_memory,
        mapping=asked.mapping,
        timeout_s=asked.timeout_s,
    )
