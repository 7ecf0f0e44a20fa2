"""The shipped manifest on real clones, with an oracle.

`ASSAY_BENCH_REPOSITORIES_DIR` is a folder with clones named as in the manifest; `ASSAY_BENCH_SAMPLE` takes a part.

    ASSAY_BENCH_REPOSITORIES_DIR=/clones make soak PYTEST_ARGS="-k scripted_reviewer -s"
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.console import Console

from assay.cli.display.drawing import Terminal
from assay.llm import AnthropicModel, Budget
from tests.fakes.model import FakeModel
from tests.review_bench.bench.figures import figures_of
from tests.review_bench.bench.manifest import Kind, load_manifest
from tests.review_bench.bench.running import BenchRequest, run_bench
from tests.review_bench.display import print_figures
from tests.review_bench.reviewers import Liar, Oracle, Reviewer

FOLDER = os.environ.get("ASSAY_BENCH_REPOSITORIES_DIR", "")
SAMPLE = int(os.environ.get("ASSAY_BENCH_SAMPLE", "0")) or None


@pytest.mark.soak
@pytest.mark.timeout(6 * 3600)
@pytest.mark.skipif(not FOLDER, reason="ASSAY_BENCH_REPOSITORIES_DIR names no folder")
@pytest.mark.parametrize("kind", [Oracle, Liar])
def test_the_shipped_manifest_with_a_scripted_reviewer(kind: type[Reviewer]):
    manifest, folder = load_manifest(), Path(FOLDER)
    entries = manifest.sample(list(Kind), SAMPLE, {path.name for path in folder.iterdir()})
    reviewer = kind(entries, folder)
    with (
        FakeModel(answers=reviewer) as server,
        AnthropicModel("claude-haiku-5-5", api_key="k", base_url=server.url, budget=Budget(max_usd=1e6)) as model,
    ):
        request = BenchRequest(manifest, entries, folder, model=model, max_usd=1e6, on_change=reviewer.ended)
        run = run_bench(request)
    reviewer.close()
    figures = figures_of(run)
    print_figures(Terminal(width=140), run, figures)
    missed = [one.id for one in run.changes if one.kind.has_bug and not one.found]
    Console().print("not found:", *missed)
    every = figures[-1]
    assert every.errors == 0
    assert every.model is not None
    assert every.model.invented == 0
    assert every.model.unanswered == 0
    if kind is Oracle:
        assert missed == []
        assert all(one.model is None or one.model.num_elsewhere == 0 for one in run.changes)
    else:
        assert every.model.findings.value == 0.0
        assert sum(every.model.dropped.values()) == every.model.num_claims > 0
