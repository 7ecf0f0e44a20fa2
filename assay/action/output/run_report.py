"""Results that stay with the run: the report's files, the job's summary, the outputs and annotations.

They are written whatever this job's token permits.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from assay.action.environment.inputs import Inputs, Sarif
from assay.action.environment.job import Job
from assay.action.handover.artifact import TOOLS_FILE
from assay.action.output.annotations import log_line, trouble, workflow_commands
from assay.action.output.outputs import outputs_of, path_value, write_outputs
from assay.action.output.publishing import Outcome
from assay.action.output.summary import lost_text, report_text, tools_text, write_summary
from assay.github.errors import GithubAppError
from assay.github.publish import sarif_within_limits
from assay.validators import ToolsResult, ValidationReport, report_as

Say = Callable[[str], object]
MOST_REASONS = 10
NOT_THE_CHANGES_FAULT = 2
"""Exit codes from this one on are not the change's fault."""


def leave_behind(report: ValidationReport | None, outcome: Outcome, inputs: Inputs, job: Job, say: Say = print) -> int:
    """Write the results, log the rest, and return the job's exit code.

    Raises:
        ActionMisused: the report's folder cannot be used.
        GithubAppError: a file cannot be written.
    """
    try:
        _leave(report, outcome, inputs, job)
    except OSError as error:
        raise GithubAppError(
            f"the report cannot be stored: {error.strerror}", code="action.report-not-stored"
        ) from None
    for line in _in_the_log(report, outcome):
        say(log_line(line))
    if outcome.exit_code >= NOT_THE_CHANGES_FAULT:
        say(trouble(_trouble(report, outcome)))
    if report is not None and outcome.check_run_id is None and not outcome.is_left_to_app:
        for line in workflow_commands(report):
            say(line)
    return outcome.exit_code


def leave_tools_behind(tools: ToolsResult, body: bytes, inputs: Inputs, job: Job) -> Path:
    """Write the results of a job of mode `tools` to a file for the next job, with a short summary."""
    path = ready_folder(inputs.report_path) / TOOLS_FILE
    written(path, body)
    write_outputs(job.output, {"tools": path_value(path)})
    write_summary(job.summary, tools_text(tools), rest=str(path))
    return path


def write_report(report: ValidationReport, text: str, inputs: Inputs) -> dict[str, Path]:
    """Write the report as JSON, Markdown and, if enabled, SARIF; return output name -> file."""
    folder = ready_folder(inputs.report_path)
    contents: Mapping[str, tuple[str, bytes]] = {
        "report": ("report.json", report_as(report, "json").encode()),
        "markdown": ("report.md", text.encode("utf-8", "backslashreplace")),
    }
    if inputs.sarif is not Sarif.none:
        contents = {**contents, "sarif": ("report.sarif", sarif_within_limits(report))}
    for name, data in contents.values():
        written(folder / name, data)
    return {output: folder / name for output, (name, _) in contents.items()}


def written(path: Path, data: bytes) -> None:
    """Write a file atomically; an existing file or link is replaced, never followed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # Other steps may run as another user, for example in a container.
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def ready_folder(path: Path) -> Path:
    """Create the report's folder if needed. Raises `GithubAppError` if that fails."""
    path_value(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GithubAppError(
            f"the report's folder cannot be created: {error.strerror}", code="action.report-not-stored"
        ) from None
    return path


def _leave(report: ValidationReport | None, outcome: Outcome, inputs: Inputs, job: Job) -> None:
    check = outcome.publication.check
    files: dict[str, Path] = {}
    if report is None:
        text = lost_text(check.title, check.summary, _notes(outcome))
    else:
        text = report_text(report, check.title, _notes(outcome))
        files = write_report(report, text, inputs)
    write_outputs(job.output, outputs_of(report, outcome, files))
    write_summary(job.summary, text, rest=str(files["markdown"]) if files else "the log")


def _in_the_log(report: ValidationReport | None, outcome: Outcome) -> Iterator[str]:
    """Yield the verdict, its reasons, the address of the Check Run, and what could not be done."""
    yield outcome.publication.check.title
    reasons = report.reasons if report is not None else ()
    yield from (f"- {reason}" for reason in reasons[:MOST_REASONS])
    if len(reasons) > MOST_REASONS:
        yield f"- and {len(reasons) - MOST_REASONS} more, in the summary"
    if outcome.check_run_id is not None and outcome.check_url:
        yield f"Check Run: {outcome.check_url}"
    yield from _notes(outcome)


def _trouble(report: ValidationReport | None, outcome: Outcome) -> str:
    """Return a line about a failure that the change did not cause."""
    if outcome.error:
        return outcome.error
    if report is None:
        return f"{outcome.publication.check.title}: {outcome.why}" if outcome.why else outcome.publication.check.title
    return "; ".join((outcome.publication.check.title, *report.reasons[:3]))


def _notes(outcome: Outcome) -> tuple[str, ...]:
    return (*outcome.notes, *([outcome.error] if outcome.error else []))
