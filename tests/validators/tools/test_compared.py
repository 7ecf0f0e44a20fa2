"""The head's tests beside the base's, what makes the base run, and what of it is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.validators.changes.change import Hunk
from assay.validators.policy.verdict import decide
from assay.validators.report.model import Conclusion, Counts, Outcome, ToolKind
from assay.validators.tools.commands.bending import bends
from assay.validators.tools.comparison.compared import hidden, lost_tests
from assay.validators.tools.comparison.kept_results import KeptResults
from assay.validators.tools.execution.attempt import Attempt
from assay.validators.tools.execution.environment import same_failure, telling_line
from assay.validators.tools.tool import Ended, Reading, Task
from tests.repositories import RealRepository
from tests.validators.tools.changes import run_on, settings
from tests.validators.tools.test_gates import change, file, finding
from tests.validators.tools.trees import tree_of

FILE = "tests/test_a.py"


def results(**tests: Ended) -> Reading:
    named = {(FILE, name): ended for name, ended in tests.items()}
    ends = list(tests.values())
    return Reading(Counts(ends.count(Ended.passed), ends.count(Ended.failed)), tests=named, is_reported=True)


BOTH = results(one=Ended.passed, two=Ended.passed)


def test_a_test_that_is_gone_from_an_untouched_file_is_lost():
    lost = lost_tests(results(one=Ended.passed), BOTH, change(file("src/a.py", 1)))
    assert (lost.gone, lost.skipped) == ((f"{FILE}::two",), ())


def test_a_test_that_is_skipped_from_outside_its_file_is_lost():
    lost = lost_tests(results(one=Ended.passed, two=Ended.skipped), BOTH, change(file("conftest.py", 1)))
    assert (lost.gone, lost.skipped) == ((), (f"{FILE}::two",))


@pytest.mark.parametrize(("name", "num_skipped"), [("two", 1), ("nothing", 0)])
def test_a_skipped_test_of_no_known_file_is_lost_unless_the_change_speaks_of_it(name: str, num_skipped: int):
    before = Reading(Counts(2, 0), tests={("", "suite > one"): Ended.passed, ("", f"suite > {name}"): Ended.passed})
    after = Reading(Counts(1, 0), tests={**before.tests, ("", f"suite > {name}"): Ended.skipped})
    changed = replace(change(file("src/a.js", 1)), head=tree_of({"src/a.js": "const nothing = 1;\n"}))
    assert len(lost_tests(after, before, changed).skipped) == num_skipped


def test_what_the_change_takes_out_of_its_file_is_left_to_test_integrity():
    assert lost_tests(results(one=Ended.passed), BOTH, change(file(FILE, 1))).reason is None


def test_a_test_of_a_renamed_file_is_the_same():
    moved = Reading(Counts(2, 0), tests={("tests/test_b.py", name): Ended.passed for name in ("one", "two")})
    assert lost_tests(moved, BOTH, change(file("tests/test_b.py", base_path=FILE))).reason is None


@pytest.mark.parametrize(
    ("head", "is_hidden"),
    [
        (BOTH, False),
        (Reading(), True),
        (Reading(looked=False, reason="no tests ran"), True),
        (Reading(Counts(2, 0)), True),
        (Reading(Counts(2, 0), tests=BOTH.tests, is_reported=False), True),
        (Reading(Counts(2, 0), tests=BOTH.tests, is_reported=True, num_retried=1), False),
    ],
)
def test_a_pass_with_less_to_show_than_the_base_is_hidden(head: Reading, is_hidden: bool):
    assert (hidden(head, BOTH, change(file("src/a.py", 1))) is not None) is is_hidden


def test_a_pass_by_retries_that_the_change_brings_is_hidden():
    retried = Reading(Counts(2, 0), tests=BOTH.tests, is_reported=True, num_retried=1)
    settings_file = replace(file("jest.config.js"), hunks=(Hunk(0, (), 1, ("retryTimes: 3",)),))
    assert hidden(retried, BOTH, change(settings_file))


def failed(message: str, path: str = "tests/test_a.py") -> Attempt:
    found = replace(finding("collect", path, None, "test_error"), message=message)
    return Attempt(Outcome.failed, reading=Reading(findings=(found,), looked=False))


def test_the_same_failure_is_in_the_same_place_and_says_the_same_but_for_what_varies():
    ours = failed("connect to 127.0.0.1:41234 refused after 3.02 s")
    assert same_failure(ours, failed("connect to 127.0.0.1:38111 refused after 2.91 s"))
    assert not same_failure(ours, failed("No module named shop"))
    assert not same_failure(ours, failed("connect to 127.0.0.1:38111 refused after 2.91 s", "tests/test_b.py"))


@pytest.mark.parametrize(
    ("lines", "telling"),
    [
        (
            ["npm error code ERESOLVE", "npm error ERESOLVE could not resolve", "npm error A complete log: x"],
            "npm error code ERESOLVE",
        ),
        (["Resolved 3 packages", "  \N{MULTIPLICATION SIGN} No solution found when resolving dependencies:", "hint: x"],
         "\N{MULTIPLICATION SIGN} No solution found when resolving dependencies:"),
        (["error: failed to get `serde` as a dependency", "Caused by:", "  timeout"],
         "error: failed to get `serde` as a dependency"),
        (["Checking a.whl: ERROR    Invalid: '2.5' is not a", "         valid metadata version"],
         "Checking a.whl: ERROR    Invalid: '2.5' is not a"),
        (["nothing special", "the end"], "the end"),
        ([], "no output"),
        (["[ERROR] [ERROR] Some problems were encountered:", "[ERROR] Unresolveable build extension: a"],
         "[ERROR] Unresolveable build extension: a"),
        (["node:internal/modules:1", "Error: Cannot find module '../lib/cli.js'", "Node.js v24.19.0"],
         "Error: Cannot find module '../lib/cli.js'"),
    ],
)  # fmt: skip
def test_the_line_in_which_a_package_manager_says_why_is_quoted(lines: list[str], telling: str):
    assert telling_line(lines) == telling


@pytest.mark.parametrize(
    ("path", "asks"),
    [
        ("conftest.py", True),
        ("pytest.ini", True),
        ("src/sitecustomize.py", True),
        ("Makefile", True),
        (".github/workflows/ci.yml", True),
        ("src/shop.py", False),
        ("tests/test_shop.py", False),
        ("README.md", False),
    ],
)
def test_the_base_runs_where_the_change_may_decide_which_tests_run(path: str, asks: bool):
    assert (bends(change(file(path, 1))) is not None) is asks


def test_a_pass_of_the_base_is_kept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_NO_CACHE")
    kept = KeptResults(change(), settings("x"), Task("x", ToolKind.test, "x", "here"))
    kept.keep(Attempt(Outcome.failed, reading=BOTH))
    assert kept.read() is None
    passed = Attempt(Outcome.passed, reading=BOTH, exit_code=0, duration_s=1.5)
    kept.keep(passed)
    assert kept.read() == passed
    assert KeptResults(change(), settings("x"), Task("y", ToolKind.test, "y", "here")).read() is None
    next((tmp_path / "assay" / "results").glob("*.json")).write_text("{")
    assert kept.read() is None


def test_a_setup_that_fails_alike_on_both_sides_is_no_fault_of_the_change_and_no_success(
    repository: RealRepository,
):
    repository.commit(files={"a.md": "1\n"})
    repository.commit(files={"a.md": "2\n"})
    steps = ("echo 'npm error code E503'; echo 'npm error A complete log of this run can be found in: x'; exit 1",)
    config = settings("no-such-runner", setup=steps)
    result = run_on(repository, config)
    setup = next(run for run in result.runs if run.name == "setup")
    assert (setup.outcome, setup.gating, setup.base_outcome) == (Outcome.infra_failed, False, Outcome.failed)
    assert "npm error code E503" in (setup.reason or "")
    assert decide(config, result, None, None).conclusion is Conclusion.action_required
    enforced = config.model_copy(update={"mode": type(config.mode)("enforce")})
    assert decide(enforced, result, None, None).conclusion is Conclusion.incomplete


IN_OTHER_WORDS = 'sh -c "echo ERROR: no wheel for $(basename $(dirname $PWD)); exit 1"'
"""Fails with the name of the side, as a parallel installer names whichever package failed first."""


@pytest.mark.parametrize(
    ("step", "change", "is_blamed"),
    [
        pytest.param(IN_OTHER_WORDS, {"app.py": "x = 2\n"}, False, id="source"),
        pytest.param(IN_OTHER_WORDS, {".github/workflows/ci.yml": "on: push\n"}, False, id="a workflow"),
        pytest.param(IN_OTHER_WORDS, {"poetry.lock": "2\n"}, True, id="its lock file"),
        pytest.param(IN_OTHER_WORDS, {"setup.py": "2\n"}, True, id="its manifest"),
        pytest.param(f"sh prepare.d/all || {IN_OTHER_WORDS}", {"prepare.d/all": "exit 2\n"}, True, id="its script"),
        pytest.param("test ! -f app.py", {"app.py": "x = 2\n"}, True, id="the base can be prepared"),
    ],
)
def test_a_setup_that_fails_on_both_sides_is_blamed_on_what_may_break_it(
    repository: RealRepository, step: str, change: dict[str, str], is_blamed: bool
):
    repository.commit(files={"a.md": "1\n"})
    repository.commit(files=change)
    runs = run_on(repository, settings(IN_OTHER_WORDS, setup=(step,))).runs
    setup, command = runs
    assert (setup.outcome, setup.gating) == ((Outcome.failed, True) if is_blamed else (Outcome.infra_failed, False))
    # In a tree that could not be prepared a command shows nothing of the change.
    assert command.gating is is_blamed
