"""Python projects, each tree with an environment of its own: what the base's tests import must be the base's code."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from assay.github.external_results.github_checks import FAILS_ON_BASE
from assay.validators.io.process import own_program
from assay.validators.report.model import Outcome, Severity, ToolKind
from assay.validators.tools.execution.prepare import NO_NETWORK
from tests.repositories import RealRepository
from tests.validators.tools.changes import OWN_TOOLS, PYTHON_ENVIRONMENT, only, run_on, settings

PYPROJECT = """\
    [build-system]
    requires = ["hatchling"]
    build-backend = "hatchling.build"
    [project]
    name = "shop"
    version = "1"
    requires-python = ">=3.11"
    [dependency-groups]
    dev = ["pytest"]
    [tool.pytest.ini_options]
    testpaths = ["tests"]
    [tool.hatch.build.targets.wheel]
    packages = ["src/shop"]
    """
TESTS = "from shop import price\ndef test_price():\n    assert price() == 3\ndef test_kind():\n    assert price() > 0\n"
EDITABLE = (*PYTHON_ENVIRONMENT, f'"{own_program("uv")}" pip install --offline --no-deps --no-build-isolation -e .')
# The tests' own plugins are on the path too, and slow to load.
PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q"


@pytest.fixture
def shop(repository: RealRepository) -> RealRepository:
    """An editable src-layout project whose tests the newest commit breaks."""
    repository.commit(
        files={"pyproject.toml": PYPROJECT, "src/shop/__init__.py": "def price(): return 3\n", "tests/test_a.py": TESTS}
    )
    repository.commit(files={"src/shop/__init__.py": "def price(): return 4\n"})
    return repository


@pytest.mark.soak
def test_an_editable_project_whose_base_passes_and_head_fails_gates_as_failed(shop: RealRepository):
    result = run_on(shop, settings(PYTEST, setup=EDITABLE))
    run = only(result)
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.passed)
    assert (run.counts.passed, run.counts.failed) == (1, 1)
    assert [(one.file, one.rule, one.severity) for one in result.findings] == [
        ("tests/test_a.py", "test_failed", Severity.error)
    ]
    assert any("assert 4 == 3" in line for line in run.excerpt)


@pytest.mark.soak
def test_the_same_without_its_project_installed_could_not_run_on_either_side(shop: RealRepository):
    run = only(run_on(shop, settings(PYTEST, setup=PYTHON_ENVIRONMENT)))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.infra_failed, False, Outcome.failed)
    assert "No module named 'shop'" in "".join(run.excerpt)


def test_the_same_without_its_tools_is_inert(shop: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("python", "python3"):
        (bare / name).symlink_to(Path(sys.base_prefix, "bin", "python3"))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("PATH", f"{bare}:{os.path.dirname(shutil.which('git') or '')}")
    result = run_on(shop, settings("python -S -m pytest"))
    run = only(result)
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.inert, False, Outcome.inert)
    assert "No module named pytest" in (run.reason or "")


@pytest.mark.soak
def test_a_discovered_project_is_set_up_from_what_it_declares(shop: RealRepository, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    result = run_on(shop, settings(setup="auto"))
    run = only(result)
    assert (run.name, run.command, run.found_in) == ("pytest", "pytest", "pyproject.toml [tool.pytest.ini_options]")
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.passed)
    assert len(list((tmp_path / "cache/assay/trees").glob("*/about.json"))) == 1


@pytest.mark.soak
def test_a_plain_project_that_only_names_pytest_in_its_settings_is_runnable(repository: RealRepository):
    """The one test of `make test` that fetches something: what nothing declares is brought all the same."""
    repository.commit(
        files={"pyproject.toml": "[tool.pytest.ini_options]\n", "test_a.py": "def test_a(): assert True\n"}
    )
    repository.commit(files={"test_a.py": "def test_a(): assert 1\ndef test_b(): assert True\n"})
    run = only(run_on(repository, settings(setup="auto")))
    assert (run.outcome, run.counts.passed) == (Outcome.passed, 2), run.reason


@pytest.mark.soak
def test_a_failure_the_base_has_too_does_not_gate_and_a_new_one_beside_it_does(repository: RealRepository):
    red = "def test_red(): assert 0\n"
    repository.commit(files={"test_a.py": red})
    repository.commit(files={"test_b.py": "def test_fine(): assert 1\n"})
    config = settings(PYTEST, setup=PYTHON_ENVIRONMENT)
    result = run_on(repository, config)
    run = only(result)
    assert (run.outcome, run.gating, run.reason) == (Outcome.failed, False, FAILS_ON_BASE)
    assert (result.findings, result.num_existing) == ((), 1)
    repository.commit(files={"test_b.py": "def test_fine(): assert 0\n"})
    result = run_on(repository, config)
    assert only(result).gating
    assert [one.file for one in result.findings] == ["test_b.py"]


@pytest.mark.system
def test_the_files_whose_tests_passed_are_named(repository: RealRepository):
    skipped = "import pytest\n@pytest.mark.skip\ndef test_it(): pass\n"
    files = {"test_red.py": "def test_a(): pass\ndef test_b(): assert 0\n", "test_no.py": skipped}
    repository.commit(files={"a.py": "x = 1\n"})
    repository.commit(files={**files, "test_fine.py": "def test_a(): pass\n", "sub/test_b.py": "def test_b(): pass\n"})
    result = run_on(repository, settings(PYTEST, setup=PYTHON_ENVIRONMENT))
    assert result.passed_files == ("sub/test_b.py", "test_fine.py")


@pytest.mark.soak
def test_a_lint_error_that_was_there_before_is_not_shown(repository: RealRepository):
    repository.commit(files={"ruff.toml": 'lint.select = ["F"]\n', "a.py": "import os\n\nx = 1\n"})
    repository.commit(files={"a.py": "import os\n\nx = 2\n"})
    config = settings("ruff check", setup=(*PYTHON_ENVIRONMENT, *OWN_TOOLS))
    result = run_on(repository, config)
    assert only(result).gating is False
    assert (result.findings, result.num_existing) == ((), 1)
    repository.commit(files={"a.py": "import os\nimport sys\nx = 2\n"})
    result = run_on(repository, config)
    assert [(one.line, one.severity) for one in result.findings] == [(2, Severity.warning)]
    assert "sys" in result.findings[0].message


@pytest.mark.system
def test_a_type_error_the_change_causes_in_an_untouched_file_is_its_own(repository: RealRepository):
    user = "from a import price\n\n\ndef total() -> int:\n    return price() + 1\n"
    repository.commit(files={"a.py": "def price() -> int:\n    return 1\n", "b.py": user})
    repository.commit(files={"a.py": 'def price() -> str:\n    return "1"\n'})
    config = settings("mypy a.py b.py", setup=(*PYTHON_ENVIRONMENT, *OWN_TOOLS))
    result = run_on(repository, config)
    assert (only(result).kind, only(result).gating) == (ToolKind.types, True)
    assert {(one.file, one.severity) for one in result.findings} == {("b.py", Severity.error)}


def test_code_of_the_tree_is_never_imported_by_us(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    marker = tmp_path / "who"
    trap = f"import os\nopen({str(marker)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    traps = (
        "sitecustomize.py",
        "usercustomize.py",
        "conftest.py",
        "validators/__init__.py",
        "assay/__init__.py",
        "git.py",
    )
    repository.commit(files={**dict.fromkeys(traps, trap), "test_a.py": "def test_a(): pass\n"})
    repository.commit(files={"test_a.py": "def test_a(): assert 1\n"})
    monkeypatch.chdir(repository.path)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    run = only(run_on(repository, settings(PYTEST, setup=PYTHON_ENVIRONMENT)))
    assert run.outcome is Outcome.passed, run.excerpt
    pids = set(marker.read_text().split())
    assert pids
    assert str(os.getpid()) not in pids


@pytest.mark.soak
def test_pythonsafepath_of_ours_does_not_break_a_flat_project(
    repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    repository.commit(files={"app.py": "x = 1\n", "tests/test_a.py": "import app\ndef test_a(): assert app.x\n"})
    repository.commit(files={"app.py": "x = 2\n"})
    assert only(run_on(repository, settings(PYTEST, setup=PYTHON_ENVIRONMENT))).outcome is Outcome.passed


@pytest.mark.soak
def test_a_setup_the_change_breaks_counts_against_it(repository: RealRepository):
    repository.commit(files={"setup.sh": "true\n"})
    repository.commit(files={"setup.sh": "echo ERROR: no such package: frobnicate; exit 1\n"})
    setup, other = run_on(repository, settings("true", setup=("sh setup.sh",))).runs
    assert (setup.name, setup.outcome, setup.gating, setup.base_outcome) == (
        "setup",
        Outcome.failed,
        True,
        Outcome.passed,
    )
    assert "no such package: frobnicate" in (setup.reason or "")
    assert other.outcome is Outcome.passed


@pytest.mark.soak
def test_a_setup_that_works_on_neither_side_is_nobodys_fault_and_no_pass(repository: RealRepository):
    repository.commit(files={"a": "1"})
    repository.commit(files={"a": "2"})
    setup, _ = run_on(repository, settings("true", setup=("exit 1",))).runs
    assert (setup.outcome, setup.gating) == (Outcome.infra_failed, False)


def test_without_a_network_nothing_is_blamed_and_the_commands_are_skipped(repository: RealRepository):
    repository.commit(files={"a": "1"})
    repository.commit(files={"a": "2"})
    line = "echo 'error: Could not resolve host: packages.example'; exit 1"
    setup, command = run_on(repository, settings("true", setup=(line,))).runs
    assert (setup.outcome, command.outcome) == (Outcome.infra_failed, Outcome.skipped)
    assert NO_NETWORK in (command.reason or "")


@pytest.mark.soak
def test_a_base_that_cannot_be_prepared_is_no_baseline(repository: RealRepository):
    repository.commit(files={"setup.sh": "exit 1\n", "state": "good\n"})
    repository.commit(files={"setup.sh": "true\n", "state": "bad\n"})
    config = settings(
        "grep good state || sh -c 'cat state; exit 4'", "test -s state -a ! -s bad", setup=("sh setup.sh",)
    )
    repository.commit(files={"bad": "x"})
    ran, only_there = run_on(repository, config, base="HEAD~2").runs
    assert (ran.gating, ran.base_outcome) == (True, Outcome.passed)
    assert (only_there.gating, only_there.base_outcome) == (True, Outcome.passed)
