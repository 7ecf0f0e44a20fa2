"""The commands that evaluate an agent: `assay memory run`, `compare` and `benchmark`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.display.outputs import STDOUT, Output, PairedCommand
from assay.cli.memory.options import (
    AGENT,
    FAIL_UNDER,
    FALLBACK,
    GRADING,
    MAPPING,
    REPORT_SUFFIXES,
    adapter_of,
    exit_code,
    judge_of,
    make_folder,
    model_arguments,
    number,
    path_option,
    print_estimate,
    publish,
    publish_folder,
    with_options,
    with_outputs,
)
from assay.cli.memory.progress import Draw, drawing
from assay.cli.memory.secrets import keep_secrets_to_ourselves
from assay.escape import visible
from assay.memory_eval import (
    BENCHMARK_FORMATS,
    AgentAdapter,
    AgentOptions,
    EvalReport,
    EvalRunner,
    agent_from,
    compare_files,
    evaluate_benchmark,
    keeps_a_store,
    merge_reports,
    read_exam,
    takes_a_model,
)

BASELINES = ("nothing", "transcript", "bm25", "embeddings")
MOST_NAME = 100
MOST_SEEDS = 100

Given = Mapping[str, Any]
"""The options of an evaluation, as click names them; `chosen` completes them."""

_ADAPTER = (
    "Agent: http, subprocess:COMMAND, python:module:Class, store:module:Class, mcp:SERVER, a library such as mem0,"
    f" snapshot or baseline:NAME. Default: by --agent-url or --load-memory, else {FALLBACK}."
)
_LEARNER = f"Agent: http, subprocess:COMMAND, python:module:Class or baseline:NAME. Default: {FALLBACK}."
_MEMORY = "Existing memory for --skip-learning; `storage_path` of a Python agent; folder of a live store."
_BASELINE = "Baseline to evaluate on the same questions, repeatable."
_SEGMENT = "Turns after which to restart the agent's process."

EXAMINATION = (
    number("--turns", "num_turns", default=1000, help="Number of turns in the dialogue."),
    number("--questions", "num_questions", default=100, help="Number of questions."),
    click.option("--adapter", metavar="NAME", help=_ADAPTER),
    path_option("--world", metavar="DIR", help="Exam folder to use instead of generating one."),
    click.option("--skip-learning", is_flag=True, help="Skip the dialogue and only ask the questions."),
    path_option("--load-memory", "--load-db", "load_memory", metavar="PATH", help=_MEMORY),
    MAPPING,
    click.option("--baseline", "baselines", multiple=True, type=click.Choice(BASELINES), help=_BASELINE),
    number("--segment-size", metavar="TURNS", help=_SEGMENT),
    *AGENT,
    *GRADING,
)


class Seeds(click.ParamType[tuple[int, ...]]):
    """Comma-separated list of whole numbers."""

    name = "seeds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Convert `42,123` to (42, 123); fail on an empty list, a duplicate, or text that is not a number."""
        if isinstance(value, tuple):
            return value
        try:
            seeds = tuple(int(word) for word in str(value).split(",") if word.strip())
        except ValueError:
            self.fail(f"{value}: expected whole numbers separated by commas", param, ctx)
        if not seeds or len(set(seeds)) < len(seeds) or len(seeds) > MOST_SEEDS:
            self.fail(f"{value}: expected 1 to {MOST_SEEDS} different seeds", param, ctx)
        return seeds


@click.command("run", short_help="Run a dialogue and questions on an agent, and grade it")
@with_options(*EXAMINATION)
@click.option("--seed", type=int, help="Seed of the exam. Default: random, shown at the end.")
@FAIL_UNDER
def run_command(fail_under: Mapping[str, float] | None, **given: Any) -> int:
    """Run a dialogue and questions on an agent, and grade it.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    report = examined(chosen(given))
    publish(report, [Output("terminal")])
    return exit_code(report, fail_under)


@click.command("compare", short_help="Compare two reports, or evaluate over several seeds")
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path))
@click.option("--seeds", type=Seeds(), metavar="42,123,…", help="Evaluate with each seed, with a reset in between.")
@click.option("-o", "--output", metavar="FILE", help="Comparison file: .json, .md, .html or .txt.")
@click.option("--fail-on-worse", is_flag=True, help="Exit with 1 if the second report is worse.")
@with_options(*EXAMINATION)
@FAIL_UNDER
def compare_command(
    reports: Sequence[Path],
    seeds: tuple[int, ...] | None,
    output: str | None,
    fail_on_worse: bool,
    fail_under: Mapping[str, float] | None,
    **given: Any,
) -> int:
    """Compare two reports, or evaluate over several seeds.

    Two reports of the same questions are given as BEFORE.json AFTER.json; --seeds evaluates one agent instead. Exit
    code: 0 success, 1 by --fail-on-worse or --fail-under, 2 usage, 3 an invalid run.
    """
    if seeds is None:
        if len(reports) != 2:
            raise click.UsageError("expected two reports, BEFORE.json and AFTER.json, or --seeds")
        comparison = compare_files(*reports)
        kind = "terminal" if output in (None, STDOUT) else REPORT_SUFFIXES.get(Path(str(output)).suffix.lower())
        if kind is None:
            raise click.UsageError(f"-o {output}: unknown suffix: use one of {', '.join(REPORT_SUFFIXES)}")
        publish(comparison, [Output(kind, output or STDOUT)])
        return int(fail_on_worse and comparison.is_worse)
    if reports or output or fail_on_worse:
        raise click.UsageError("--seeds cannot be combined with reports, -o or --fail-on-worse")
    if given["world"] is not None:
        raise click.UsageError("--world has fixed questions: it cannot be combined with --seeds")
    asked, folder = chosen(given), given["output_dir"]
    found = [examined({**asked, "seed": seed, "output_dir": folder and folder / f"seed-{seed}"}) for seed in seeds]
    merged = merge_reports(found)
    publish_folder(merged, folder)
    publish(merged, [Output("terminal")])
    return exit_code(merged, fail_under)


@click.command("benchmark", cls=PairedCommand, short_help="Evaluate an agent on a public benchmark")
@click.argument("benchmark", metavar="FORMAT", type=click.Choice(BENCHMARK_FORMATS))
@click.argument("path", type=click.Path(path_type=Path))
@with_options(
    number("--limit", metavar="N", help="Maximum number of worlds. Default: all."),
    click.option("--adapter", metavar="NAME", help=_LEARNER),
    *AGENT,
    *GRADING,
)
@with_outputs
@FAIL_UNDER
def benchmark_command(
    benchmark: str, path: Path, outputs: Sequence[Output], fail_under: Mapping[str, float] | None, **given: Any
) -> int:
    """Evaluate an agent on a public benchmark.

    FORMAT is locomo, longmemeval or beam; PATH is your copy of its file, for beam of its folder. Exit code: 0 success,
    1 below --fail-under, 2 usage or input, 3 an invalid run.
    """
    if given["resume"] and given["output_dir"] is None:
        raise click.UsageError("--resume needs --output-dir")
    if given["adapter"] == "snapshot":
        raise click.UsageError("--adapter snapshot learns no turns; name an agent that does")
    folder = make_folder(given["output_dir"])
    keep_secrets_to_ourselves()
    given["adapter"] = adapter_of(given["adapter"], given["agent_url"])
    world = ""

    def on_world(name: str) -> None:
        nonlocal world
        world = visible(name, MOST_NAME)

    with judge_of(given) as judge, _agent(given) as (agent, draw):
        runner = replace(_runner(given), progress=lambda phase, done, num: draw(f"{world}: {phase}", done, num))
        limit = given["limit"]
        report = evaluate_benchmark(benchmark, path, agent, runner, limit=limit, grader_model=judge, on_world=on_world)
    publish(report, outputs)
    publish_folder(report, folder)
    return exit_code(report, fail_under)


def chosen(given: Given) -> dict[str, Any]:
    """Return the options with the adapter filled in; warn about options without effect."""
    adapter, memory, model = given["adapter"], given["load_memory"], given["model"]
    if given["skip_learning"] and not (memory or adapter or given["agent_url"]):
        raise click.UsageError("--skip-learning needs an agent with a memory: add --load-memory or --adapter")
    # The learning agent is a server, or a store that it left, instead of its library with a model.
    is_elsewhere = adapter == "learning-agent" and (bool(given["agent_url"]) or not model)
    has_store = keeps_a_store(adapter or "") and not is_elsewhere
    if memory and not given["skip_learning"] and not has_store:
        raise click.UsageError("--load-memory cannot be combined with learning: add --skip-learning")
    adapter = adapter_of(adapter, given["agent_url"], memory)
    if model and (not takes_a_model(adapter) or is_elsewhere):
        click.echo(f"assay: --model has no effect on {adapter}: it needs a python or subprocess agent", err=True)
    return {**given, "adapter": adapter, "storage_path": memory if has_store else None}


def examined(given: Given) -> EvalReport:
    """Evaluate the agent and each baseline, and write the output folder; the options come from `chosen`."""
    folder = make_folder(given["output_dir"])
    keep_secrets_to_ourselves()
    # The exam's files are read here, before any code of the agent runs.
    runner = replace(
        _runner(given),
        num_turns=given["num_turns"],
        num_questions=given["num_questions"],
        seed=given["seed"],
        world=None if given["world"] is None else read_exam(given["world"]),
        segment_size=given["segment_size"],
        skip_learning=given["skip_learning"],
        on_estimate=print_estimate,
        agent_model=given["model"],
    )
    with judge_of(given) as judge:
        with _agent(given) as (agent, draw):
            report = replace(runner, progress=draw).run(agent, judge)
        same = replace(runner, seed=report.seed)
        baselines = [_baseline(same, name, judge) for name in dict.fromkeys(given["baselines"])]
    report = replace(report, baselines=(*report.baselines, *baselines))
    publish_folder(report, folder)
    return report


@contextmanager
def _agent(given: Given) -> Iterator[tuple[AgentAdapter, Draw]]:
    """Yield the agent, and what draws the progress; an interrupted run says what is kept of it."""
    try:
        with drawing() as draw, closing(agent_from(given["adapter"], _agent_options(given))) as agent:
            yield agent, draw
    except KeyboardInterrupt:
        folder = given["output_dir"]
        if given.get("seed", 0) is None and given["world"] is None:
            click.echo("assay: the secret exam is lost; the next run draws another", err=True)
        elif folder is not None:
            click.echo(f"assay: partial results are in {folder}; add --resume to continue", err=True)
        raise


def _runner(given: Given) -> EvalRunner:
    same = ("grading", "grader_votes", "parallel_workers", "output_dir", "resume", "timeout_s")
    return EvalRunner(**{name: given[name] for name in same})


def _agent_options(given: Given) -> AgentOptions:
    return AgentOptions(
        url=given["agent_url"],
        python_path=tuple(given["python_path"]) or None,
        arguments=model_arguments(given["model"]),
        storage_path=given.get("storage_path"),
        passed_on=tuple(given["passed_on"]),
        load_memory=given.get("load_memory"),
        mapping=given.get("mapping"),
        timeout_s=given["timeout_s"],
    )


def _baseline(runner: EvalRunner, name: str, judge: Any) -> dict[str, Any]:
    """Evaluate a baseline on the same questions in this process, without the run's folder."""
    alone: dict[str, Any] = {"output_dir": None, "resume": False, "skip_learning": False, "segment_size": None}
    same = replace(runner, **alone, parallel_workers=1, agent_model=None, measures_memory=False)
    with drawing(prefix=f"{name}: ") as draw, closing(agent_from(f"baseline:{name}")) as agent:
        report = replace(same, progress=draw).run(agent, judge)
    return {
        "name": name,
        "overall_score": report.overall_score,
        "category_scores": {row.category: row.avg_score for row in report.category_breakdown},
    }
