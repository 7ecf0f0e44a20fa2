"""A pull request from nothing, and the next one on a warm mirror: fetch and validate, on repositories of any size.

    ASSAY_BENCH_REPOSITORIES=/path/celery:/path/core make bench PYTEST_ARGS="-k validating"

The repositories (whole histories) are served from a bare copy by `file://`; the network of a real remote comes on top.
Without the variable this repository's own history serves.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.github.pull_request.checkout import MirrorLimits, Mirrors, Wanted
from assay.validators import ValidationRequest, validate_isolated

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]


@pytest.mark.bench
def test_a_first_and_a_next_pull_request(tmp_path: Path) -> None:
    table = Table(
        "repository", "files", "first fetch", "MB", "first validating", "next fetch", "next validating", "processor"
    )
    for path in REPOSITORIES:
        table.add_row(*_row(path, tmp_path / path.parent.name))
    Console(width=140).print(table)


def _row(path: Path, folder: Path) -> list[str]:
    folder.mkdir()
    bare = folder / "remote.git"
    _git(folder, "clone", "--quiet", "--bare", str(path), str(bare))
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        _git(bare, "config", name, "true")
    landed = _git(bare, "log", "--first-parent", "--max-count=200", "--format=%H", "HEAD").split()
    small = [one for one in landed if _is_small_code(bare, one)][:2]
    mirrors = Mirrors(folder / "mirrors", MirrorLimits(), local=True)
    seconds: list[float] = []
    worked_s = 0.0
    for number, head in enumerate(reversed(small), 1):
        base = _git(bare, "rev-parse", f"{head}^1").strip()
        began, worked_before_s = time.monotonic(), _worked_s()
        with mirrors.checkout("bench", 1, f"file://{bare}", None, Wanted(base, head, number)) as checkout:
            seconds.append(time.monotonic() - began)
            request = ValidationRequest(str(checkout.repository), base, head)
            began = time.monotonic()
            report = validate_isolated(request, deadline_s=600, memory_bytes=4 << 30)
            seconds.append(time.monotonic() - began)
        worked_s = _worked_s() - worked_before_s
        assert report.risk is not None
    num_files = len(_git(bare, "ls-tree", "-r", "--name-only", "HEAD").splitlines())
    size = f"{mirrors.size_bytes() / 1e6:.0f}"
    first, validated, following, again = (f"{one:.1f} s" for one in seconds)
    return [folder.name, str(num_files), first, size, validated, following, again, f"{worked_s:.1f} s"]


def _worked_s() -> float:
    """Processor time of all that we started and that has ended: what a busy machine does not lengthen."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _is_small_code(bare: Path, commit: str) -> bool:
    """Whether a change has up to seven files, one of them source: prose needs no import graph, and is quicker."""
    names = _git(bare, "diff-tree", "-r", "--name-only", f"{commit}^1", commit).splitlines()
    return len(names) < 8 and any(name.endswith((".py", ".ts", ".js", ".tsx")) for name in names)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
