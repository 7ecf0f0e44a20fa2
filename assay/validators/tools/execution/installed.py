"""Availability and versions of the programs Assay calls, for the health report."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.validators.configuration.model import Sandbox
from assay.validators.errors import ProgramMissing
from assay.validators.io import process
from assay.validators.tools.execution.sandbox import PROGRAM as BUBBLEWRAP
from assay.validators.tools.execution.sandbox import open_sandbox

PATIENCE_S = 60.0
"""Time for a version; the first start of semgrep on a busy machine took more than 20 seconds."""
# A check for newer versions would wait for the network.
_QUIETLY = {"semgrep": ("--disable-version-check",)}
_VERSION = re.compile(r"\d+(\.\d+)+")


@dataclass(frozen=True, slots=True)
class InstalledTool:
    """A program; `version` is None where it is missing or does not run, and `problem` says why it is of no use."""

    name: str
    version: str | None
    purpose: str
    problem: str | None = None


def installed() -> tuple[InstalledTool, ...]:
    """Return every program Assay calls with its version, asked one after the other (about three seconds)."""
    return tuple(_asked(name, find, purpose) for name, find, purpose in _PROGRAMS)


def _asked(name: str, find: Callable[[], str], purpose: str) -> InstalledTool:
    try:
        with tempfile.TemporaryDirectory() as empty:
            done = process.run(
                [find(), "--version", *_QUIETLY.get(name, ())],
                cwd=empty,
                env=process.clean_environment({"HOME": empty}),
                timeout_s=PATIENCE_S,
            )
    except ProgramMissing as missing:
        return InstalledTool(name, None, purpose, str(missing))
    found = _VERSION.search((done.stdout + done.stderr).decode("utf-8", "replace"))
    if not done.ok or found is None:
        how = f"within {PATIENCE_S:.0f} s" if done.returncode is None else f"({done.returncode})"
        return InstalledTool(name, None, purpose, f"`{name} --version` does not answer {how}")
    return InstalledTool(name, found[0], purpose, _refused() if name == BUBBLEWRAP else None)


def _refused() -> str | None:
    """Return why a sandbox cannot be opened, as in a container that forbids user namespaces."""
    with tempfile.TemporaryDirectory() as empty:
        return open_sandbox(Sandbox.auto, network=False, scratch=Path(empty).resolve()).why


def _ours(name: str) -> Callable[[], str]:
    return lambda: process.own_program(name)


def _of_machine(name: str, package: str) -> Callable[[], str]:
    """Return a search for a program that none of Assay's extras installs."""

    def find() -> str:
        found = shutil.which(name)
        if found is None:
            raise ProgramMissing(name, f"install {package} with this machine's package manager")
        return found

    return find


_PROGRAMS: tuple[tuple[str, Callable[[], str], str], ...] = (
    ("git", _of_machine("git", "git"), "reads every commit"),
    ("jscpd", _ours("jscpd"), "finds duplicates"),
    ("ast-grep", _ours("ast-grep"), "matches patterns of the repository's rules"),
    ("squawk", _ours("squawk"), "reads SQL migrations"),
    ("zizmor", _ours("zizmor"), "reads workflows"),
    ("bandit", _ours("bandit"), "scans Python"),
    ("semgrep", process.semgrep_program, "scans with rules"),
    (BUBBLEWRAP, _of_machine(BUBBLEWRAP, "bubblewrap"), "is the sandbox of local runs"),
)
