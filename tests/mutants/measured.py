"""Which test of `make test` runs which line, from one run of all of them under coverage."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from functools import cache

import pytest
from coverage import Coverage, CoverageData

from tests.conftest import ROOT

FOLDER = ROOT / "build" / "mutants"
COVERAGE = FOLDER / "coverage"
SECONDS = FOLDER / "seconds.json"
SUITE = "not soak and not bench and not system"
SETTINGS = f"""\
[run]
core = ctrace
parallel = true
data_file = {COVERAGE / "data"}
context = ${{PYTEST_CURRENT_TEST-}}
source = {ROOT / "assay"}
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tell coverage which test runs (this module is a plugin while coverage is measured)."""
    if current := Coverage.current():
        current.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        if current:
            current.switch_context("")


class _Times:
    """Seconds of each test that passes."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of a test."""
        self.seconds[report.nodeid] += report.duration
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        passed = {test: round(seconds, 3) for test, seconds in self.seconds.items() if test not in self.failed}
        SECONDS.write_text(json.dumps(passed, indent=1), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Measure times where the results of all workers arrive."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Times())


def measure() -> None:
    """Run all tests once under coverage."""
    COVERAGE.mkdir(parents=True, exist_ok=True)
    settings = COVERAGE / "settings.ini"
    settings.write_text(SETTINGS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n2",
        "--ignore",
        "tests/bench",
        "-m",
        SUITE,
        "-p",
        "tests.mutants.measured",
        "-o",
    ]
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings), "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    subprocess.run([*command, "timeout=600"], cwd=ROOT, env=environment, check=False)
    combined = Coverage(config_file=str(settings))
    combined.combine([str(COVERAGE)])
    combined.save()


@cache
def seconds() -> dict[str, float]:
    """Return the seconds of each test that passed."""
    found: dict[str, float] = json.loads(SECONDS.read_text("utf-8"))
    return found


@cache
def _data() -> CoverageData:
    data = CoverageData(str(COVERAGE / "data"))
    data.read()
    return data


def tests_of(module: str, lines: Iterable[int]) -> list[str]:
    """Return the passing tests that run one of these lines: the cheapest row of each test before the others."""
    by_line = _data().contexts_by_lineno(str(ROOT / module))
    contexts = {context for line in lines for context in by_line.get(line, ())}
    names = {re.sub(r" \((?:setup|call|teardown)\)$", "", context) for context in contexts}
    # A process that a row of a table started names the row; the case is the table.
    tests = {name if name in seconds() else name.partition("[")[0] for name in names} & seconds().keys()
    rank: Counter[str] = Counter()
    order = []
    for test in sorted(tests, key=lambda test: (seconds()[test], test)):
        function = test.partition("[")[0]
        order.append((rank[function], seconds()[test], test))
        rank[function] += 1
    return [test for _, _, test in sorted(order)]
