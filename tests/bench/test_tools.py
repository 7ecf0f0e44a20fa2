"""How long it takes to scan a change of ten files, and to read a large output or report."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.validators.tools.coverage.files import read_coverage
from assay.validators.tools.readers.register import MEMBERS
from tests.conftest import ROOT
from tests.repositories import RealRepository
from tests.validators.tools.projects import CASES, Project
from tests.validators.tools.scanners.changes import ALL, scanned

pytestmark = pytest.mark.bench
NUM_RUNS = 5


def measured(what: str, run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(NUM_RUNS):
        began = time.monotonic()
        run()
        seconds.append(time.monotonic() - began)
    print(f"\n{what}: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s")
    return statistics.median(seconds)


@pytest.mark.parametrize("only", [("semgrep",), ("bandit",), tuple(sorted(ALL))], ids="+".join)
def test_a_change_of_ten_files_is_scanned_in_seconds(only: tuple[str, ...], repository: RealRepository):
    everything = sorted((ROOT / "assay" / "validators").glob("*.py"))
    # A file that speaks of generated code is taken for such.
    sources = [path for path in everything if path.stem != "classify"][:10]
    before = {f"shop/{path.name}": path.read_text("utf-8") for path in sources}
    after = {name: f"{text}\n\ndef added(text):\n    return eval(text)\n" for name, text in before.items()}

    def once() -> None:
        again = {name: f"{text}# {time.monotonic()}\n" for name, text in after.items()}
        assert len(scanned(repository, before, again, only=only).findings) == 10

    assert measured(f"{'+'.join(only)} on 10 changed files", once) < 30


def test_a_large_output_is_read_in_seconds(tmp_path: Path):
    project = Project(tmp_path).of("python")
    one = (CASES / "pytest" / "9.txt").read_bytes()
    said = (b"tests/test_cart.py::test_fine PASSED\n" * 150_000) + one

    def once() -> None:
        assert project.read(MEMBERS[-1], said).counts.failed == 3

    assert measured(f"an output of {len(said) // 1024 // 1024} MB", once) < 20


def test_a_large_coverage_report_is_read_in_seconds(tmp_path: Path):
    names = [f"src/f{number}.py" for number in range(1000)]
    lines = "".join(f'<line number="{line}" hits="1"/>' for line in range(1, 300))
    classes = "".join(f'<class filename="{name}"><lines>{lines}</lines></class>' for name in names)
    report = tmp_path / "coverage.xml"
    report.write_text(f"<coverage><packages><package><classes>{classes}</classes></package></packages></coverage>")

    def once() -> None:
        assert len(read_coverage(report, names)) == 1000

    assert measured(f"a report of {report.stat().st_size // 1024 // 1024} MB", once) < 30
