"""Which named test runs which line, from one run of all tests named in docs/requirements.md under coverage."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "mutants"
COVERAGE = FOLDER / "coverage"
SECONDS = FOLDER / "seconds.json"
COVERAGE_SETTINGS = """\
[run]
core = ctrace
parallel = true
data_file = {data}
context = ${{PYTEST_CURRENT_TEST-}}
include =
    {modules}
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


@cache
def named_tests() -> dict[str, list[str]]:
    """Return the test files, or tests in them, that the rows of docs/requirements.md name for each module."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in (ROOT / "docs" / "requirements.md").read_text("utf-8").splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) != 6:
            continue
        for module in re.findall(r"`(assay/[^`]+\.py)`", cells[3]):
            found[module] |= dict.fromkeys(re.findall(r"`(tests/[^`]+)`", cells[4]))
    return {module: list(tests) for module, tests in sorted(found.items())}


def is_named(test: str, names: list[str]) -> bool:
    return any(test == name or test.startswith((f"{name}::", f"{name}[")) for name in names)


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
    """Run all named tests once under coverage."""
    COVERAGE.mkdir(parents=True, exist_ok=True)
    settings = COVERAGE / "settings.ini"
    modules = "\n    ".join(str(ROOT / module) for module in named_tests())
    settings.write_text(COVERAGE_SETTINGS.format(data=COVERAGE / "data", modules=modules), encoding="utf-8")
    files = sorted({test.partition("::")[0] for tests in named_tests().values() for test in tests})
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n2",
        "-m",
        "not soak and not bench",
        "-p",
        "tests.mutants.measured",
        *files,
    ]
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings), "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, env=environment, check=False)
    combined = Coverage(config_file=str(settings))
    combined.combine([str(COVERAGE)])
    combined.save()


@cache
def _data() -> CoverageData:
    data = CoverageData(str(COVERAGE / "data"))
    data.read()
    return data


@cache
def seconds() -> dict[str, float]:
    """Return the seconds of each named test that passed."""
    found: dict[str, float] = json.loads(SECONDS.read_text("utf-8"))
    return found


@cache
def tests_by_line(module: str) -> dict[int, set[str]]:
    """Return the passing tests that run each line of a module."""
    found = {}
    for line, contexts in _data().contexts_by_lineno(str(ROOT / module)).items():
        tests = {re.sub(r" \((?:setup|call|teardown)\)$", "", context) for context in contexts}
        found[line] = {test for test in tests if test in seconds()}
    return found
