"""The base's version of edited tests on the head: changed expectations are told by name, and block nothing."""

from __future__ import annotations

import sys

import pytest

from assay.validators.report.model import Outcome, Severity, ToolsResult
from assay.validators.tools.comparison.changed_tests import RULE
from tests.repositories import RealRepository
from tests.validators.tools.changes import run_on, settings

PYTEST = f"{sys.executable} -m pytest -p no:cacheprovider"
SHOP = "def total(prices):\n    return sum(prices)\n"
TEST = """\
from shop import total


def test_total():
    assert total([40, 50]) == 90


def test_empty():
    assert total([]) == 0
"""


def expectations(result: ToolsResult) -> list[tuple[str, str, Severity]]:
    return sorted((one.file, one.context, one.severity) for one in result.findings if one.rule == RULE)


@pytest.fixture
def shop(repository: RealRepository) -> RealRepository:
    repository.commit(files={"shop.py": SHOP, "tests/test_shop.py": TEST, "conftest.py": ""})
    return repository


def test_an_expectation_edited_beside_its_subject_is_told_with_both_values(shop: RealRepository):
    shop.commit(
        files={
            "shop.py": SHOP.replace("sum(prices)", "sum(prices) - 5"),
            "tests/test_shop.py": TEST.replace("== 90", "== 85").replace("== 0", "== -5"),
        }
    )
    result = run_on(shop, settings(PYTEST))
    assert [(run.outcome, run.gating) for run in result.runs] == [(Outcome.passed, False)]
    assert expectations(result) == [
        ("tests/test_shop.py", "tests/test_shop.py::test_empty", Severity.info),
        ("tests/test_shop.py", "tests/test_shop.py::test_total", Severity.info),
    ]
    assert "assert 85 == 90" in next(one.message for one in result.findings if "test_total" in one.context)


@pytest.mark.soak
def test_an_edit_that_asks_for_more_is_not_told(shop: RealRepository):
    shop.commit(
        files={
            "tests/test_shop.py": TEST.replace("== 90\n", "== 90\n    assert total([1]) == 1\n").replace(
                "import total", "import total  # all"
            )
        }
    )
    assert expectations(run_on(shop, settings(PYTEST))) == []


@pytest.mark.soak
def test_a_base_version_that_cannot_be_collected_is_one_line(shop: RealRepository):
    shop.commit(files={"shop.py": SHOP.replace("total", "whole"), "tests/test_shop.py": TEST.replace("total", "whole")})
    result = run_on(shop, settings(PYTEST))
    assert expectations(result) == []
    notes = [note.what for note in result.not_checked if "base" in note.what]
    assert notes == ["the base's version of tests/test_shop.py on the head"]
