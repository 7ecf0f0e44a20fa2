"""The tiny files, whole or changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.memory_eval import Question, benchmark_worlds
from assay.memory_eval.benchmarks.benchmark import Benchmark, BenchmarkWorld
from assay.memory_eval.benchmarks.register import BENCHMARKS

FORMS = Path(__file__).parent / "forms"
PATHS = {"locomo": FORMS / "locomo.json", "longmemeval": FORMS / "longmemeval.json", "beam": FORMS / "beam"}


def benchmark(name: str) -> Benchmark:
    """The benchmark of a name."""
    return next(one for one in BENCHMARKS if one.name == name)


def worlds(name: str, path: Path | None = None) -> list[BenchmarkWorld]:
    """All worlds of a copy, by default of the tiny one."""
    return list(benchmark_worlds(name, path or PATHS[name]))


def questions(name: str) -> dict[str, Question]:
    """The questions of the tiny copy, by id."""
    return {question.id: question for world in worlds(name) for question in world.questions}


def changed(folder: Path, name: str, change: Callable[[Any], object]) -> Path:
    """Write a copy of a tiny file after a change of its data."""
    data = json.loads(PATHS[name].read_text("utf-8"))
    change(data)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data, indent=1), "utf-8")
    return path
