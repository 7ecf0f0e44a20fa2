"""Real changes to run real commands on."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Progress
from assay.validators.report.model import ToolRun, ToolsResult
from assay.validators.tools.run import run_tools
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

_PYTHON = (
    sys.executable if sys.prefix == sys.base_prefix else str(Path(sys.base_prefix, "bin", Path(sys.executable).name))
)
_TOOLS = sysconfig.get_path("purelib")

_WHERE = "import sysconfig; print(sysconfig.get_path('purelib'))"

PYTHON_ENVIRONMENT = (
    # An environment of the tree's own without anything downloaded: it borrows the tests' packages by a path file.
    f'"{_PYTHON}" -m venv --without-pip "$VIRTUAL_ENV"',
    f'echo {_TOOLS} > "$("$VIRTUAL_ENV"/bin/python -c "{_WHERE}")/tests.pth"',
)
OWN_TOOLS = (f'for tool in ruff mypy; do ln -s "{Path(sys.executable).parent}/$tool" "$VIRTUAL_ENV/bin/"; done',)


class Told:
    """A progress that remembers what it was told."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def began(self, tier: object, what: str) -> None:
        """Remember it."""
        self.steps.append(what)

    def ended(self, tier: object, what: str, how: str) -> None:
        """Nothing more to remember."""


def settings(*commands: str | Mapping[str, Any], **tier1: Any) -> ValidationConfig:
    """A configuration that names the commands (none: they are discovered) and does nothing else unasked."""
    given = {"setup": "none", "sandbox": "off", "scanners": [], **tier1}
    if commands:
        given["commands"] = [command if isinstance(command, str) else dict(command) for command in commands]
    return ValidationConfig.model_validate({"tier1": given})


def run_on(
    repository: RealRepository, config: ValidationConfig, progress: Progress | None = None, base: str = "HEAD~1"
) -> ToolsResult:
    """Tier 1 on the newest commit of a repository."""
    with Repository(repository.path) as opened:
        return run_tools(read_change(opened, base, "HEAD"), config, progress=progress)


def only(result: ToolsResult) -> ToolRun:
    """The one run of a result."""
    (run,) = result.runs
    return run
