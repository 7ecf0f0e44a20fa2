"""Large stores are inspected within a minute and 500 MB."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.memory_eval.adapters.snapshots.large_stores import LARGE

NUM_ENTRIES = 100_000
_INSPECT = "import sys; from assay.cli.main import run; sys.exit(run(['memory', 'inspect', *sys.argv[1:]]))"


@pytest.mark.parametrize("name", LARGE)
def test_every_entry_of_a_store_in_this_layout_is_live(tmp_path: Path, name: str):
    snapshot = open_snapshot(LARGE[name](tmp_path, 500))
    assert snapshot.format == name
    assert len(snapshot.live) == len(snapshot.entries) == 500
    assert len({entry.text for entry in snapshot.live}) == 500


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_hundred_thousand_entries_take_less_than_a_minute_and_500_mb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rows = []
    for name, write in LARGE.items():
        store, out = write(tmp_path, NUM_ENTRIES), tmp_path / f"{name}.json"
        began = time.monotonic()
        child = os.posix_spawn(
            sys.executable, [sys.executable, "-c", _INSPECT, str(store), "-o", str(out)], dict(os.environ)
        )
        _, status, usage = os.wait4(child, 0)
        waited = time.monotonic() - began
        assert status == 0
        assert json.loads(out.read_text("utf-8"))["states"]["live"] == NUM_ENTRIES
        rows.append(
            (name, usage.ru_utime + usage.ru_stime, waited, usage.ru_maxrss / 1024, store.stat().st_size / 2**20)
        )
        store.unlink()
    with capsys.disabled():
        print(f"\n{NUM_ENTRIES:,} entries  processor s  waited s  memory MB  store MB")
        for name, used_s, waited_s, memory_mb, store_mb in rows:
            print(f"{name:15}  {used_s:11.1f}  {waited_s:8.1f}  {memory_mb:9.0f}  {store_mb:8.0f}")
    # Processor time: what else the machine does is no part of it.
    assert all(used_s < 60 for _, used_s, *_ in rows)
    assert all(memory_mb < 500 for *_, memory_mb, _ in rows)
