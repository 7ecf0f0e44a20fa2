"""The supported benchmarks."""

from __future__ import annotations

from assay.memory_eval.benchmarks import beam, locomo, longmemeval

BENCHMARKS = (locomo.BENCHMARK, longmemeval.BENCHMARK, beam.BENCHMARK)
