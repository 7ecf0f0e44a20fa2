"""Test integrity on landed changes of real repositories: how many findings of each part and severity.

    ASSAY_BENCH_REPOSITORIES=/path/httpx:/path/gin ASSAY_BENCH_CHANGES=40 make bench PYTEST_ARGS="-k integrity"

Replays the newest first-parent commits that change a file with `test` or `spec` in its path, and prints every finding
above `info`. Without the variable this repository's own history serves.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Silent
from assay.validators.quality.check import check_quality
from assay.validators.quality.register import RULES
from assay.validators.report.model import Finding, Severity
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
ONLY = ValidationConfig.model_validate(
    {"tier2": {"severities": {rule.name: "off" for rule in RULES if rule.name != "test_integrity"}}}
)
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "40"))


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_integrity_of_landed_changes() -> None:
    counts: Counter[str] = Counter()
    num_changes = num_blocked = num_warned = 0
    for path in REPOSITORIES:
        for commit, findings in _replayed(path):
            num_changes += 1
            worst = max((finding.severity.rank for finding in findings), default=0)
            num_blocked += worst == Severity.error.rank
            num_warned += worst == Severity.warning.rank
            counts.update(f"{finding.severity} {finding.rule}" for finding in findings)
            for finding in findings:
                if finding.severity is not Severity.info:
                    print(
                        f"{path.name} {commit[:9]} {finding.severity} {finding.rule} {finding.file}: {finding.message}"
                    )
    print(f"{num_changes} changes, {num_blocked} blocked, {num_warned} with a warning: {dict(sorted(counts.items()))}")
    assert num_changes


def _replayed(path: Path) -> Iterator[tuple[str, list[Finding]]]:
    command = ["git", "-C", str(path), "log", "--first-parent", "--format=%H %P", f"-{NUM_CHANGES}", "--"]
    listed = subprocess.run([*command, "*test*", "*spec*"], capture_output=True, text=True, check=True).stdout
    with Repository(path) as repository:
        for line in listed.splitlines():
            commit, *parents = line.split()
            if parents:
                change = read_change(repository, parents[0], commit)
                yield commit, list(check_quality(change, ONLY, progress=Silent()).findings)
