"""Texts about a production memory for the run's page, the issue and the log; untrusted text is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.action.memory.issue import Said
from assay.action.memory.text import MOST_LINE
from assay.escape import prose
from assay.memory_eval import Drift, markdown_table, rendered, signs_table


@dataclass(frozen=True, slots=True)
class Changes:
    """The comparison, and the run of its baseline.

    `in_its_place` says why another report replaced the one of the open issue, or why there is none.
    """

    drift: Drift
    run_id: int | None = None
    in_its_place: str = ""

    @property
    def share(self) -> float | None:
        """Share of the memory that was kept; None without a baseline."""
        return self.drift.share_kept

    @property
    def regression(self) -> Literal["true", "false", "unknown"]:
        """Whether there are findings; `unknown` without a verdict, or with a baseline that may have them too."""
        if self.drift.has_findings:
            return "true"
        return "unknown" if self.in_its_place or self.drift.verdict == "no verdict" else "false"


def page_text(changes: Changes, said: Said | None, trouble_with_issue: str, about_app: str = "") -> str:
    """Return the text of the summary and of report.md; `about_app` is the result of the upload to the App."""
    issue = f"Issue [#{said.issue.number}]({said.issue.html_url}) was {said.done}." if said is not None else ""
    parts = [
        rendered(changes.drift, "markdown").rstrip(),
        _in_its_place(changes),
        issue,
        prose(trouble_with_issue, MOST_LINE) if trouble_with_issue else "",
        prose(about_app, MOST_LINE) if about_app else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def issue_text(changes: Changes, run_url: str) -> str:
    """Return the text of the issue: the verdict, the findings, and where to read more."""
    parts = [
        f"**{prose(changes.drift.verdict.capitalize())}: {prose(changes.drift.why, MOST_LINE)}.**",
        markdown_table(signs_table(changes.drift)),
        _in_its_place(changes),
        f"Entries are named by hash; [the run]({run_url}) has the report.",
    ]
    return "\n\n".join(filter(None, parts))


def log_lines(changes: Changes, said: Said | None, trouble_with_issue: str, about_app: str = "") -> Iterator[str]:
    """Yield the result in a few lines for the log."""
    yield f"{changes.drift.verdict}: {changes.drift.why}"
    if changes.in_its_place:
        yield f"not compared with the baseline: {changes.in_its_place}"
    if said is not None:
        yield f"issue #{said.issue.number} was {said.done}: {said.issue.html_url}"
    yield from filter(None, (trouble_with_issue, about_app))


def _in_its_place(changes: Changes) -> str:
    if not changes.in_its_place:
        return ""
    why = prose(changes.in_its_place, MOST_LINE)
    return f"The baseline is not available: {why}. An open issue stays open until a maintainer closes it."
