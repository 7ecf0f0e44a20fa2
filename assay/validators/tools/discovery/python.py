"""Python: commands of tox, nox and similar runners, then the tools the project has configured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.changes.language_table import suffixes
from assay.validators.tools.discovery.project_files.python_parts.environment import environment_setup
from assay.validators.tools.discovery.project_files.python_parts.requirement_files import requirement_files
from assay.validators.tools.discovery.project_files.python_parts.runners import runner_tasks, unfolded
from assay.validators.tools.discovery.project_files.python_parts.tools import configured_tools
from assay.validators.tools.tool import Ecosystem, Setup, Task

_MANIFESTS = frozenset(
    "pyproject.toml setup.py setup.cfg tox.ini tox.toml pytest.ini noxfile.py Pipfile mypy.ini ruff.toml .ruff.toml "
    ".flake8 conftest.py".split()
)


class Python(Ecosystem):
    """pyproject.toml, setup.py, requirements files and the settings of Python tools."""

    name = "python"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the commands of test runners, then one for each configured tool."""
        if _is_python(tree):
            yield from runner_tasks(tree)
            yield from configured_tools(tree)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:
        """Return a virtual environment with the locked or declared packages, the project itself last."""
        return environment_setup(tree, tasks) if _is_python(tree) else None

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the commands behind tox, nox, hatch, pdm, poe and Pipenv."""
        return unfolded(tree, words) if _is_python(tree) else None


def _is_python(tree: SourceTree) -> bool:
    if any(name in tree for name in _MANIFESTS) or requirement_files(tree):
        return True
    return any(path.endswith(suffixes("python")) and path.count("/") < 2 for path in tree.paths)


python = Python()
