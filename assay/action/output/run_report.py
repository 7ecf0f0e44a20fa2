"""What stays with the run: the report's files, the job's summary, the outputs, and notes beside the code.

All of it is there whatever this job's token may write on GitHub, and whatever became of that.
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
from assay.github.errors import ActionMisused, GithubAppError
from assay.github.publish import sarif_within_limits
from assay.validators import FORMATS, ToolsResult, ValidationReport

Say = Callable[[str], object]
MOST_REASONS = 10
NOT_THE_CHANGES_FAULT = 2
"""From this exit code on."""


def leave_behind(report: ValidationReport | None, outcome: Outcome, inputs: Inputs, job: Job, say: Say = print) -> int:
    """Write everything that stays with the run, and say the rest in its log; the job's exit code.

    Raises:
        ActionMisused: the report's folder cannot be used.
        GithubAppError: the machine does not take it.
    """
    try:
        _leave(report, outcome, inputs, job)
    except OSError as error:
        raise GithubAppError(f"the report cannot be left with the run: {error.strerror}") from None
    for line in _in_the_log(report, outcome):
        say(log_line(line))
    if outcome.exit_code >= NOT_THE_CHANGES_FAULT:
        say(trouble(_trouble(report, outcome)))
    if report is not None and outcome.check_run_id is None and not outcome.is_left_to_app:
        for line in workflow_commands(report):
            say(line)
    return outcome.exit_code


def leave_tools_behind(tools: ToolsResult, body: bytes, inputs: Inputs, job: Job) -> Path:
    """The same for a job of mode `tools`: its results as a file for the next job, and a short summary."""
    path = ready_folder(inputs.report_path, job.workspace) / TOOLS_FILE
    written(path, body)
    write_outputs(job.output, {"tools": path_value(path)})
    write_summary(job.summary, tools_text(tools), rest=str(path))
    return path


def write_report(report: ValidationReport, text: str, inputs: Inputs, workspace: Path | None = None) -> dict[str, Path]:
    """The report as JSON, Markdown and (unless it is not wanted) SARIF; where each lies, by the name of its output."""
    folder = ready_folder(inputs.report_path, workspace)
    contents: Mapping[str, tuple[str, bytes]] = {
        "report": ("report.json", FORMATS["json"].render(report).encode()),
        "markdown": ("report.md", text.encode("utf-8", "backslashreplace")),
    }
    if inputs.sarif is not Sarif.none:
        contents = {**contents, "sarif": ("report.sarif", sarif_within_limits(report))}
    for name, data in contents.values():
        written(folder / name, data)
    return {output: folder / name for output, (name, _) in contents.items()}


def written(path: Path, data: bytes) -> None:
    """Write a file in whole. What stood there is replaced, and a link there is not followed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # Other steps may run as somebody else, such as one in a container.
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def ready_folder(path: Path, workspace: Path | None) -> Path:
    """The report's folder, made if need be; raises `ActionMisused` where it cannot be.

    It may lie among the files of a change, whose links would lead out of them.
    """
    path_value(path)
    if workspace is not None and path.is_relative_to(workspace):
        below = [path, *path.parents]
        if any(one.is_symlink() for one in below[: below.index(workspace)]):
            raise ActionMisused("input report-path: there is a link on the way, which the change may have put there")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ActionMisused(f"input report-path: the folder cannot be made ({error.strerror})") from None
    return path


def _leave(report: ValidationReport | None, outcome: Outcome, inputs: Inputs, job: Job) -> None:
    check = outcome.publication.check
    files: dict[str, Path] = {}
    if report is None:
        text = lost_text(check.title, check.summary, _notes(outcome))
    else:
        text = report_text(report, check.title, _notes(outcome))
        files = write_report(report, text, inputs, job.workspace)
    write_outputs(job.output, outputs_of(report, outcome, files))
    write_summary(job.summary, text, rest=str(files["markdown"]) if files else "the log")


def _in_the_log(report: ValidationReport | None, outcome: Outcome) -> Iterator[str]:
    """What whoever opens the run after a mail looks for: the verdict, why, where it stands, what could not be done."""
    yield outcome.publication.check.title
    reasons = report.reasons if report is not None else ()
    yield from (f"- {reason}" for reason in reasons[:MOST_REASONS])
    if len(reasons) > MOST_REASONS:
        yield f"- and {len(reasons) - MOST_REASONS} more, in the summary"
    if outcome.check_run_id is not None and outcome.check_url:
        yield f"Check Run: {outcome.check_url}"
    yield from _notes(outcome)


def _trouble(report: ValidationReport | None, outcome: Outcome) -> str:
    """In a line, why the job ends as nobody's change makes it end."""
    if outcome.error:
        return outcome.error
    if report is None:
        return f"{outcome.publication.check.title}: {outcome.why}" if outcome.why else outcome.publication.check.title
    return "; ".join((outcome.publication.check.title, *report.reasons[:3]))


def _notes(outcome: Outcome) -> tuple[str, ...]:
    return (*outcome.notes, *([outcome.error] if outcome.error else []))
