"""What both kinds of memory reports publish in the same way: the issue, the files and outputs, and the App's copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.action.environment.job import Job
from assay.action.handover.upload import post_memory
from assay.action.memory.issue import WORSE, Said, Standing, bring_up_to_date, standing_issue
from assay.action.output.outputs import path_value, write_outputs
from assay.action.output.run_report import ready_folder, written
from assay.action.output.summary import write_summary
from assay.github.client import Repo
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable, PostingFailed
from assay.validators import ReportUnreadable

POSTED = "The scores were posted to Assay's App."


def read_standing(repo: Repo, name: str) -> tuple[Standing | None, str]:
    """Return the open issue, and a line if it could not be read."""
    try:
        return standing_issue(repo, name), ""
    except (GithubRefused, GithubUnavailable) as error:
        return None, f"the issue could not be read: {error}"


def update_issue(
    repo: Repo,
    name: str,
    text: str,
    standing: Standing | None,
    *,
    is_open: bool,
    baseline_run: int | None,
    title: str = WORSE,
) -> tuple[Said | None, str]:
    """Update the issue, and return it, and a line if it could not be written."""
    try:
        said = bring_up_to_date(repo, name, text, standing, is_open=is_open, baseline_run=baseline_run, title=title)
    except (GithubRefused, GithubUnavailable) as error:
        return None, f"the issue could not be written: {error}"
    return said, ""


def leave_report(job: Job, files: Mapping[str, tuple[str, str]], outputs: Mapping[str, str]) -> None:
    """Write the report's files, by kind (name, content) with `json` and `markdown`, the outputs and the summary."""
    try:
        folder = ready_folder(job.work / "memory")
        for name, content in files.values():
            written(folder / name, content.encode("utf-8", "backslashreplace"))
        paths = {"report": path_value(folder / files["json"][0]), "markdown": path_value(folder / files["markdown"][0])}
        write_outputs(job.output, {**outputs, "folder": path_value(folder), **paths})
        write_summary(job.summary, files["markdown"][1], rest="the artifact's report.md")
    except OSError as error:
        raise GithubAppError(
            f"the report cannot be stored: {error.strerror}", code="action.report-not-stored"
        ) from None


def post_to_app(app_url: str | None, body: Callable[[], bytes], job: Job) -> str:
    """Post to the App and return a line about it, empty without an App; a failure never changes the exit code."""
    if app_url is None:
        return ""
    try:
        post_memory(app_url, body(), job)
    except (PostingFailed, ReportUnreadable) as error:
        return f"Not posted to Assay's App: {error}"
    return POSTED
