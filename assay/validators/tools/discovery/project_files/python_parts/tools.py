"""Command lines for the Python tools a project has configured without saying how to run them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.changes.language_table import suffixes
from assay.validators.configuration.settings_files import ini_of, table, text_of, toml_of
from assay.validators.languages.python.module_files import is_package
from assay.validators.report.model import ToolKind
from assay.validators.tools.discovery.project_files.python_parts.declared_packages import declared_packages
from assay.validators.tools.tool import Task

_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_NOT_CHECKED = frozenset("tests test docs doc examples example build dist scripts".split())
MOST_MANIFESTS = 300
_PROJECT = re.compile(r"^\[(project|build-system|tool\.poetry)\]", re.MULTILINE)
MOST_TEST_FILES_READ = 20

Place = str | None
"""Where a tool is configured (`pyproject.toml [tool.mypy]`), None where it is not."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A tool: where it is configured, its command line, and whether the settings alone prove its use.

    Editors read the settings of some tools too, so those prove nothing: `needs_declared`.
    """

    package: str
    kind: ToolKind
    place: Callable[[SourceTree], Place]
    line: Callable[[SourceTree], str]
    needs_declared: bool = False


def configured_tools(tree: SourceTree) -> Iterator[Task]:
    """Return a task for each tool of the table that the project has configured."""
    declared = declared_packages(tree)
    for row in _TABLE:
        place = row.place(tree)
        if place and (row.package in declared or not row.needs_declared):
            yield Task(row.package, row.kind, row.line(tree), place, inferred=True)


def is_installable(tree: SourceTree) -> bool:
    """Return whether the top project can be installed: it names a build backend, or has setup.py or setup.cfg."""
    pyproject = toml_of(tree, "pyproject.toml")
    if table(pyproject, "tool", "uv").get("package") is False:
        return False
    if "build-system" in pyproject and ("project" in pyproject or table(pyproject, "tool").keys() & {"poetry", "flit"}):
        return True
    return "setup.py" in tree or "metadata" in ini_of(tree, "setup.cfg")


def ruff_line(tree: SourceTree) -> str:
    """Return the `ruff check` line, with fixing disabled where the settings enable it."""
    settings = [table(toml_of(tree, "pyproject.toml"), "tool", "ruff"), toml_of(tree, "ruff.toml")]
    return (
        "ruff check --no-fix"
        if any(one.get("fix") for one in (*settings, toml_of(tree, ".ruff.toml")))
        else "ruff check"
    )


def _in_file(section: str, *files: str, ini: str = "") -> Callable[[SourceTree], Place]:
    """Return settings places: `[tool.<section>]`, separate files, and a section of setup.cfg or tox.ini."""

    def place(tree: SourceTree) -> Place:
        if section in table(toml_of(tree, "pyproject.toml"), "tool"):
            return f"pyproject.toml [tool.{section}]"
        found = next((name for name in files if name in tree), None)
        if found:
            return found
        for name in ("setup.cfg", "tox.ini"):
            if ini and ini in ini_of(tree, name):
                return f"{name} [{ini}]"
        return None

    return place


def _pytest(tree: SourceTree) -> Place:
    place = _in_file("pytest", "pytest.ini", ".pytest.ini", ini="pytest")(tree)
    if place:
        deeper = "ini_options" in table(toml_of(tree, "pyproject.toml"), "tool", "pytest")
        return place.replace("[tool.pytest]", "[tool.pytest.ini_options]") if deeper else place
    if "tool:pytest" in ini_of(tree, "setup.cfg"):
        return "setup.cfg [tool:pytest]"
    own = list(_own_paths(tree))
    tests = _test_files(own)
    conftest = next((path for path in own if path.endswith("conftest.py")), None)
    if tests and (conftest or "pytest" in declared_packages(tree)):
        return conftest or tests[0]
    return next((path for path in tests if _speaks_pytest(tree, path)), None)


def _pytest_line(tree: SourceTree) -> str:
    # `python -m` puts the folder on the path; a project that is not installed needs it for its imports.
    return "pytest" if is_installable(tree) else "python -m pytest"


def _unittest(tree: SourceTree) -> Place:
    if _pytest(tree):
        return None
    return next((path for path in _test_files(_own_paths(tree)) if "unittest" in text_of(tree, path)), None)


def _unittest_line(tree: SourceTree) -> str:
    folder = next((name for name in ("tests", "test") if any(path.startswith(name + "/") for path in tree.paths)), None)
    if folder is None:
        return "python -m unittest"
    top = " -t ." if f"{folder}/__init__.py" in tree else ""
    return f"python -m unittest discover -s {folder}{top}"


def _test_files(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if _TEST_FILE.search(path)][:MOST_TEST_FILES_READ]


def _is_project(tree: SourceTree, manifest: str) -> bool:
    """Return whether a manifest is a project's own, and not that of tests or settings of a tool."""
    is_of_tests = re.match(r"tests?/", manifest) is not None
    return not is_of_tests and (manifest.endswith("setup.py") or bool(_PROJECT.search(text_of(tree, manifest))))


def _own_paths(tree: SourceTree) -> Iterator[str]:
    """Yield the paths outside of nested projects, which have their own tests."""
    manifests = [path for path in tree.paths if path.endswith(("/pyproject.toml", "/setup.py"))][:MOST_MANIFESTS]
    nested = {path.rpartition("/")[0] for path in manifests if _is_project(tree, path)}
    for path in tree.paths:
        if not nested or not any(path[:end] in nested for end, char in enumerate(path) if char == "/"):
            yield path


def _speaks_pytest(tree: SourceTree, path: str) -> bool:
    return bool(re.search(r"^(import pytest|from pytest|(async )?def test_)", text_of(tree, path), re.MULTILINE))


def _ruff_format(tree: SourceTree) -> Place:
    if "format" in table(toml_of(tree, "pyproject.toml"), "tool", "ruff"):
        return "pyproject.toml [tool.ruff.format]"
    return next((f"{name} [format]" for name in ("ruff.toml", ".ruff.toml") if "format" in toml_of(tree, name)), None)


def _mypy_line(tree: SourceTree) -> str:
    settings: list[Mapping[str, Any]] = [table(toml_of(tree, "pyproject.toml"), "tool", "mypy")]
    settings += [ini_of(tree, name).get("mypy", {}) for name in ("mypy.ini", ".mypy.ini", "setup.cfg")]
    if any(section.keys() & {"files", "packages", "modules"} for section in settings):
        return "mypy"
    if any(path.startswith("src/") and path.endswith(suffixes("python")) for path in tree.paths):
        return "mypy src"
    packages = {path.split("/")[0] for path in tree.paths if path.count("/") == 1 and is_package(path)}
    named = sorted(packages - _NOT_CHECKED)
    return " ".join(["mypy", *named]) if named and all(name.isidentifier() for name in named) else "mypy ."


def _always(line: str) -> Callable[[SourceTree], str]:
    return lambda _tree: line


def _flake8(tree: SourceTree) -> Place:
    # flake8's settings often remain after a move to ruff.
    return None if _RUFF(tree) else _in_file("flake8", ".flake8", ini="flake8")(tree)


_RUFF = _in_file("ruff", "ruff.toml", ".ruff.toml")
_TABLE = (
    _Row("pytest", ToolKind.test, _pytest, _pytest_line),
    _Row("unittest", ToolKind.test, _unittest, _unittest_line),
    _Row("ruff", ToolKind.lint, _RUFF, ruff_line),
    _Row("ruff", ToolKind.formatting, _ruff_format, _always("ruff format --check")),
    _Row("flake8", ToolKind.lint, _flake8, _always("flake8")),
    _Row("black", ToolKind.formatting, _in_file("black"), _always("black --check .")),
    _Row("isort", ToolKind.formatting, _in_file("isort", ".isort.cfg"), _always("isort --check-only ."), True),
    _Row("mypy", ToolKind.types, _in_file("mypy", "mypy.ini", ".mypy.ini", ini="mypy"), _mypy_line),
    _Row("pyright", ToolKind.types, _in_file("pyright", "pyrightconfig.json"), _always("pyright"), True),
    _Row("basedpyright", ToolKind.types, _in_file("basedpyright"), _always("basedpyright"), True),
    _Row("ty", ToolKind.types, _in_file("ty", "ty.toml"), _always("ty check"), True),
    _Row("import-linter", ToolKind.lint, _in_file("importlinter", ".importlinter"), _always("lint-imports"), True),
)
