"""Demonstrations on bugs of public repositories: a fix reversed, shown by the fix's own tests, and by nothing else.

`ASSAY_BENCH_REPOSITORIES` names clones or mirrors of Python projects, separated by colons; nothing of them is kept.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Silent
from assay.validators.tools import trials as trials_module
from assay.validators.tools.trials import Trial, open_trials
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository

REPOSITORIES = [Path(one) for one in os.environ.get("ASSAY_BENCH_REPOSITORIES", "").split(":") if one]
WANTED = int(os.environ.get("ASSAY_BENCH_BUGS", "20"))
MOST_LINES = 60
CONFIG = ValidationConfig.model_validate({"tier1": {"commands": ["python -m pytest -q"], "network": False}})


@dataclass(frozen=True)
class Bug:
    """A fix to reverse: source files, and the test file it extends."""

    sha: str
    sources: tuple[str, ...]
    test: str


def git(where: Path, *arguments: str) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=where, capture_output=True, text=True, check=True, env={**os.environ, **identity}
    )
    return done.stdout


def bugs(where: Path) -> Iterator[Bug]:
    """Newest fixes that change a little source and one test file."""
    for sha in git(where, "log", "--no-merges", "--format=%H", "-n", "400", "-i", "--grep=fix").split():
        rows = [line.split("\t") for line in git(where, "show", "--numstat", "--format=", sha).splitlines() if line]
        changed = {name: int(added) + int(removed) for added, removed, name in rows if added.isdigit()}
        sources = [name for name in changed if name.startswith("src/") and name.endswith(".py")]
        tests = [name for name in changed if re.search(r"^tests/.*test_[^/]*\.py$", name)]
        if sources and len(tests) == 1 and sum(changed[name] for name in sources) <= MOST_LINES:
            yield Bug(sha, tuple(sources), tests[0])


def reversed_in(where: Path, bug: Bug) -> tuple[str, str, str, str]:
    """Commit the fixed source with the old tests, then the old source; (base, head, the fix's tests, the old ones)."""
    new, old = (git(where, "show", f"{bug.sha}{parent}:{bug.test}") for parent in ("", "^"))
    git(where, "checkout", "-q", "--force", "--detach", f"{bug.sha}^")
    git(where, "checkout", "-q", bug.sha, "--", *bug.sources)
    git(where, "commit", "-q", "--allow-empty", "-am", "Base")
    base = git(where, "rev-parse", "HEAD").strip()
    git(where, "checkout", "-q", f"{bug.sha}^", "--", *bug.sources)
    git(where, "commit", "-q", "--allow-empty", "-am", "Change")
    return base, git(where, "rev-parse", "HEAD").strip(), new, old


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not REPOSITORIES, reason="ASSAY_BENCH_REPOSITORIES names no repository")
def test_reversed_fixes_are_demonstrated_and_wrong_tests_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trials_module, "LARGEST_BYTES", 1_000_000)  # whole test files stand in for one generated test
    table = Table("repository", "usable", "demonstrated", "broke", "wrong tests", "rejected", title="reversed fixes")
    totals = [0, 0, 0, 0, 0]
    for mirror in REPOSITORIES:
        where = tmp_path / mirror.parent.name
        git(tmp_path, "clone", "-q", "--shared", str(mirror), str(where))
        usable = demonstrated = broke = wrong = rejected = 0
        for bug in bugs(where):
            if usable >= WANTED // len(REPOSITORIES):
                break
            base, head, new, old = reversed_in(where, bug)
            stem = Path(bug.test).stem
            path = f"{bug.test.rpartition('/')[0]}/test_{stem.removeprefix('test_')}_shown.py"
            with Repository(where) as repository:
                change = read_change(repository, base, head)
                with open_trials(change, CONFIG, Silent()) as trials:
                    on_head, on_base = trials.run("head", path, new), trials.run("base", path, new)
                    print(bug.sha[:10], bug.test, on_head.trial, on_base.trial, on_head.why[:80], flush=True)
                    if on_base.trial is not Trial.passed or on_head.trial not in (Trial.failed, Trial.broke):
                        continue  # the fix needs more than its source, or its tests need more than their file
                    usable += 1
                    demonstrated += on_head.trial is Trial.failed
                    broke += on_head.trial is Trial.broke
                    false = new + "\n\ndef test_of_nothing():\n    assert 6 * 7 == 41\n"
                    for text in (old, false):
                        shows = (trials.run("head", path, text).trial, trials.run("base", path, text).trial)
                        wrong += 1
                        rejected += shows != (Trial.failed, Trial.passed)
        table.add_row(mirror.parent.name, *map(str, (usable, demonstrated, broke, wrong, rejected)))
        totals = [one + two for one, two in zip(totals, (usable, demonstrated, broke, wrong, rejected), strict=True)]
    table.add_row("all", *map(str, totals))
    Console(width=110).print(table)
    assert totals[3] == totals[4], "a wrong test demonstrated something"
    assert totals[1] >= 0.5 * totals[0]
