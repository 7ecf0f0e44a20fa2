"""Validation in the Action: in a separate process without this job's environment, as in the App.

The repository's own commands run here too, as configured; the runner is their sandbox. They do not run in a job that
only publishes. A job that only runs them stores their results for the job that publishes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from assay.action.environment.inputs import Inputs, WhichTests
from assay.action.environment.subject import Subject
from assay.github.external_results.tools_payload import (
    MOST_BODY_BYTES,
    MOST_FILES,
    MOST_FINDINGS,
    MOST_LINES,
    MOST_NOTES,
    MOST_RUNS,
    MOST_TEXT,
    body_of,
    read_posted,
)
from assay.github.pull_request.validate import ValidationProcess, validate_pull_request
from assay.llm import AnthropicModel, Budget, ModelUnavailable
from assay.validators import (
    OWN_COMMANDS,
    Commands,
    Finding,
    Inherited,
    NotChecked,
    Outcome,
    ReportUnreadable,
    Tier,
    ToolRun,
    ToolsResult,
    ValidationOptions,
    ValidationReport,
)

DEADLINE_S = 6 * 3600.0
"""GitHub stops jobs on hosted runners after this time: "Each job in a workflow can run for up to 6 hours"."""
LEAST_MEMORY_BYTES = 4 * 1024**3
MODEL_REVIEW = "the model's review"
MOST_USD = 1000.0
"""Highest value of `tier2.review.maxUsd`, which limits each review."""
_COVERAGE = "which lines the tests ran"

Say = Callable[[str], None]


def validate_subject(
    subject: Subject, repository: Path, inputs: Inputs, say: Say, inherited: Inherited | None = None
) -> ValidationReport:
    """Validate a subject whose commits are in `repository`. Raises `ValidationFailed`.

    An invalid configuration also gives a report. The model that is named reviews the change; if it is unavailable, the
    report says so.
    """
    commands = Commands.none if not inputs.runs_commands or subject.is_second_stage else Commands.as_configured
    options = ValidationOptions(
        inputs.tiers, commands, subject.settings_sha or None, tests=wanted_tests(subject, inputs)
    )
    process = _process(say, inherited)
    try:
        opened = _review_model(inputs)
    except ModelUnavailable as error:
        say(f"{MODEL_REVIEW}: {error}")
        report = validate_pull_request(subject, repository, options, process)
        return replace(report, not_checked=(*report.not_checked, NotChecked(MODEL_REVIEW, str(error))))
    with opened as model:
        return validate_pull_request(subject, repository, options, replace(process, model=model))


def _process(say: Say, inherited: Inherited | None) -> ValidationProcess:
    return ValidationProcess(DEADLINE_S, _memory_bytes(), inherit=lambda _: inherited or Inherited(), on_progress=say)


def wanted_tests(subject: Subject, inputs: Inputs) -> str:
    """Return which tests run, "" as configured: all of them on the default branch."""
    return WhichTests.all if subject.is_default_branch else inputs.tests or ""


def _review_model(inputs: Inputs) -> AnthropicModel | nullcontext[None]:
    """Open the model that reviews, which the configuration's budgets limit. Raises `ModelUnavailable`."""
    if inputs.review_model is None:
        return nullcontext()
    return AnthropicModel(inputs.review_model, budget=Budget(max_usd=MOST_USD))


def tools_body(
    subject: Subject,
    repository: Path,
    job_name: str,
    say: Say,
    inherited: Inherited | None = None,
    tests: str = "",
) -> bytes:
    """Run the repository's own commands and return their results as a `tools_payload` body. Raises `ValidationFailed`.

    `job_name` is the job's id in its workflow, which ends the name of its check; `tests` are from `wanted_tests`.
    """
    options = ValidationOptions((Tier.tools,), Commands.alone, subject.settings_sha or None, lines=True, tests=tests)
    report = validate_pull_request(subject, repository, options, _process(say, inherited))
    return bounded_body(report.tools or _not_run(report), job_name)


def bounded_body(tools: ToolsResult, job_name: str, run_id: int | None = None) -> bytes:
    """Return results within the reader's limits, with a note for what was left out; `run_id` as in `body_of`.

    Covered lines are dropped first, then the least severe findings and runs, then text.
    """
    for smaller in _smaller_and_smaller(tools):
        body = body_of(smaller, job=job_name, run_id=run_id)
        if len(body) <= MOST_BODY_BYTES and _is_readable(body):
            return body
    lost = NotChecked(OWN_COMMANDS, "their results exceed the limit of the transfer")
    return body_of(ToolsResult(not_checked=(lost,)), job=job_name, run_id=run_id)


def _not_run(report: ValidationReport) -> ToolsResult:
    """Return empty results for a disabled Tier 1, or an invalid configuration."""
    why = "the configuration is invalid" if report.configuration_at_fault else "Tier 1 is disabled"
    return ToolsResult(not_checked=(NotChecked(OWN_COMMANDS, f"not run: {why}"),))


def _memory_bytes() -> int:
    """Return the machine's memory: no other job runs on it."""
    try:
        return max(LEAST_MEMORY_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError):
        return LEAST_MEMORY_BYTES


def _is_readable(body: bytes) -> bool:
    try:
        read_posted(body)
    except ReportUnreadable:
        return False
    return True


def _smaller_and_smaller(tools: ToolsResult) -> Iterator[ToolsResult]:
    within = _within_counts(tools, MOST_FINDINGS, MOST_TEXT)
    yield within
    bare = _without_lines(within)
    yield bare
    # Escapes can make a text about six times longer.
    for most_findings, most_text in ((MOST_FINDINGS, 600), (500, 600), (50, 300), (0, 100)):
        yield _within_counts(bare, most_findings, most_text)


def _within_counts(tools: ToolsResult, most_findings: int, most_text: int) -> ToolsResult:
    tools = _without_lines(tools) if _has_too_many_lines(tools) else tools
    runs = sorted(tools.runs, key=lambda run: (not run.gating, run.outcome is Outcome.passed))
    findings = sorted(tools.findings, key=lambda finding: -finding.severity.rank)
    notes = [*tools.not_checked]
    for what, found, most in (("findings", findings, most_findings), ("commands", runs, MOST_RUNS)):
        if len(found) > most:
            notes.append(NotChecked(f"further {what}", f"{len(found) - most} are not transferred; the limit is {most}"))
    if len(notes) > MOST_NOTES:
        # The last notes list what was left out.
        left_out = NotChecked("further remarks", f"{len(notes) - MOST_NOTES + 1} are not transferred")
        notes = [*notes[: MOST_NOTES - 5], *notes[-4:], left_out]
    return replace(
        tools,
        runs=tuple(_short_run(run, most_text) for run in (runs[:MOST_RUNS] if len(runs) > MOST_RUNS else tools.runs)),
        findings=tuple(
            _short_finding(one, most_text)
            for one in (findings[:most_findings] if len(findings) > most_findings else tools.findings)
        ),
        not_checked=tuple(replace(one, what=_cut(one.what, most_text), why=_cut(one.why, most_text)) for one in notes),
    )


def _has_too_many_lines(tools: ToolsResult) -> bool:
    lines = tools.line_coverage or {}
    is_lost = tools.coverage_source is not None and not lines
    return is_lost or len(lines) > MOST_FILES or sum(len(ran) for ran in lines.values()) > MOST_LINES


def _without_lines(tools: ToolsResult) -> ToolsResult:
    if tools.coverage_source is None and not tools.line_coverage:
        return tools
    note = NotChecked(_COVERAGE, f"more lines than can be transferred ({tools.coverage_source or 'coverage data'})")
    return replace(tools, line_coverage=None, coverage_source=None, not_checked=(*tools.not_checked, note))


def _short_run(run: ToolRun, most: int) -> ToolRun:
    return replace(
        run,
        name=_cut(run.name, most),
        command=_cut(run.command, most),
        found_in=_cut(run.found_in, most),
        reason=None if run.reason is None else _cut(run.reason, most),
        excerpt=tuple(_cut(line, most) for line in run.excerpt),
    )


def _short_finding(finding: Finding, most: int) -> Finding:
    """Shorten the texts of a finding; a replacement stays whole or is dropped."""
    whole = finding.replacement is not None and len(finding.replacement) <= most
    return replace(
        finding,
        message=_cut(finding.message, most),
        suggestion=None if finding.suggestion is None else _cut(finding.suggestion, most),
        replacement=finding.replacement if whole else None,
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
