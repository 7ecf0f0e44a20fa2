"""What makes the manifest finds fixes, the commits that fixes blame, and places to plant faults in."""

from __future__ import annotations

import sys

from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.preparing import prepare
from tests.review_bench.conftest import WEB, Known, known
from tests.review_bench.fixes import fixes, outcome_of
from tests.review_bench.landed import landed
from tests.review_bench.plants import layer_bypasses, required_parameters

__all__ = ["known"]


def test_a_fix_with_a_test_is_reversed_and_its_test_shows_the_fault(known: Known):
    with Repository(known.repository.path) as repository:
        (entry,) = fixes(repository, "shop")
        assert entry.commit == known.commits["fix"]
        assert entry.shown_by == ("tests/test_total.py::test_total",)
        assert [(one.path, one.start, one.end) for one in entry.labels] == [("app/store/total.py", 2, 2)]
        assert outcome_of(repository, entry, sys.executable) == (True, "{'base': 'passed', 'head': 'failed'}")


def test_the_commit_that_wrote_what_a_fix_replaces_introduced_the_bug(known: Known):
    with Repository(known.repository.path) as repository:
        found = landed(repository, "shop").introducing
    assert {one.commit: one.fix for one in found} == {
        known.commits["tax"]: known.commits["tax fix"],
    }
    assert [(one.path, one.start, one.end) for one in found[0].labels] == [("app/store/tax.py", 2, 2)]


def test_faults_are_planted_where_others_rely_on_the_code(known: Known):
    with Repository(known.repository.path) as repository:
        (parameter,) = required_parameters(repository, "shop")
        (layers,) = layer_bypasses(repository, "shop")
        assert (parameter.path, parameter.line) == ("app/store/total.py", 1)
        assert sorted(use.path for use in parameter.uses) == sorted(WEB)
        assert (layers.path, layers.target) == ("app/store/total.py", "app.web.page0")
        for entry in (parameter, layers):
            assert prepare(repository, entry).labels
