"""Time of the replays of `assay init`, and the proof that sharing changes no report.

    ASSAY_BENCH_REPOSITORIES=/path/click:/path/express make bench PYTEST_ARGS="-k init"

The changes of each repository (this one by default) are validated twice: each by itself, and as `assay init` does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.cli.adopting.replay import landed_changes, replayed
from assay.validators import (
    Options,
    Repository,
    Tier,
    ValidationReport,
    change_between,
    known_names,
    load_configuration,
    validate,
)
from tests.bench.test_replay import REPOSITORIES, name_of

NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "10"))


@pytest.mark.bench
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("path", REPOSITORIES, ids=name_of)
def test_init(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Repository(path) as repository:
        tip = repository.resolve("HEAD")
        config = load_configuration(repository.tree(tip), known_names()).config
        landed = landed_changes(repository, tip, NUM_CHANGES)

        def each_by_itself() -> Iterator[ValidationReport | None]:
            for change in landed:
                between = change_between(repository, change.parents[0], change.sha)
                yield validate(between, config, Options(tiers=(Tier.quality, Tier.risk)))

        def together() -> Iterator[ValidationReport | None]:
            return (one.report for one in replayed(repository, landed, config))

        seconds, reports = {}, {}
        for run in (each_by_itself, together):
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / run.__name__))
            seconds[run.__name__], reports[run.__name__] = _timed(run)
    print(f"\n{name_of(path)}: {len(landed)} changes, load {os.getloadavg()[0]:.1f}")
    for name, (wall_s, cpu_s) in seconds.items():
        print(f"  {name.replace('_', ' '):15} {wall_s:5.1f} s ({cpu_s:.1f} CPU s)")
    assert reports["together"] == reports["each_by_itself"]


def _timed(
    run: Callable[[], Iterator[ValidationReport | None]],
) -> tuple[tuple[float, float], list[ValidationReport | None]]:
    began, before = time.monotonic(), os.times()
    reports = [report and replace(report, durations_s={}) for report in run()]
    after = os.times()
    cpu_s = sum(after[at] - before[at] for at in range(4))
    return (time.monotonic() - began, cpu_s), reports
