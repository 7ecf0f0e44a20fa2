"""Texts of a merged memory report for the run's page, the issue and the log; untrusted text is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.action.memory.baseline import Compared
from assay.action.memory.issue import Said
from assay.escape import code, prose
from assay.memory_eval import Comparison, EvalReport, rendered

MOST_LINE = 600


@dataclass(frozen=True, slots=True)
class Joined:
    """The report over all exams, its comparison, and a line for each exam without a report."""

    report: EvalReport
    compared: Compared
    missing: tuple[str, ...]

    @property
    def comparison(self) -> Comparison | None:
        """The comparison; None if there is none, for the reason `compared.why_not`."""
        return self.compared.comparison

    @property
    def regression(self) -> Literal["true", "false", "unknown"]:
        """Whether the memory got worse; `unknown` also if it was compared with a report that may be as bad."""
        if self.comparison is None:
            return "unknown"
        if self.comparison.is_worse:
            return "true"
        return "unknown" if self.compared.in_its_place else "false"


def page_text(joined: Joined, said: Said | None, trouble_with_issue: str, about_app: str = "") -> str:
    """Return the text of the summary and of report.md; `about_app` is the result of the upload to the App."""
    issue = f"Issue [#{said.issue.number}]({said.issue.html_url}) was {said.done}." if said is not None else ""
    lines = "\n".join(f"- {prose(line, MOST_LINE)}" for line in joined.missing)
    parts = [
        verdict_text(joined),
        in_its_place_text(joined),
        f"**Missing**\n\n{lines}" if lines else "",
        issue,
        prose(trouble_with_issue, MOST_LINE) if trouble_with_issue else "",
        prose(about_app, MOST_LINE) if about_app else "",
        changes_text(joined.comparison) if joined.comparison is not None else "",
        rendered(joined.report, "markdown"),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def issue_text(joined: Joined, run_url: str) -> str:
    """Return the text of the issue: the change of the score, and where it was lost."""
    changes = changes_text(joined.comparison) if joined.comparison is not None else ""
    parts = [verdict_text(joined), in_its_place_text(joined), changes, f"[The run]({run_url})"]
    return "\n\n".join(filter(None, parts))


def verdict_text(joined: Joined) -> str:
    """Return one sentence with the score and its change."""
    score = percent(joined.report.overall_score)
    if joined.comparison is None:
        return f"**{score}.** Not compared: {prose(joined.compared.why_not, MOST_LINE)}."
    change = joined.comparison.overall
    over = joined.comparison.questions_in_words()
    moved = f"Answers: {percent(change.before)} before, {percent(change.after)} now, over {over}"
    likely = f", p = {change.p_value:.3f}" if change.p_value is not None else ""
    within = ""
    if change.interval is not None:
        within = f", 95% interval of the change {_points(change.interval.low)} to {_points(change.interval.high)}"
    facts = joined.comparison.facts_in_words()
    held = f" {prose(facts.capitalize())}." if facts else ""
    return f"**{score}: {prose(joined.comparison.verdict)}.** {moved}{within}{likely}.{held}"


def in_its_place_text(joined: Joined) -> str:
    """Return a paragraph if the baseline of the open issue was not available; otherwise an empty text."""
    if not joined.compared.in_its_place:
        return ""
    why = prose(joined.compared.in_its_place, MOST_LINE)
    instead = " This run was compared with the last report, which may be as bad." if joined.comparison else ""
    return (
        f"The baseline of the open issue is not available: {why}.{instead} The issue stays open until a maintainer "
        "closes it."
    )


def changes_text(comparison: Comparison) -> str:
    """Return the categories that changed, and the questions that lost most."""
    rows = [
        f"| {code(one.name, 60, cell=True)} | {percent(one.before)} | {percent(one.after)} | {_points(one.change)} |"
        for one in sorted(comparison.categories, key=lambda one: one.change)
        if one.change
    ]
    lost = [
        f"- {percent(one['before'])} → {percent(one['after'])} {code(one['category'], 60)} "
        f"{prose(one['question'], 300)}"
        for one in comparison.worse
    ]
    table = "\n".join(["| Category | Before | Now | Change |", "|---|--:|--:|--:|", *rows]) if rows else ""
    return "\n\n".join(filter(None, [table, "**Lost most**\n\n" + "\n".join(lost) if lost else ""]))


def log_lines(joined: Joined, said: Said | None, trouble_with_issue: str, about_app: str = "") -> Iterator[str]:
    """Yield the result in a few lines for the log."""
    yield f"answers to {len(joined.report.results)} questions: {percent(joined.report.overall_score)}"
    yield joined.comparison.verdict if joined.comparison is not None else f"not compared: {joined.compared.why_not}"
    if joined.comparison is not None and joined.comparison.facts is not None:
        yield joined.comparison.facts.in_words()
    if joined.compared.in_its_place:
        yield f"not compared with the baseline of the open issue: {joined.compared.in_its_place}"
    yield from joined.missing
    if said is not None:
        yield f"issue #{said.issue.number} was {said.done}: {said.issue.html_url}"
    yield from filter(None, (trouble_with_issue, about_app))


def percent(share: float | None) -> str:
    """0.4567 -> "45.7%"."""
    return "not graded" if share is None else f"{share:.1%}"


def _points(change: float) -> str:
    return f"{100 * change:+.1f}"
