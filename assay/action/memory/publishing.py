"""What both kinds of memory reports publish in the same way: page, log, issue, files, outputs, and the App's copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from assay.action.environment.job import Job
from assay.action.handover.upload import post_memory
from assay.action.memory.issue import Said, Standing, bring_up_to_date, standing_issue
from assay.action.output.outputs import path_value, write_outputs
from assay.action.output.run_report import ready_folder, written
from assay.action.output.summary import write_summary
from assay.escape import prose
from assay.github.client import Repo
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable, PostingFailed
from assay.memory_eval import REPORT_FILES
from assay.validators import ReportUnreadable

POSTED = "The scores were posted to Assay's App."
MOST_LINE = 600

Regression = Literal["true", "false", "unknown"]


class Published(NamedTuple):
    """What became of the issue and of the copy for the App, each with a line if it failed."""

    said: Said | None
    trouble: str
    about_app: str

    def log_lines(self) -> Iterator[str]:
        """Yield it for the log."""
        if self.said is not None:
            yield f"issue #{self.said.issue.number} was {self.said.done}: {self.said.issue.html_url}"
        yield from filter(None, (self.trouble, self.about_app))


def read_standing(repo: Repo, name: str) -> tuple[Standing | None, str]:
    """Return the open issue, and a line if it could not be read."""
    try:
        return standing_issue(repo, name), ""
    except (GithubRefused, GithubUnavailable) as error:
        return None, f"the issue could not be read: {error}"


def update_issue(
    repo: Repo, name: str, text: str, standing: Standing | None, *, is_open: bool, run: int | None, title: str
) -> tuple[Said | None, str]:
    """Update the issue, and return it, and a line if it could not be written."""
    try:
        said = bring_up_to_date(repo, name, text, standing, is_open=is_open, baseline_run=run, title=title)
    except (GithubRefused, GithubUnavailable) as error:
        return None, f"the issue could not be written: {error}"
    return said, ""


def page_of(head: Sequence[str], published: Published, body: Sequence[str] = ()) -> str:
    """Return the text of the summary and of report.md, with what was published after its head."""
    said = published.said
    issue = f"Issue [#{said.issue.number}]({said.issue.html_url}) was {said.done}." if said is not None else ""
    lines = [prose(line, MOST_LINE) for line in (published.trouble, published.about_app) if line]
    return "\n\n".join(filter(None, [*head, issue, *lines, *body])) + "\n"


def leave_report(job: Job, texts: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Write the report's texts, by format with `json` and `markdown`, the outputs and the summary."""
    try:
        folder = ready_folder(job.work / "memory")
        for kind, text in texts.items():
            written(folder / REPORT_FILES[kind], text.encode("utf-8", "backslashreplace"))
        paths = {
            "report": path_value(folder / REPORT_FILES["json"]),
            "markdown": path_value(folder / REPORT_FILES["markdown"]),
        }
        write_outputs(job.output, {**outputs, "folder": path_value(folder), **paths})
        write_summary(job.summary, texts["markdown"], rest="the artifact's report.md")
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
