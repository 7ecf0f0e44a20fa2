"""How many landed changes of real repositories are critical because source could not be read.

    ASSAY_BENCH_REPOSITORIES=/path/flask:/path/core ASSAY_BENCH_CHANGES=50 make bench PYTEST_ARGS="-k unreadable -s"

Without the variable this repository's own history serves. Each such change is printed with its files.
"""

from __future__ import annotations

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ObjectMissing
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.unreadable_source import UnreadableSourceSignal
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.bench.test_risk_levels import REPOSITORIES, landed
from tests.validators.risk.changes import places_of

MOST_UNREADABLE = 0.01
FEW = 200
"""Changes; a share of fewer says nothing."""


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_few_landed_changes_hold_unreadable_source() -> None:
    num_changes = num_unreadable = num_absent = 0
    for path in REPOSITORIES:
        with Repository(path) as repository:
            for commit, subject in landed(path):
                try:
                    change = read_change(repository, f"{commit}^1", commit)
                except ObjectMissing:  # a partial clone
                    num_absent += 1
                    continue
                assessment = assess_risk(change, ValidationConfig(), signals=[UnreadableSourceSignal()])
                num_changes += 1
                num_unreadable += bool(assessment.statements)
                for place in places_of(assessment.statements):
                    print(f"{path.name} {commit[:10]} {subject[:60]}: {place}")
    share = num_unreadable / max(1, num_changes)
    print(f"{num_unreadable} of {num_changes} changes ({share:.1%}) hold unreadable source; {num_absent} not here")
    assert num_changes < FEW or num_unreadable <= MOST_UNREADABLE * num_changes
