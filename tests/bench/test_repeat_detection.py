"""How well a repeated review comment is recognised: the figures of docs/learning/repeats.md.

    make bench PYTEST_ARGS="-k repeat_detection"

`ASSAY_BENCH_WRITE=1` writes them into the page, and the chart beside it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from tests.repeats import page
from tests.repeats.figures import Share
from tests.repeats.labelled import Split
from tests.repeats.measuring import Measured, measure, time_of_300_pairs

MOST_S = 60.0
"""300 pairs may take so long."""


@pytest.mark.bench
@pytest.mark.timeout(1800)
def test_repeat_detection_does_what_the_page_says(tmp_path: Path) -> None:
    measured, took_s = measure(), time_of_300_pairs(tmp_path)
    console = Console(width=150)
    for table in (_compared(measured), _by_kind(measured), _empty(measured), _curve(measured)):
        console.print(table)
    console.print(f"300 pairs: {took_s:.1f} s")
    if os.environ.get("ASSAY_BENCH_WRITE"):
        page.write(measured, took_s)
    assert took_s < MOST_S


def _compared(measured: Measured) -> Table:
    table = Table("way", "cut chosen as", "pairs", "cut", "precision", "recall", "F1")
    for row in measured.rows:
        one = row.figures
        told = (f"{one.cut:.3f}", str(one.precision), str(one.recall), f"{one.f1:.3f}")
        table.add_row(row.peer, row.chosen, row.split, *told, style="bold" if row.peer == row.chosen else "")
    return table


def _by_kind(measured: Measured) -> Table:
    table = Table("kind", *(f"called the same, {split}" for split in Split))
    for kind in sorted({kind for shares in measured.by_kind.values() for kind in shares}):
        table.add_row(kind, *(str(measured.by_kind[split].get(kind, Share(0, 0))) for split in Split))
    return table


def _empty(measured: Measured) -> Table:
    table = Table("single comments", *Split)
    table.add_row("no rule, one is read", *(str(measured.read_of_empty[split]) for split in Split))
    table.add_row("a rule, it is read", *(str(measured.read_of_ruled[split]) for split in Split))
    for name in dict.fromkeys(name for name, _ in measured.alarms):
        table.add_row(f"no rule, called a repeat: {name}", *(str(measured.alarms[name, split]) for split in Split))
        drawn = (measured.strangers[name, split] for split in Split)
        table.add_row(f"of two topics, called the same: {name}", *(f"{one.num} of {one.of:,}" for one in drawn))
    return table


def _curve(measured: Measured) -> Table:
    table = Table("cut", "precision", "recall", title="what ships, on the test pairs")
    for one in measured.curves["shipped"]:
        table.add_row(f"{one.cut:.3f}", str(one.precision), str(one.recall))
    return table
