"""What `run` and `compare --seeds` share: their options, and one examination made of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from assay.cli.memory.judge import grading_options, judge_of
from assay.cli.memory.outputs import make_folder, publish_folder
from assay.cli.memory.progress import drawing
from assay.cli.memory.secrets import keep_secrets_to_ourselves
from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, agent_from, read_exam

BASELINES = ("nothing", "transcript", "bm25", "embeddings")
FALLBACK = "baseline:bm25"
LEARNING_AGENT = "learning-agent"
MODEL_VARIABLE = "ASSAY_AGENT_MODEL"
"""An agent's process finds the model that `--model` names here."""

_OPTIONS = (
    click.option(
        "--turns",
        "num_turns",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        help="How long the dialogue is.",
    ),
    click.option(
        "--questions",
        "num_questions",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="How many are asked.",
    ),
    click.option(
        "--adapter",
        metavar="NAME",
        help="Which agent: http, subprocess:COMMAND, python:module:Class, snapshot or baseline:NAME. Default: what"
        f" --agent-url or --load-memory points at, else {FALLBACK}.",
    ),
    click.option("--agent-url", metavar="URL", help="Where an HTTP agent is."),
    click.option(
        "--model",
        metavar="NAME",
        help=f"The model the agent is to use: a Python class gets it as `model`, others find it in {MODEL_VARIABLE}.",
    ),
    click.option(
        "--world",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Turns and questions of your own, or of `assay memory world`, instead of drawn ones.",
    ),
    click.option("--skip-learning", is_flag=True, help="Tell it no turn; ask it as it is."),
    click.option(
        "--load-memory",
        "--load-db",
        "load_memory",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="A memory that is there already, for --skip-learning; a Python agent gets it as `storage_path`.",
    ),
    click.option(
        "--baseline",
        "baselines",
        multiple=True,
        type=click.Choice(BASELINES),
        help="Examine this one on the same questions too; may repeat.",
    ),
    click.option(
        "--segment-size",
        type=click.IntRange(1),
        metavar="TURNS",
        help="Start the agent's process anew after so many, to bound its memory.",
    ),
    click.option(
        "--parallel-workers",
        type=click.IntRange(1, 256),
        default=1,
        show_default=True,
        help="So many calls at once, where the agent bears it.",
    ),
    click.option(
        "--python-path",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="DIR",
        help="Where a Python agent's module lies, or what it imports; may repeat. Default: the current folder.",
    ),
    click.option(
        "--env",
        "passed_on",
        multiple=True,
        metavar="NAME",
        help="A variable the agent's process may see although it looks like a secret; may repeat.",
    ),
    click.option(
        "--timeout",
        "timeout_s",
        type=click.FloatRange(0, min_open=True),
        default=60.0,
        show_default=True,
        help="Seconds that one call may take.",
    ),
    click.option("--resume", is_flag=True, help="Take up the run that was interrupted, in the same --output-dir."),
    click.option("--output-dir", type=click.Path(path_type=Path), metavar="DIR", help="Reports and results go there."),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One examination as it was asked for on the command line."""

    num_turns: int
    num_questions: int
    seed: int
    adapter: str | None
    agent_url: str | None
    model: str | None
    world: Path | None
    skip_learning: bool
    load_memory: Path | None
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
    def is_python(self) -> bool:
        """Whether the agent is a Python class: it gets `load_memory` as its store, and can be taught beside it."""
        return (self.adapter or "").startswith("python:")


def examination_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options both commands have, in the order they are read about."""
    command = grading_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen(asked: Asked) -> Asked:
    """The same with its agent decided on, and a line about what somebody might take for granted."""
    if asked.skip_learning and not (asked.load_memory or asked.adapter or asked.agent_url):
        raise click.UsageError("--skip-learning asks an agent that has learned already: --load-memory or --adapter")
    if asked.load_memory and not asked.skip_learning and not asked.is_python:
        raise click.UsageError("--load-memory is examined as it lies there and cannot be taught: add --skip-learning")
    adapter = _adapter(asked)
    if asked.model and adapter.partition(":")[0] not in ("python", "subprocess"):
        click.echo(f"assay: --model is for agents that are started here; {adapter} does not get it", err=True)
    return replace(asked, adapter=adapter)


def examined(asked: Asked) -> EvalReport:
    """Hold one examination, and the same one for each baseline, and leave it in its folder; `asked` was `chosen`."""
    if asked.output_dir is not None:
        make_folder(asked.output_dir)
    keep_secrets_to_ourselves()
    text = asked.adapter or FALLBACK
    options = _agent_options(asked)
    with judge_of(asked.grading, asked.grader_model, asked.grader_budget) as judge:
        try:
            with drawing() as draw, closing(agent_from(text, options)) as agent:
                report = _runner(asked, draw).run(agent, judge)
        except KeyboardInterrupt:
            if asked.output_dir is not None:
                kept = f"what was done lies in {asked.output_dir}; the same command with --resume takes it up again"
                click.echo(f"assay: {kept}", err=True)
            raise
        beside = [_baseline(asked, name, judge) for name in dict.fromkeys(asked.baselines)]
    report = replace(report, baselines=(*report.baselines, *beside))
    if asked.output_dir is not None:
        publish_folder(report, asked.output_dir)
    return report


def _runner(asked: Asked, progress: Callable[[str, int, int], None]) -> EvalRunner:
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
        progress=progress,
        timeout_s=asked.timeout_s,
    )


def _baseline(asked: Asked, name: str, judge: Any) -> dict[str, Any]:
    """Another agent on the same questions: taught by us, in this process, without anything of the run's folder."""
    same = replace(asked, output_dir=None, resume=False, skip_learning=False, segment_size=None, parallel_workers=1)
    with drawing(prefix=f"{name}: ") as draw, closing(agent_from(f"baseline:{name}")) as agent:
        report = _runner(same, draw).run(agent, judge)
    return {
        "name": name,
        "overall_score": report.overall_score,
        "category_scores": {row.category: row.avg_score for row in report.category_breakdown},
    }


def _adapter(asked: Asked) -> str:
    """What the agent is called, also where nobody said: by its address, by its memory, or Assay's own."""
    if asked.adapter and asked.adapter != LEARNING_AGENT:
        return asked.adapter
    if asked.agent_url:
        return "http"
    if asked.load_memory:
        return "snapshot"
    click.echo(f"assay: no --adapter says which agent; {FALLBACK}, one of Assay's own, is examined", err=True)
    return FALLBACK


def _agent_options(asked: Asked) -> AgentOptions:
    arguments = {}
    if asked.model:
        os.environ[MODEL_VARIABLE] = asked.model
        arguments["model"] = asked.model
    return AgentOptions(
        url=asked.agent_url,
        python_path=asked.python_path or None,
        arguments=arguments,
        storage_path=asked.load_memory if asked.is_python else None,
        passed_on=tuple(asked.passed_on),
        load_memory=asked.load_memory,
        timeout_s=asked.timeout_s,
    )
