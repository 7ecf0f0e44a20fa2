"""All rows of a parametrized test as one case, which names the rows that fail.

Thousands of rows cost more as cases than as tests: each worker lists them all, and each sends three reports. Every row
still has its own fixtures, and runs although an earlier one failed. `pytest FILE::test[row]` runs one row, `-k row`
those of a name, and `--each-row` shows each as a case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.conftest import ROOT

SELECTING = frozenset({"soak", "bench", "system", "browser", "postgres"})
"""Marks by which a run chooses: the rows of a case all have the same ones."""
HARNESSES = frozenset({"evasion", "repeats", "review_bench"})
"""Folders of research: thousands of generated cases, or streams to measure by."""
SYSTEM_MARKS = frozenset({"browser", "postgres"})
SYSTEM_FIXTURES = frozenset({"act", "postgres_server", "postgres_url"})


class Table(pytest.Item):
    """A parametrized test with all its rows of the same marks."""

    def __init__(self, *, rows: Sequence[pytest.Function], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.rows = rows
        self.own_markers.extend(rows[0].own_markers)
        self.keywords.update({mark.name: mark for mark in rows[0].own_markers})

    @property
    def obj(self) -> object:
        """The test function; plugins look for it."""
        return self.rows[0].obj

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return where the test is."""
        return self.rows[0].reportinfo()

    def runtest(self) -> None:
        """Never called: `pytest_runtest_protocol` runs the rows."""
        raise NotImplementedError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--each-row`."""
    parser.addoption("--each-row", action="store_true", help="show each row of a parametrized test as a case")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str) -> Generator[None, Any, Any]:
    """Put the rows of a test together."""
    found = yield
    if not isinstance(found, list):
        return found
    rows = [item for item in found if isinstance(item, pytest.Function)]
    for row in rows:
        _mark(row)
    config = collector.config
    is_apart = config.option.each_row or config.option.keyword or any("[" in one for one in config.args)
    # Subtests report by the name of a case of their own.
    if is_apart or len(rows) < max(2, len(found)) or "subtests" in rows[0].fixturenames:
        return found
    groups: defaultdict[tuple[str, ...], list[pytest.Function]] = defaultdict(list)
    for row in rows:
        groups[tuple(sorted(SELECTING & {mark.name for mark in row.own_markers}))].append(row)
    return [
        of_marks[0]
        if len(of_marks) == 1
        else Table.from_parent(collector, name=name if at == 0 else f"{name}[{','.join(marks)}]", rows=of_marks)
        for at, (marks, of_marks) in enumerate(sorted(groups.items()))
    ]


def _mark(row: pytest.Function) -> None:
    """Leave harnesses to `make soak`, and what starts a browser, a database or a runner to `make test-system`."""
    folder = row.path.relative_to(ROOT / "tests").parts[0]
    names = {mark.name for mark in row.iter_markers()}
    if folder in HARNESSES:
        row.add_marker(pytest.mark.soak)
    elif "small" not in names and (
        folder == "functional" or names & SYSTEM_MARKS or SYSTEM_FIXTURES.intersection(row.fixturenames)
    ):
        row.add_marker(pytest.mark.system)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run every row with its own fixtures, and report once."""
    if not isinstance(item, Table):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports: list[pytest.TestReport] = []
    for at, row in enumerate(item.rows, 1):
        reports += runtestprotocol(row, log=False, nextitem=item.rows[at] if at < len(item.rows) else nextitem)
        if item.session.shouldstop:
            break
    item.ihook.pytest_runtest_logreport(report=_joined(item, reports))
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _joined(item: Table, reports: Sequence[pytest.TestReport]) -> pytest.TestReport:
    failed = [report for report in reports if report.failed]
    ran = any(report.passed for report in reports if report.when == "call")
    skipped = [report for report in reports if report.skipped]
    outcome: Any = "passed"
    said: Any = None
    if failed:
        names = dict.fromkeys(report.nodeid.removeprefix(item.nodeid) for report in failed)
        told = f"{len(names)} of {len(item.rows)} rows failed: {' '.join(names)}"
        said = "\n\n".join([*(f"{one.nodeid} ({one.when})\n{one.longreprtext}" for one in failed), told])
        outcome = "failed"
    elif skipped and not ran:
        outcome, said = "skipped", skipped[0].longrepr
    return pytest.TestReport(
        item.nodeid,
        item.location,
        dict.fromkeys(item.keywords, 1),
        outcome,
        said,
        "call",
        sections=[section for report in failed for section in report.sections],
        duration=sum(report.duration for report in reports),
    )
