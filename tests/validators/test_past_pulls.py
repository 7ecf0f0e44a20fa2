"""Tests that failed on earlier pull requests of the same files, and the place this gives them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.changes.past_pulls import PastPull, failed_with
from assay.validators.graph.blast_radius import blast_radius
from assay.validators.risk.likelihood.labels import OutcomeFinder
from tests.validators.languages.trees import graph_of

QUIET = [PastPull(changed=("other.py",))] * 6


@pytest.mark.parametrize(
    ("pulls", "expected"),
    [
        ([], {}),
        (
            [*QUIET, PastPull(("a.py", "x.py"), ("test_a.py", "test_x.py")), PastPull(("a.py",), ("test_a.py",))],
            {"test_a.py": 2, "test_x.py": 1},
        ),
        ([*QUIET, PastPull(("b.py",), ("test_a.py",))], {}),
        ([PastPull(("a.py",), ("test_a.py",))], {}),
        ([*[PastPull(("other.py",), ("test_flaky.py",))] * 3, *QUIET[:3], PastPull(("a.py",), ("test_flaky.py",))], {}),
        ([*QUIET, *[PastPull(("a.py",))] * 3, PastPull(("a.py",), ("test_a.py",))], {"test_a.py": 1}),
    ],
    ids=["none", "together", "another file", "nothing to compare with", "fails anywhere", "fails seldom"],
)
def test_a_test_is_named_if_it_failed_more_often_with_these_files(pulls: list[PastPull], expected: dict[str, int]):
    assert failed_with(pulls, ["a.py"]) == expected


PATHS = st.lists(st.sampled_from("abcd"), max_size=4)


@given(st.lists(st.builds(PastPull, changed=PATHS, failed=PATHS), max_size=12), PATHS)
def test_what_is_named_failed_as_often_as_it_says(pulls: list[PastPull], changed: list[str]):
    for path, count in failed_with(pulls, changed).items():
        assert count == sum(path in pull.failed and bool(set(pull.changed) & set(changed)) for pull in pulls) > 0


def test_a_test_that_failed_before_runs_first(tmp_path: Path):
    files = {
        "a.py": "def f():\n    pass\n",
        "b.py": "import a\n",
        "test_near.py": "from a import f\ndef test_it():\n    f()\n",
        "test_far.py": "import b\ndef test_it():\n    pass\n",
        "test_last.py": "import b\ndef test_it():\n    pass\n",
    }
    past = [*QUIET, PastPull(("a.py",), ("test_far.py", "b.py"))]
    radius = blast_radius(graph_of(files, tmp_path), {"a.py": ("f",)}, ["a.py"], past_pulls=past)
    assert [(one.path, one.reason, one.num_failed) for one in radius.affected if one.has_tests] == [
        ("test_far.py", "failed before", 1),
        ("test_near.py", "uses", 0),
        ("test_last.py", "imports", 0),
    ]
    assert [one.path for one in radius.affected if one.runs_first] == ["test_far.py", "test_near.py"]


def test_recorded_outcomes_count_besides_those_of_the_history():
    finder = OutcomeFinder([PastPull(sha="1" * 40, fixed_at=5), PastPull(sha="2" * 40, reverted_at=6), PastPull()])
    assert (finder.fixed_at, finder.reverted_at) == ({"1" * 40: 5}, {"2" * 40: 6})
