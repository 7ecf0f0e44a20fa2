"""Failure to verify the work: no tests written or run, no linter run, no way to check it described."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case, verdicts
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    failure_of,
)
from assay.github_app.provenance.traces.step import Step, StepKind
from assay.validators import Nature, nature_of

_CHECKING = re.compile(
    r"\b(?:py\.?test|unittest|tox|nox|jest|vitest|mocha|ava|playwright|cypress|rspec|phpunit"
    r"|go test|go vet|cargo (?:test|check|clippy|build)"
    r"|mvn|gradlew?|dotnet (?:test|build)|ctest|ruff|flake8|pylint|mypy|pyright|eslint|prettier|tsc|biome|golangci-lint"
    r"|make \w{0,20}(?:test|check|lint|build)\w{0,20}"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? \w{0,20}(?:test|lint|check|build|typecheck)\w{0,20})\b",
    re.IGNORECASE,
)
_EDITING = re.compile(
    r"^(?:edit|multiedit|write|notebookedit|apply_patch|str_replace\w*|create_file|write_file|edit_file|file_change)$",
    re.IGNORECASE,
)
_OF_CODE = re.compile(r"test|lint|type|build|check|format|compile", re.IGNORECASE)


class MissingVerification:
    """Rule for missing verification."""

    name = str(Category.missing_verification)

    def look(self, case: Case) -> Failure | None:
        """Check the sessions, the first CI result, and Assay's own tool runs."""
        found = [*_by_traces(case), *_by_checks(case), *_by_verdicts(case)]
        if found:  # by itself a change without a test is too common to explain a failure
            found += _by_diff(case)
        return failure_of(Category.missing_verification, found, Suggestion(GoesTo.prompt, _advice(case)))


def _by_traces(case: Case) -> Iterator[Evidence]:
    for row, steps in case.traces:
        edits = [place for place, step in enumerate(steps) if _is_edit(step)]
        if not edits:
            continue
        checks = [place for place, step in enumerate(steps) if is_checking(step)]
        if not checks:
            yield Evidence("trace", row.id, f"{len(edits)} edits, and no test, linter or build was run")
        elif max(checks) < max(edits):
            yield Evidence("trace", row.id, "files were edited after the last test, linter or build was run")
        elif steps[max(checks)].is_error:
            last = steps[max(checks)]
            yield Evidence("trace", row.id, f"the last check it ran failed: {last.about or last.name}")


def is_checking(step: Step) -> bool:
    """Return whether a step ran tests, a linter, a type checker or a build."""
    return step.kind is StepKind.tool and _CHECKING.search(f"{step.name} {step.about}") is not None


def _is_edit(step: Step) -> bool:
    return step.kind is StepKind.tool and _EDITING.match(step.name) is not None and not step.is_error


def _by_checks(case: Case) -> Iterator[Evidence]:
    for check in case.first_checks:
        if check.conclusion == "failure" and _OF_CODE.search(check.name):
            yield Evidence("check", check.name, "failed on the first push")


def _by_verdicts(case: Case) -> Iterator[Evidence]:
    first = next(verdicts(case), None)
    tools = first.data.get("tools") if first else None
    num_failed = tools.get("failed", 0) if isinstance(tools, dict) else 0
    if first is not None and isinstance(num_failed, int) and num_failed:
        ref = f"head {str(first.data.get('head_sha'))[:12]}"
        yield Evidence("validation", ref, f"{num_failed} of the repository's own commands failed")


def _by_diff(case: Case) -> Iterator[Evidence]:
    natures = {nature_of(path) for path in case.changed}
    if Nature.source in natures and Nature.test not in natures:
        num = sum(nature_of(path) is Nature.source for path in case.changed)
        yield Evidence("diff", f"#{case.task.number}", f"{num} source files changed, and no test")


def _advice(case: Case) -> str:
    ran = next((step.about for step in reversed(case.steps) if is_checking(step) and step.about), None)
    failed = next((check.name for check in case.first_checks if check.conclusion == "failure"), None)
    if ran is not None:
        return f"Run `{ran}` after the last edit, and open the pull request only when it passes."
    if failed is not None:
        return f"Before opening a pull request run what CI runs as `{failed}`, and fix what it finds."
    return "Write a test for what you change, run the repository's tests and linters, and say how to check it."
