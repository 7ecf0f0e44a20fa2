"""Demonstrations: a test of the model is run for real in both trees, and only what it shows counts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Silent
from assay.validators.report.model import Severity
from assay.validators.report.review import ReviewQuestion, Side
from assay.validators.review.claims import Claim, Consequence, Dropped, Fix, Place
from assay.validators.review.findings import severity_of
from assay.validators.review.proving import Prover, is_fair, is_quoted, proof_of, states_intent
from assay.validators.review.trees import Trees
from assay.validators.tools.comparison.changed_tests import write_file
from assay.validators.tools.trials import Trial, Trials, open_trials
from tests.validators.review.conftest import MakeChange, Scripted

BUG = "    return sum(items[1:])"
BASE = {
    "shop.py": "def total(items):\n    return sum(items)\n",
    "README.md": "total(items) is the sum of all items.\n",
    "tests/test_shop.py": "from shop import total\n\n\ndef test_none():\n    assert total([]) == 0\n",
    "tests/conftest.py": "import sys\n\nsys.path.insert(0, __file__.rpartition('/tests/')[0])\n",
    "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
}
HEAD = {"shop.py": f"def total(items):\n{BUG}\n\n\ndef mean(items):\n    return sum(items) // len(items)\n"}
CONFIG = ValidationConfig.model_validate({"tier1": {"setup": "none", "commands": ["python -m pytest -q"]}})
PATH = "tests/test_shop_0a1b2c3d.py"
RIGHT = "from shop import total\n\n\ndef test_first_item_counts():\n    assert total([3]) == 3\n"
FALSE = RIGHT.replace("== 3", "== 4")
HARMLESS = RIGHT.replace("total([3]) == 3", "total([]) == 0")


FLAKY = """\
from pathlib import Path

MARK = Path(__file__).with_suffix(".ran")


def test_a():
    known = MARK.exists()
    MARK.write_text("")
    assert known
"""


def claim(line: str = BUG, number: int = 2, symbol: str = "total", fix: Fix | None = None) -> Claim:
    place = Place(Side.head, "shop.py", number, number, line)
    details = (("input", "total([3])"), ("expected", "3"), ("actual", "0"))
    question, consequence = ReviewQuestion.correctness, Consequence.wrong_result
    return Claim(question, "behaviour", place, symbol, "It leaves out an item", consequence, details, (), fix)


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def change(make_change: MakeChange) -> ChangeSet:
    return make_change(BASE, HEAD)


@pytest.fixture
def trials(change: ChangeSet, opened: ExitStack) -> Trials:
    return opened.enter_context(open_trials(change, CONFIG, Silent()))


@pytest.mark.system
def test_a_test_fails_on_the_head_and_passes_on_the_base(trials: Trials):
    head, base = trials.run("head", PATH, RIGHT), trials.run("base", PATH, RIGHT)
    assert (head.trial, base.trial) == (Trial.failed, Trial.passed)
    assert any("assert 0 == 3" in line for line in head.output)
    assert trials.run("head", PATH, HARMLESS).trial is Trial.passed


@pytest.mark.soak
@pytest.mark.parametrize(
    ("text", "trial"),
    [
        ("import nothing_of_this_name\n\n\ndef test_a():\n    assert True\n", Trial.broke),
        ("from shop import total\n\n\ndef test_a():\n    total()\n", Trial.broke),  # raised in the test
        ("from shop import total\n\n\ndef test_a():\n    total(None)\n", Trial.failed),  # raised in the source
        ("from shop import total\n\n\ndef test_a(:\n", Trial.broke),
        ("from shop import total\n", Trial.broke),
        ("x" * 30_000, Trial.not_run),
        (
            FLAKY,
            Trial.flaky,
        ),
    ],
)
def test_what_does_not_fail_by_an_assertion_shows_nothing(trials: Trials, text: str, trial: Trial):
    assert trials.run("head", PATH, text).trial is trial


@pytest.mark.soak
def test_the_new_file_is_gone_afterwards_and_the_trees_are_as_before(trials: Trials):
    trials.run("head", PATH, RIGHT, {"shop.py": b"broken("})
    assert trials.run("head", "tests/test_other.py", RIGHT).trial is Trial.failed
    root = trials._sides.head.workplace.root
    assert not (root / PATH).exists()
    assert (root / "shop.py").read_text() == HEAD["shop.py"]


def test_a_new_test_is_placed_next_to_the_tests_of_its_subject(trials: Trials):
    assert trials.path_for("shop.py", "0a1b2c3d") == PATH


# ------------------------------------------------------------------ what a test shows

README = {"path": "README.md", "quote": "total(items) is the sum of all items."}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("text", "expectation", "severity"),
    [
        (RIGHT, README, Severity.error),
        (RIGHT, None, Severity.warning),
        (RIGHT, README | {"quote": "total(items) is the sum of some items."}, Severity.warning),
        (RIGHT, {"path": "shop.py", "quote": "    return sum(items)"}, Severity.warning),
        (RIGHT, {"path": "pyproject.toml", "quote": "testpaths = ['tests']"}, Severity.warning),
    ],
)
def test_a_demonstrated_claim_is_an_error_with_a_quoted_expectation_alone(
    change: ChangeSet, trials: Trials, text: str, expectation: Any, severity: Severity
):
    proof = proof_of(claim(), PATH, text, expectation, trials, Trees(change))
    assert proof.dropped is None
    assert proof.demonstration is not None
    assert (proof.demonstration.path, proof.demonstration.text) == (PATH, text)
    found = severity_of(
        claim().question, demonstrated=proof.is_demonstrated, expectation_quoted=proof.is_expectation_quoted
    )
    assert found is severity


@pytest.mark.soak
@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        (HARMLESS, Dropped.not_demonstrated),  # it passes on the head
        (FALSE, Dropped.not_demonstrated),  # it fails on the base too
        ("from shop import total, gone\n\n\ndef test_a():\n    assert total([3]) == 3\n", None),  # it cannot run
    ],
)
def test_a_wrong_test_demonstrates_nothing(change: ChangeSet, trials: Trials, text: str, dropped: Dropped | None):
    proof = proof_of(claim(), PATH, text, README, trials, Trees(change))
    assert (proof.dropped, proof.is_demonstrated, proof.demonstration) == (dropped, False, None)


BY_FOLDER = """\
import os

import shop


def test_total():
    assert "/head" not in os.path.abspath(".")
"""
"""Fails on every head, and passes on every base."""


@pytest.mark.soak
def test_a_test_that_tells_the_trees_apart_by_their_folders_demonstrates_nothing(change: ChangeSet, trials: Trials):
    assert [trials.run(side, PATH, BY_FOLDER).trial for side in ("head", "base")] == [Trial.failed, Trial.passed]
    proof = proof_of(claim(), PATH, BY_FOLDER, README, trials, Trees(change))
    assert (proof.dropped, proof.is_demonstrated) == (None, False)


def test_a_compiled_file_of_the_same_size_and_second_is_not_taken_for_current(trials: Trials):
    workplace = trials._sides.head.workplace
    values = []
    for number in range(1, 5):
        assert write_file(workplace, "shop.py", f"VALUE = {number}\n".encode())
        command = [sys.executable, "-c", "import shop; print(shop.VALUE)"]
        done = subprocess.run(command, cwd=workplace.root, capture_output=True, text=True, check=True, env={})
        values.append(int(done.stdout))
    assert values == [1, 2, 3, 4]


NEW = "from shop import mean\n\n\ndef test_mean():\n    assert mean([1, 2]) == 1.5\n"


@pytest.mark.soak
def test_new_code_is_demonstrated_with_the_proposed_fix(change: ChangeSet, trials: Trials):
    line = "    return sum(items) // len(items)"
    fix = Fix("shop.py", 6, 6, "    return sum(items) / len(items)")
    trees = Trees(change)
    assert proof_of(claim(line, 6, "mean", fix), PATH, NEW, None, trials, trees).is_demonstrated
    without = proof_of(claim(line, 6, "mean"), PATH, NEW, None, trials, trees)
    assert (without.is_demonstrated, without.dropped) == (False, None)
    useless = Fix("shop.py", 6, 6, "    return sum(items) // max(1, len(items))")
    assert proof_of(claim(line, 6, "mean", useless), PATH, NEW, None, trials, trees).dropped is Dropped.not_demonstrated


@pytest.mark.soak
def test_an_intended_change_with_an_edited_test_is_no_finding(make_change: MakeChange, opened: ExitStack):
    edited = BASE["tests/test_shop.py"].replace("total([]) == 0", "total([9]) == 0")
    change = make_change(BASE, HEAD | {"tests/test_shop.py": edited})
    trials = opened.enter_context(open_trials(change, CONFIG, Silent()))
    proof = proof_of(claim(), PATH, RIGHT, README, trials, Trees(change))
    assert (proof.dropped, proof.is_demonstrated) == (Dropped.intended, False)


def test_a_new_test_alone_states_no_intent(make_change: MakeChange):
    added = BASE["tests/test_shop.py"] + "\n\ndef test_one():\n    assert total([9]) == 0\n"
    change = make_change(BASE, HEAD | {"tests/test_shop.py": added})
    assert not states_intent(change, "total")
    assert not states_intent(change, "")


def test_an_expectation_is_quoted_from_an_untouched_file_of_the_base(change: ChangeSet):
    trees = Trees(change)
    assert is_quoted(claim(), README, trees)
    for wrong in (None, {}, README | {"path": "shop.py"}, README | {"path": 3}, {"path": "none.md", "quote": "x" * 20}):
        assert not is_quoted(claim(), wrong, trees)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def test_a():\n    assert 1 == 2\n",  # names nothing of the change
        RIGHT + "\nimport subprocess\n",
        RIGHT + "\nSOURCE = open('shop.py').read()\n",
        RIGHT + "\nimport inspect\n",
        RIGHT + "\nimport socket\n",
    ],
)
def test_a_test_that_reads_source_or_runs_programs_is_not_run(text: str):
    assert is_fair(RIGHT, claim())
    assert not is_fair(text, claim())


def test_the_prover_asks_for_a_test_and_runs_it(change: ChangeSet, trials: Trials):
    asker = Scripted(lambda *_: {"text": RIGHT, "expectation": README})
    proof = Prover(asker, trials, Trees(change))(claim())
    assert (proof.is_demonstrated, proof.is_expectation_quoted) == (True, True)
    facts, question = asker.asked[0]
    assert "tests/test_shop_" in facts
    assert "> 2: " + BUG in facts
    assert "fails on the head" in question
