"""Tier 1 where the repository's settings do not decide what runs: on a server, and in a workflow's job.

Either the scanners alone, or the commands too, sandboxed without network.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import Sandbox, ValidationConfig
from assay.validators.progress import Progress
from assay.validators.report.model import NOT_RUN_HERE, OWN_COMMANDS, ToolsResult
from assay.validators.tools.comparison.missing_checks import missing_checks
from assay.validators.tools.discovery.discover import Surveys
from assay.validators.tools.execution.sandbox import open_sandbox
from assay.validators.tools.run import run_tools
from assay.validators.tools.scanners.scanning import run_scanners


def without_commands(
    change: ChangeSet, config: ValidationConfig, *, progress: Progress, why: str = NOT_RUN_HERE
) -> ToolsResult:
    """Run the scanners alone, with notes why the repository's commands did not run and which the change removes."""
    lost = (note for note in missing_checks(Surveys(change, config)) if note.what != OWN_COMMANDS)
    scanned = run_scanners(change, config, progress=progress, why=why)
    return replace(scanned, not_checked=(*scanned.not_checked, *lost))


def run_sandboxed(change: ChangeSet, config: ValidationConfig, *, progress: Progress) -> ToolsResult:
    """Run the whole tier sandboxed and without network, whatever the repository's settings say.

    Where bubblewrap does not work, run the scanners alone and report the reason.
    """
    with tempfile.TemporaryDirectory(prefix="assay-sandbox-", ignore_cleanup_errors=True) as folder:
        sandbox = open_sandbox(Sandbox.auto, network=False, scratch=Path(folder).resolve())
    if sandbox.program is None:
        return without_commands(change, config, progress=progress, why=f"not run: {sandbox.why}")
    return run_tools(change, sandboxed(config), progress=progress)


def sandboxed(config: ValidationConfig) -> ValidationConfig:
    """Return the configuration with the sandbox required and the network off."""
    tier = config.tier1.model_copy(update={"sandbox": Sandbox.required, "network": False})
    return config.model_copy(update={"tier1": tier})
