"""Packages a Python project declares anywhere; Assay need not install the tools among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import ini_of, strings, table, text_of, toml_of
from assay.validators.tools.discovery.project_files.python_parts.requirement_files import (
    requirement_files,
    runner_dependencies,
)

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_QUOTED_REQUIREMENT = re.compile(r"""["']([\w.-]{1,60})(?:\[[\w,]{0,60}\])?\s?(?:[<>=~!][^"']{0,80})?["']""")


_FOR_SETUP_ALONE = re.compile(r"(tests|setup)_require\s{0,9}=\s{0,9}\[[^\]]*\]")
"""Packages that no installer installs with the project."""


def declared_packages(tree: SourceTree) -> frozenset[str]:
    """Return canonical names from requirements files, extras, groups, Poetry, PDM, Pipenv, tox, hatch and setup files.

    setup.py is never run: every quoted word in it that could be a requirement counts.
    """
    lines = [line for file in requirement_files(tree) for line in file.lines]
    lines += runner_dependencies(tree)
    lines += _in_pyproject(toml_of(tree, "pyproject.toml"))
    for name, section in ini_of(tree, "setup.cfg").items():
        if name in ("options", "options.extras_require"):
            lines += [line for value in section.values() for line in value.splitlines()]
    lines += list(table(toml_of(tree, "Pipfile"), "dev-packages"))
    lines += _QUOTED_REQUIREMENT.findall(_FOR_SETUP_ALONE.sub("", text_of(tree, "setup.py")))
    return frozenset(canonicalize_name(found) for line in lines if (found := _name(line)))


def _in_pyproject(pyproject: Mapping[str, Any]) -> Iterator[str]:
    project, tool = table(pyproject, "project"), table(pyproject, "tool")
    yield from strings(project.get("dependencies"))
    yield from strings(table(tool, "uv").get("dev-dependencies"))
    for groups in (
        table(project, "optional-dependencies"),
        table(pyproject, "dependency-groups"),
        table(tool, "pdm", "dev-dependencies"),
    ):
        for group in groups.values():
            yield from strings(group)
    poetry = table(tool, "poetry")
    for names in (poetry, *(group for group in table(poetry, "group").values())):
        yield from table(names, "dependencies")
        yield from table(names, "dev-dependencies")


def _name(line: str) -> str | None:
    """Return the package a requirement line names, without hashes and comments."""
    try:
        return Requirement(re.split(r" #| --| ?\\\\", line, maxsplit=1)[0]).name
    except InvalidRequirement:
        found = _NAME.match(line.strip())
        return found[0] if found else None
