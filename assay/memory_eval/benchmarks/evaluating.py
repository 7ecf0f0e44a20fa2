"""Evaluation of an agent on a benchmark: each world in turn, one report of all questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from assay.memory_eval.benchmarks.benchmark import Benchmark, BenchmarkWorld
from assay.memory_eval.benchmarks.register import BENCHMARKS
from assay.memory_eval.errors import ExamUsageError, WorldUnreadable
from assay.memory_eval.exam.folder import Exam
from assay.memory_eval.report.measures import measured, report_of
from assay.memory_eval.report.model import EvalReport, EvalResult
from assay.memory_eval.run.grading import grading_by
from assay.memory_eval.run.runner import EvalRunner
from assay.statistics import mean

BENCHMARK_FORMATS = tuple(benchmark.name for benchmark in BENCHMARKS)


def benchmark_worlds(name: str, path: Path, limit: int | None = None) -> Iterator[BenchmarkWorld]:
    """Yield the worlds of a local copy, at most `limit`; raises `WorldUnreadable` with file:line."""
    seen: set[str] = set()
    for world in islice(_named(name).read(path), limit):
        if world.name in seen:
            raise WorldUnreadable(f"{world.where}: a second world is named {world.name!r}", code="world.invalid-row")
        seen.add(world.name)
        yield world


def evaluate_benchmark(
    name: str,
    path: Path,
    agent: Any,
    runner: EvalRunner,
    *,
    limit: int | None = None,
    grader_model: Any = None,
    on_world: Callable[[str], None] = lambda _name: None,
) -> EvalReport:
    """Evaluate one agent on each world, and return one report; the caller closes the agent.

    `runner` has the settings; with its `output_dir`, each world's run has a separate folder in it. An invalid run
    ends the evaluation.
    """
    own = _named(name)
    reports: list[EvalReport] = []
    scores: list[tuple[str, float | None]] = []
    notes: list[str] = []
    with grading_by(runner.grading or runner.grading_mode, grader_model, runner.grader_votes) as grading:
        for number, world in enumerate(benchmark_worlds(name, path, limit), start=1):
            notes += world.notes
            if not world.questions:
                notes.append(f"{world.name}: has no questions")
                continue
            on_world(world.name)
            folder = None if runner.output_dir is None else Path(runner.output_dir) / _folder(number, world.name)
            exam = Exam(list(world.turns), list(world.questions))
            one = replace(runner, world=exam, grading=grading, grading_mode=None, output_dir=folder)
            report, of_world = _with_own_scores(one.run(agent), world, own)
            reports.append(report)
            scores += of_world
            if not report.valid:
                notes.append(f"{world.name}: the run is invalid, and no further world was evaluated")
                break
    if not reports:
        raise ExamUsageError(f"{path}: holds no questions", code="world.no-questions")
    return _joined(reports, own, scores, notes)


def _named(name: str) -> Benchmark:
    return next(benchmark for benchmark in BENCHMARKS if benchmark.name == name)


def _folder(number: int, name: str) -> str:
    """Return a folder's name: the world's own comes from an untrusted file."""
    return f"{number:04}-{re.sub(r'[^A-Za-z0-9_-]+', '_', name)[:80]}"


def _with_own_scores(
    report: EvalReport, world: BenchmarkWorld, own: Benchmark
) -> tuple[EvalReport, list[tuple[str, float | None]]]:
    """Add the benchmark's own score to each reasoning; return them with their categories too."""
    by_id = {question.id: question for question in world.questions}
    results: list[EvalResult] = []
    scores: list[tuple[str, float | None]] = []
    for result in report.results:
        was_asked = bool(result.answer) or result.score is not None
        score = own.own_score(by_id[result.question_id], result.answer) if was_asked else None
        scores.append((result.category, score))
        said = "" if score is None else f" {own.metric[:1].upper()}{own.metric[1:]}: {score:.2f}."
        results.append(replace(result, reasoning=f"{result.reasoning}{said}"))
    return replace(report, results=results), scores


def _joined(
    reports: Sequence[EvalReport], own: Benchmark, scores: Sequence[tuple[str, float | None]], notes: Sequence[str]
) -> EvalReport:
    first, last = reports[0], reports[-1]
    results = [result for report in reports for result in report.results]
    num_words = {result.question_id: len(result.answer.split()) for result in results}
    groups = [report.results for report in reports]
    said = [_summary(own, scores), *_left_to_a_judge(results), *notes, *(n for one in reports for n in one.notes)]
    sums = ("num_turns", "learning_time_s", "questioning_time_s", "grading_time_s")
    return report_of(
        results,
        {
            **measured(results, num_words, [], {}),
            "benchmark": {"name": own.name, "num_worlds": len(reports), own.metric: _means(scores)},
        },
        # Worlds with one question each have no spread within them.
        groups if len(reports) < len(results) else None,
        agent=_named_once(report.agent for report in reports),
        grading=first.grading,
        grader_votes=first.grader_votes,
        valid=last.valid,
        why_invalid=last.why_invalid,
        judge=last.judge,
        notes=list(dict.fromkeys(said)),
        reader=_named_once(report.reader for report in reports),
        **{name: sum(getattr(report, name) for report in reports) for name in sums},
    )


def _named_once(values: Iterable[str]) -> str:
    """Return a value that all worlds share, or each that one has."""
    return ", ".join(dict.fromkeys(filter(None, values)))


def _means(scores: Sequence[tuple[str, float | None]]) -> Mapping[str, float | None]:
    """Return the mean of all scores, then of each category."""
    names = sorted({category for category, score in scores if score is not None})
    of_all = mean([score for _, score in scores if score is not None])
    each = {name: mean([score for one, score in scores if one == name and score is not None]) for name in names}
    return {"overall": of_all, **each}


def _summary(own: Benchmark, scores: Sequence[tuple[str, float | None]]) -> str:
    given = [score for _, score in scores if score is not None]
    average = mean(given)
    if average is None:
        return f"{own.metric}: applies to none of the {len(scores)} questions"
    return f"{own.metric}: {average:.2%} over {len(given):,} of {len(scores):,} questions"


def _left_to_a_judge(results: Sequence[EvalResult]) -> list[str]:
    num = sum(result.score is None and result.error is None for result in results)
    return [f"{num:,} of {len(results):,} questions are not graded: their answers need a judge"] if num else []
