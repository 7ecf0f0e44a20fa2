"""The memory action's mode `report`: joins the reports of the exams' jobs, compares them with a baseline, publishes.

No code of the agent runs here. Untrusted text is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.action.environment.job import read_job
from assay.action.memory.artifacts import Found, exam_reports
from assay.action.memory.baseline import Compared, compared
from assay.action.memory.changes import memory_changes
from assay.action.memory.inputs import is_record, read_memory_inputs
from assay.action.memory.issue import WORSE
from assay.action.memory.publishing import (
    MOST_LINE,
    Published,
    Regression,
    leave_report,
    page_of,
    post_to_app,
    read_standing,
    update_issue,
)
from assay.action.output.annotations import trouble
from assay.action.output.log import command, log_by_us, muted, say
from assay.escape import code, prose
from assay.github.errors import ValidationFailed
from assay.github.external_results.memory_payload import body_of_memory
from assay.memory_eval import (
    REPORT_FILES,
    Comparison,
    EvalReport,
    ExamUsageError,
    compare_reports,
    merge_reports,
    parsed_report,
    rendered,
)

_ALIKE = ("num_turns", "grading", "grader_votes", "world_version")
NO_SCORE = "this run has no valid score"


def memory_report(env: Mapping[str, str]) -> int:
    """Merge and publish the exams' reports; return 0, 1 below `fail-under`, or 3 without a valid score.

    A production memory has no exams: `memory_changes` publishes what became of it.
    """
    if is_record(env):
        return memory_changes(env)
    log_by_us()
    inputs, job = read_memory_inputs(env), read_job(env)
    with muted(env), job.repo() as repo:
        exams = exam_reports(repo, job.run_id, inputs.exams)
        if not exams.reports:
            raise ValidationFailed("no exam's job stored a report: " + "; ".join(exams.missing))
        merged = _merged(exams)
        standing, why_no_issue = None, ""
        if inputs.baseline or inputs.compares_with_last:
            standing, why_no_issue = read_standing(repo, inputs.artifact)
        found = compared(
            inputs, job, repo, standing, parsed_report, lambda before, name: _comparison(before, name, merged)
        )
        comparison, regression = found.comparison, _regression(found)
        head = [verdict_text(merged, found), in_its_place_text(found)]
        changed = changes_text(comparison) if comparison is not None else ""
        said = None
        if not why_no_issue and comparison is not None:
            # The replacement of the better report may be as bad as this run: the issue stays and keeps its baseline.
            is_kept = standing is not None and bool(found.in_its_place)
            run = standing.baseline_run if standing is not None and is_kept else found.run_id
            text = "\n\n".join(filter(None, [*head, changed, f"[The run]({job.run_url})"]))
            said, why_no_issue = update_issue(
                repo, inputs.artifact, text, standing, is_open=comparison.is_worse or is_kept, run=run, title=WORSE
            )
        about_app = post_to_app(inputs.app_url, lambda: _body(merged, exams, inputs.artifact, regression, found), job)
        published = Published(said, why_no_issue, about_app)
        missing = "\n".join(f"- {prose(line, MOST_LINE)}" for line in exams.missing)
        head += [f"**Missing**\n\n{missing}"] if missing else []
        page = page_of(head, published, [changed, rendered(merged, "markdown")])
        below = merged.below(inputs.fail_under)
        could_not = "; ".join(exams.missing) if merged.valid else merged.why_invalid or ""
        if merged.overall_score is None:
            could_not = could_not or "nothing could be graded"
        score = merged.overall_score
        leave_report(
            job,
            {kind: page if kind == "markdown" else rendered(merged, kind) for kind in REPORT_FILES},
            {
                "conclusion": "could_not_run" if could_not else "failure" if below else "success",
                "score": "" if score is None else f"{score:.4f}",
                "regression": regression,
            },
        )
        for line in (*_log_lines(merged, found), *exams.missing, *published.log_lines()):
            say(line)
    if could_not or below:
        command(trouble(could_not or "; ".join(below)))
    return 3 if could_not else int(bool(below))


def _merged(exams: Found) -> EvalReport:
    try:
        merged = merge_reports(exams.reports)
    except ExamUsageError as error:
        raise ValidationFailed(f"the exams' reports cannot be merged: {error}") from None
    return replace(merged, notes=(*merged.notes, *exams.missing))


def _comparison(before: EvalReport, name: str, merged: EvalReport) -> tuple[Comparison | None, str]:
    """Return the comparison with this report, or why there is none."""
    if not merged.valid:
        return None, NO_SCORE
    try:
        # The report of a single exam names its questions without the exam.
        before = merge_reports([before]) if before.seed is not None else before
        different = [what for what in _ALIKE if getattr(before, what) != getattr(merged, what)]
        if different:
            return None, f"{name} was made with other settings ({', '.join(different)})"
        if not before.valid:
            return None, f"{name} has no valid score"
        return compare_reports(before, merged, (name, "this run")), ""
    except ExamUsageError as error:
        return None, str(error)


def _regression(found: Compared[Comparison]) -> Regression:
    """Return whether the memory got worse; `unknown` also if it was compared with a report that may be as bad."""
    if found.comparison is None:
        return "unknown"
    if found.comparison.is_worse:
        return "true"
    return "unknown" if found.in_its_place else "false"


def _body(report: EvalReport, exams: Found, name: str, regression: Regression, found: Compared[Comparison]) -> bytes:
    """Serialize the scores for the App."""
    if exams.missing:
        # Not all requested exams: the App shows the run, but leaves it out of the chart's line.
        why = "; ".join(filter(None, (report.why_invalid, *exams.missing)))
        report = replace(report, valid=False, why_invalid=why)
    return body_of_memory(report, name, regression, found.comparison, found.run_id)


def verdict_text(report: EvalReport, found: Compared[Comparison]) -> str:
    """Return one sentence with the score and its change."""
    score = percent(report.overall_score)
    if found.comparison is None:
        return f"**{score}.** Not compared: {prose(found.why_not, MOST_LINE)}."
    change = found.comparison.overall
    over = found.comparison.questions_in_words()
    moved = f"Answers: {percent(change.before)} before, {percent(change.after)} now, over {over}"
    likely = f", p = {change.p_value:.3f}" if change.p_value is not None else ""
    within = ""
    if change.interval is not None:
        within = f", 95% interval of the change {_points(change.interval.low)} to {_points(change.interval.high)}"
    facts = found.comparison.facts_in_words()
    held = f" {prose(facts.capitalize())}." if facts else ""
    return f"**{score}: {prose(found.comparison.verdict)}.** {moved}{within}{likely}.{held}"


def in_its_place_text(found: Compared[Comparison]) -> str:
    """Return a paragraph if the baseline of the open issue was not available; otherwise an empty text."""
    if not found.in_its_place:
        return ""
    why = prose(found.in_its_place, MOST_LINE)
    instead = " This run was compared with the last report, which may be as bad." if found.comparison else ""
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


def _log_lines(report: EvalReport, found: Compared[Comparison]) -> list[str]:
    lines = [f"answers to {len(report.results)} questions: {percent(report.overall_score)}"]
    lines.append(found.comparison.verdict if found.comparison is not None else f"not compared: {found.why_not}")
    if found.comparison is not None and found.comparison.facts is not None:
        lines.append(found.comparison.facts.in_words())
    if found.in_its_place:
        lines.append(f"not compared with the baseline of the open issue: {found.in_its_place}")
    return lines


def percent(share: float | None) -> str:
    """0.4567 -> "45.7%"."""
    return "not graded" if share is None else f"{share:.1%}"


def _points(change: float) -> str:
    return f"{100 * change:+.1f}"
