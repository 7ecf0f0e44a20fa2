"""Setup of a Python tree's virtual environment, by uv, from the locked or declared packages.

`begin` creates it, `fetch` adds published packages (runs nothing of the tree, so the result may be cached),
`install` adds the tree's own project, editable, for this tree alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import strings, table, text_of, toml_of
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import commands_of, joined, words_of
from assay.validators.tools.discovery.pre_commit import pinned_versions
from assay.validators.tools.discovery.project_files.python_parts.declared_packages import declared_packages
from assay.validators.tools.discovery.project_files.python_parts.requirement_files import (
    chosen_groups,
    extras_of,
    requirement_files,
    runner_dependencies,
)
from assay.validators.tools.discovery.project_files.python_parts.tools import is_installable
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Setup, SetupStep, Task

_VERSIONS = ("python -VV", "uv --version")
# Only the resolved list is cached: installing from uv's cache is faster than copying the packages.
_FREEZE = "uv pip freeze --exclude-editable 2>/dev/null"
_THAW = "uv pip install --offline --no-deps -r -"
# The package that provides each tool, for a project that uses the tool and declares it nowhere.
_PACKAGES = {
    "ruff-format": "ruff",
    "pytest": "pytest",
    "ruff": "ruff",
    "mypy": "mypy",
    "black": "black",
    "isort": "isort",
    "flake8": "flake8",
    "codespell": "codespell",
    "build": "build",
    "ty": "ty",
    "pyrefly": "pyrefly",
}
_JUST = "rust-just"
"""The package that just's own documents name for PyPI."""
_HOOKS = {"ruff-check": "ruff", "ruff-format": "ruff", "black-jupyter": "black"}
# Options in pytest's settings that only a plugin supports.
_PYTEST_PLUGINS = (
    (r"--cov\b", "pytest-cov"),
    (r"--?n(umprocesses)?[ =](auto|\d)", "pytest-xdist"),
    (r"asyncio_mode|asyncio_default", "pytest-asyncio"),
    (r"--timeout|^timeout\s*=", "pytest-timeout"),
    (r"--randomly|randomly", "pytest-randomly"),
    (r"DJANGO_SETTINGS_MODULE", "pytest-django"),
    (r"mocker|mock_use_standalone", "pytest-mock"),
)


def environment_setup(tree: SourceTree, tasks: Sequence[Task]) -> Setup:
    """Return the steps for the project at the top of a tree."""
    needed = _needed(tasks)
    tools = tuple(_undeclared(tree, needed))
    if "uv.lock" in tree and "project" in toml_of(tree, "pyproject.toml"):
        setup = _locked_by_uv(tree, tools, frozenset(needed))
    elif "poetry.lock" in tree or "poetry" in table(toml_of(tree, "pyproject.toml"), "tool"):
        setup = _by_poetry(tree, tools)
    else:
        setup = _by_requirements(tree, tools, frozenset(needed))
    if _has_local_sources(toml_of(tree, "pyproject.toml")):
        return Setup(setup.begin, (), (*setup.fetch, *setup.install), covers_nested=setup.covers_nested)
    return setup


def _has_local_sources(pyproject: Mapping[str, Any]) -> bool:
    """Return whether a dependency is a folder of the tree, which is built while the others are fetched."""
    tool = table(pyproject, "tool")
    poetry = table(tool, "poetry")
    named = [table(tool, "uv", "sources"), *(table(poetry, name) for name in ("dependencies", "dev-dependencies"))]
    named += [table(group, "dependencies") for group in table(poetry, "group").values()]
    return any(isinstance(value, Mapping) and "path" in value for sources in named for value in sources.values())


def _begin(tree: SourceTree) -> tuple[SetupStep, ...]:
    """Return the empty environment, with a Python version the project supports."""
    make = 'uv venv --quiet --seed --allow-existing --no-project{} "$VIRTUAL_ENV"'
    wanted = str(table(toml_of(tree, "pyproject.toml"), "project").get("requires-python", ""))
    try:
        spec = str(SpecifierSet(wanted))
    except InvalidSpecifier:
        spec = ""
    line = make.format(f" --python '{spec}'" if spec else "")
    where = "pyproject.toml requires-python" if spec else "the machine's Python"
    pinned = re.match(r"\s*(\d{1,2}\.\d{1,3})", text_of(tree, ".python-version"))
    if pinned:
        # Only an installed Python: the range above is what the project promises.
        line = f"UV_PYTHON_DOWNLOADS=never {make.format(f' --python {pinned[1]}')} || {line}"
        where = ".python-version"
    return (SetupStep(line, where),)


def _locked_by_uv(tree: SourceTree, tools: tuple[SetupStep, ...], needed: Collection[str]) -> Setup:
    pyproject = toml_of(tree, "pyproject.toml")
    extras = chosen_groups(table(pyproject, "project", "optional-dependencies"), needed)
    defined = table(pyproject, "dependency-groups")
    usual = [name for name in strings(table(pyproject, "tool", "uv").get("default-groups")) if name in defined]
    groups = tuple(dict.fromkeys((*chosen_groups(defined, needed), *usual)))
    workspace = " --all-packages" if table(pyproject, "tool", "uv", "workspace") else ""
    line = f"uv sync --frozen --no-default-groups{workspace}{_flags(extras, groups)}"
    locked = SetupStep(f"{line} --no-install-workspace", "uv.lock")
    # Not cached: locked packages are already unpacked in uv's cache and install from there as fast.
    return Setup(
        begin=_begin(tree),
        fetch=(locked,),
        # `sync` removes what is not locked, so Assay's own additions come last.
        install=(SetupStep(line, "uv.lock"), *tools),
        covers_nested=bool(workspace),
    )


def _flags(extras: Sequence[str], groups: Sequence[str]) -> str:
    words = [word for name in extras for word in ("--extra", name)] + [
        word for name in groups for word in ("--group", name)
    ]
    return " " + joined(words) if words else ""


def _by_poetry(tree: SourceTree, tools: tuple[SetupStep, ...]) -> Setup:
    source = "poetry.lock" if "poetry.lock" in tree else "pyproject.toml [tool.poetry]"
    # On PATH for the commands too: many are `poetry run …`.
    get = 'UV_TOOL_DIR="$ASSAY_PREFIX/tools" UV_TOOL_BIN_DIR="$ASSAY_PREFIX/bin" uv tool install --quiet poetry'
    install = "poetry install --no-interaction --no-ansi"
    return Setup(
        begin=(*_begin(tree), SetupStep(get, source)),
        fetch=(SetupStep(f"{install} --no-root", source), *tools),
        install=(SetupStep(f"{install} --only-root", source),),
        freeze=_FREEZE,
        thaw=_THAW,
        depends_on=tuple(path for path in ("poetry.lock", "pyproject.toml", "poetry.toml") if path in tree),
        versions=_VERSIONS,
    )


def _by_requirements(tree: SourceTree, tools: tuple[SetupStep, ...], needed: Collection[str]) -> Setup:
    files = requirement_files(tree)
    pyproject = toml_of(tree, "pyproject.toml")
    project = table(pyproject, "project")
    known = extras_of(tree)
    asked = [*chosen_groups(known), *chosen_groups(table(project, "optional-dependencies"), needed)]
    asked += [name for file in files for name in file.own_extras]
    extras = [name for name in dict.fromkeys(asked) if name in known]
    groups = chosen_groups(table(pyproject, "dependency-groups"), needed)
    is_static = bool(project) and not {"dependencies", "optional-dependencies"} & set(strings(project.get("dynamic")))
    fetch: list[SetupStep] = []
    if is_static and (project.get("dependencies") or extras or groups):
        fetch.append(SetupStep(f"uv pip install -r pyproject.toml{_flags(extras, groups)}", "pyproject.toml"))
    elif groups:
        fetch.append(SetupStep(f"uv pip install{_flags((), groups)}", "pyproject.toml [dependency-groups]"))
    for file in files:
        if not file.is_local:
            fetch.append(SetupStep(joined(["uv", "pip", "install", "-r", file.path]), file.path))
        elif file.published:
            fetch.append(SetupStep("uv pip install -r -", file.path, stdin="\n".join(file.published) + "\n"))
    runner = runner_dependencies(tree)
    if runner:
        fetch.append(SetupStep("uv pip install -r -", "the test runner's settings", stdin="\n".join(runner) + "\n"))
    return Setup(
        begin=_begin(tree),
        fetch=(*fetch, *tools),
        install=tuple(_own_projects(tree, extras, is_static=is_static)),
        freeze=_FREEZE,
        thaw=_THAW,
        depends_on=tuple(sorted({"pyproject.toml", *(name for file in files for name in file.included)})),
        versions=_VERSIONS,
    )


def _own_projects(tree: SourceTree, extras: Sequence[str], *, is_static: bool) -> Iterator[SetupStep]:
    """Return the project at the top, and others of the tree its requirements files name."""
    if is_installable(tree):
        named = ".[" + ",".join(extras) + "]" if extras else "."
        line = "uv pip install --no-deps -e ." if is_static else joined(["uv", "pip", "install", "-e", named])
        yield SetupStep(line, next(name for name in ("pyproject.toml", "setup.py", "setup.cfg") if name in tree))
    for file in requirement_files(tree):
        for folder in file.other_projects:
            if any(path.startswith(folder + "/") for path in tree.paths):
                yield SetupStep(joined(["uv", "pip", "install", "-e", "./" + folder]), file.path)


def _needed(tasks: Sequence[Task]) -> dict[str, Task]:
    """Map the package of each tool in the tasks to the first task that needs it."""
    needed: dict[str, Task] = {}
    for task in tasks:
        for line in task.does or (task.line,):
            for words in commands_of(line):
                known = known_tool_of(words)
                if known and known.tool in _PACKAGES:
                    needed.setdefault(_PACKAGES[known.tool], task)
        if started(words_of(task.line))[:1] == ["just"]:
            needed.setdefault(_JUST, task)
    return needed


def _undeclared(tree: SourceTree, needed: Mapping[str, Task]) -> Iterator[SetupStep]:
    """Return the tools the tasks need and the project does not declare, in the version its hooks pin."""
    declared = declared_packages(tree)
    pinned = {_HOOKS.get(name, name): version for name, version in pinned_versions(tree).items()}
    for package, task in needed.items():
        if canonicalize_name(package) not in declared:
            versioned = f"{package}=={pinned[package]}" if package in pinned else package
            plugins = list(_plugins(tree)) if package == "pytest" else []
            yield SetupStep(joined(["uv", "pip", "install", versioned, *plugins]), f"{task.found_in}, declared nowhere")


def _plugins(tree: SourceTree) -> Iterator[str]:
    text = "\n".join(text_of(tree, name) for name in ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"))
    for pattern, package in _PYTEST_PLUGINS:
        if re.search(pattern, text, re.MULTILINE):
            yield package
