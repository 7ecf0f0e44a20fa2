"""Why tasks fail: a table of categories, each with what counts as evidence for it and advice for the next task.

A category with evidence applies; of several the first in the order of `Category` leads. Texts of reviewers do not count
as evidence: patterns over them were right in 54 of 160 comments. An evaluation model reads them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import PurePosixPath

from assay.github_app.outcomes.tasks.case import Case, verdicts
from assay.github_app.outcomes.tasks.failure import (
    MOST_EVIDENCE,
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    excerpt,
)
from assay.github_app.provenance.traces.step import Step, StepKind
from assay.github_app.store import FAILED_STATUSES, EventKind, TaskStatus
from assay.validators import Nature, nature_of

Signs = Callable[[Case], Iterator[Evidence]]
Advice = Callable[[Case, Evidence], str]

OUT_OF_TIME = re.compile(
    r"\b(?:task|session|agent|idle|wall[- ]clock) (?:has |was )?(?:timed out|time-?out|time limit)"
    r"|\b(?:time limit|time budget|deadline) (?:was )?(?:exceeded|reached)|\bran out of time\b"
    r"|\bmax(?:imum)?(?: number of)? (?:turns|iterations|steps)"
    r"|\b(?:token|cost|spending) (?:budget|limit) (?:was )?(?:exceeded|reached)",
    re.IGNORECASE,
)
"""How harnesses word the limit in `error_message`; a network's timeout has no task or session before it."""
ENVIRONMENT = re.compile(
    r"rate limit|too many requests|overloaded_error|bad gateway|service unavailable|internal server error"
    r"|gateway time-?out|\b(?:HTTP|status|error)[ :]*(?:code )?(?:401|403|429|50[0234])\b"
    r"|(?:could not|failed to|unable to) (?:clone|fetch|checkout|pull|push)|clone failed|unable to access '"
    r"|could not read from remote|early EOF|RPC failed|could not resolve host|name or service not known"
    r"|temporary failure in name resolution|ENOTFOUND|connection (?:refused|reset|timed out|aborted)"
    r"|ECONN(?:REFUSED|RESET)|ETIMEDOUT|network is unreach|no space left on device|read-only file system"
    r"|out of memory|\bOOM\b|cannot allocate memory|exit(?:ed)? (?:code )?137|bad credentials"
    r"|permission denied \(publickey\)|authentication failed|token (?:has )?expired|docker daemon"
    r"|failed to start (?:the )?(?:container|sandbox|runner)|certificate (?:verify failed|has expired)",
    re.IGNORECASE,
)
"""Messages of git, operating systems, containers and HTTP services."""
FORBIDDEN = re.compile(
    r"\b(?:do not|don't|never|must not|without) (?:touch|chang|modify|edit|delet|remov)\w*[ \t]{1,3}(?:the )?"
    r"(?:files? (?:in |under )?)?`?([\w./-]{3,120})`?",
    re.IGNORECASE,
)
WANTS_TESTS = re.compile(r"(?<!n't )(?<!not )\b(?:add|write|include)\b.{0,25}\btests?\b", re.IGNORECASE)
CHECKING = re.compile(
    r"\b(?:py\.?test|unittest|tox|nox|jest|vitest|mocha|ava|playwright|cypress|rspec|phpunit"
    r"|go test|go vet|cargo (?:test|check|clippy|build)"
    r"|mvn|gradlew?|dotnet (?:test|build)|ctest|ruff|flake8|pylint|mypy|pyright|eslint|prettier|tsc|biome|golangci-lint"
    r"|make \w{0,20}(?:test|check|lint|build)\w{0,20}"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? \w{0,20}(?:test|lint|check|build|typecheck)\w{0,20})\b",
    re.IGNORECASE,
)
EDITING = re.compile(
    r"^(?:edit|multiedit|write|notebookedit|apply_patch|str_replace\w*|create_file|write_file|edit_file|file_change)$",
    re.IGNORECASE,
)
CHECK_OF_CODE = re.compile(r"test|lint|type|build|check|format|compile", re.IGNORECASE)
RULES_OF_THE_REPOSITORY = ("repository_rules", "learned_rules")
TIMES_A_LOOP = 3
"""Failures of one call with one message that count as a loop. A test that fails in new ways is progress."""
SLOW_S = 120
SIDE = frozenset((Nature.test, Nature.docs, Nature.lock, Nature.generated))
"""Natures of paths that commonly accompany a code change and do not widen its scope."""


@dataclass(frozen=True, slots=True)
class FailureRule:
    """Category with its signs, each of which yields evidence, and its advice from the case and its first evidence.

    `weak` signs count only next to others.
    """

    category: Category
    signs: tuple[Signs, ...]
    goes_to: GoesTo
    advice: Advice
    weak: tuple[Signs, ...] = ()


def failures_of(case: Case) -> tuple[Failure, ...]:
    """Return every category with evidence, in the order of the table. Pure: the same case gives the same result."""
    return tuple(failure for rule in FAILURES if (failure := _failure(rule, case)) is not None)


def _failure(rule: FailureRule, case: Case) -> Failure | None:
    found = list(chain.from_iterable(sign(case) for sign in rule.signs))
    if not found:
        return None
    found += chain.from_iterable(sign(case) for sign in rule.weak)
    advice = Suggestion(rule.goes_to, rule.advice(case, found[0]))
    return Failure(rule.category, tuple(found[:MOST_EVIDENCE]), advice)


# ------------------------------------------------------------------ signs


def _time_out(case: Case) -> Iterator[Evidence]:
    task = case.task
    if task.status is TaskStatus.timed_out:
        rest = f"; partial work may be on {task.branch}" if task.branch and task.branch_state is None else ""
        yield Evidence("status", task.id, f"TIMED_OUT{rest}")
    elif any(event.kind == EventKind.task_timed_out for event in case.events):
        yield Evidence("event", str(EventKind.task_timed_out), "the harness reported a timeout")
    if task.status is not TaskStatus.completed:
        yield from _message(OUT_OF_TIME, "status", f"error_message of {task.id}", task.error_message)


def _session_limit(case: Case) -> Iterator[Evidence]:
    for row, _ in case.traces:
        if row.ending == "out_of_time":
            took = f" after {row.duration_s / 60:.0f} minutes" if row.duration_s else ""
            yield Evidence("trace", row.id, f"the session ended at its limit{took}, {row.num_steps} steps")


def _environment_error(case: Case) -> Iterator[Evidence]:
    if case.task.status not in FAILED_STATUSES:
        return
    yield from _message(ENVIRONMENT, "status", f"error_message of {case.task.id}", case.task.error_message)
    for event in case.events:
        if event.kind == EventKind.tool_failed:
            text = " ".join(str(value) for value in event.data.values() if isinstance(value, str))
            yield from _message(ENVIRONMENT, "event", f"{event.kind} at {event.at.isoformat()}", text)
    for row, steps in case.traces:
        # An agent can work around an earlier error; the last step is what the session ended with.
        if row.ending != "completed" and steps and steps[-1].is_error:
            yield from _message(ENVIRONMENT, "trace", f"{row.id} {steps[-1].name}", steps[-1].said)


def _check_that_did_not_start(case: Case) -> Iterator[Evidence]:
    for check in case.first_checks:
        if check.conclusion == "startup_failure":
            yield Evidence("check", check.name, "did not start")


def _request_against_diff(case: Case) -> Iterator[Evidence]:
    request = case.task.request or ""
    if not request or not case.changed:
        return
    for match in islice(FORBIDDEN.finditer(request[:20_000]), 20):
        hit = sorted(path for path in case.changed if _lies_in(path, match[1]))
        if hit:
            words = f"{excerpt(request, match.start(), match.end())} (changed: {', '.join(hit[:3])})"
            yield Evidence("request", case.task.id, words)
    named = {path for path in case.asked_paths if nature_of(path) is not Nature.docs and "." in path}
    if named and not any(_lies_in(path, one) for path in case.changed for one in named):
        text = f"none of the files it names was changed: {', '.join(sorted(named)[:5])}"
        yield Evidence("request", case.task.id, text)
    wanted = WANTS_TESTS.search(request)
    if wanted is not None and all(nature_of(path) is not Nature.test for path in case.changed):
        yield Evidence("request", case.task.id, f"{excerpt(request, wanted.start(), wanted.end())} (no test changed)")


def _broken_rule(case: Case) -> Iterator[Evidence]:
    for finding in case.findings:
        if finding.rule in RULES_OF_THE_REPOSITORY and finding.is_introduced:
            yield Evidence("validation", f"{finding.file}:{finding.line or 1}", excerpt(finding.message))
    for event in case.events:
        if event.kind == EventKind.mistake_repeated and event.data.get("is_after_handout") is True:
            text = "a reviewer repeated earlier feedback, and the rule had been delivered"
            yield Evidence("event", str(event.data.get("rule_id", "")), text)


def _unchecked_edits(case: Case) -> Iterator[Evidence]:
    for row, steps in case.traces:
        edits = [place for place, step in enumerate(steps) if _is_edit(step)]
        checks = [place for place, step in enumerate(steps) if _is_checking(step)]
        if not edits:
            continue
        if not checks:
            yield Evidence("trace", row.id, f"{len(edits)} edits, and no test, linter or build was run")
        elif max(checks) < max(edits):
            yield Evidence("trace", row.id, "files were edited after the last test, linter or build was run")
        elif steps[max(checks)].is_error:
            last = steps[max(checks)]
            yield Evidence("trace", row.id, f"the last check it ran failed: {last.about or last.name}")


def _failed_check(case: Case) -> Iterator[Evidence]:
    for check in case.first_checks:
        if check.conclusion == "failure" and CHECK_OF_CODE.search(check.name):
            yield Evidence("check", check.name, "failed on the first push")


def _failed_commands(case: Case) -> Iterator[Evidence]:
    first = next(verdicts(case), None)
    tools = first.data.get("tools") if first else None
    num_failed = tools.get("failed", 0) if isinstance(tools, dict) else 0
    if first is not None and isinstance(num_failed, int) and num_failed:
        ref = f"head {str(first.data.get('head_sha'))[:12]}"
        yield Evidence("validation", ref, f"{num_failed} of the repository's own commands failed")


def _no_test(case: Case) -> Iterator[Evidence]:
    num = sum(nature_of(path) is Nature.source for path in case.changed)
    if num and all(nature_of(path) is not Nature.test for path in case.changed):
        yield Evidence("diff", f"#{case.task.number}", f"{num} source files changed, and no test")


def _undone_merge(case: Case) -> Iterator[Evidence]:
    if case.end is not None and case.end.reverted_at is not None:
        yield Evidence("outcome", f"#{case.task.number}", "it was reverted after its merge")
    if case.end is not None and case.end.fixed_by:
        numbers = ", ".join(f"#{number}" for number in case.end.fixed_by)
        text = f"it was soon followed by a fix of the same lines ({numbers})"
        yield Evidence("outcome", f"#{case.task.number}", text)


def _loop(case: Case) -> Iterator[Evidence]:
    for row, steps in case.traces:
        failing = Counter(
            (step.name, step.about, step.said) for step in steps if step.kind is StepKind.tool and step.is_error
        )
        for (name, about, _), times in failing.most_common(3):
            if times >= TIMES_A_LOOP:
                yield Evidence("trace", row.id, f"{about or name} failed {times} times with the same message")


def _other_paths(case: Case) -> Iterator[Evidence]:
    asked = case.asked_paths
    if not asked or len(case.changed) < 3:
        return
    folders = {_folder(path) for path in asked}
    other = sorted(
        path
        for path in case.changed
        if nature_of(path) not in SIDE and not any(_is_under(path, one) for one in folders)
    )
    # If no named file is changed, it is a different task, not an excess of this one.
    if len(case.changed) / 2 <= len(other) < len(case.changed):
        text = f"{len(other)} of {len(case.changed)} changed files are not among those it names: {', '.join(other[:3])}"
        yield Evidence("request", case.task.id, text)


def _failure_itself(case: Case) -> Iterator[Evidence]:
    task, end = case.task, case.end
    if task.status in FAILED_STATUSES:
        error = f": {excerpt(task.error_message)}" if task.error_message else ""
        yield Evidence("status", task.id, f"{task.status}{error}")
    if end is not None and end.kind is not None and case.is_success is False:
        yield Evidence("outcome", f"#{task.number}", f"the pull request was {end.kind}")
    yield from _undone_merge(case)
    if case.rounds:
        yield Evidence("review", f"#{task.number}", f"it took {len(case.rounds)} review rounds")


def _message(pattern: re.Pattern[str], source: str, ref: str, text: str | None) -> Iterator[Evidence]:
    match = pattern.search(text or "")
    if match is not None:
        yield Evidence(source, ref, excerpt(text or "", match.start(), match.end()))


def _is_checking(step: Step) -> bool:
    """Return whether a step ran tests, a linter, a type checker or a build."""
    return step.kind is StepKind.tool and CHECKING.search(f"{step.name} {step.about}") is not None


def _is_edit(step: Step) -> bool:
    return step.kind is StepKind.tool and EDITING.match(step.name) is not None and not step.is_error


def _lies_in(path: str, named: str) -> bool:
    named = named.strip("./`")
    return bool(named) and (path == named or path.endswith("/" + named) or path.startswith(named + "/"))


def _folder(path: str) -> str:
    return path.strip("/") if path.endswith("/") else str(PurePosixPath(path).parent)


def _is_under(path: str, folder: str) -> bool:
    return folder != "." and (path.startswith(folder + "/") or f"/{folder}/" in f"/{path}")


# ------------------------------------------------------------------ advice


def _about_time(case: Case, _: Evidence) -> str:
    slow = max((step for step in case.steps if step.duration_s), key=lambda step: step.duration_s or 0, default=None)
    if slow is not None and (slow.duration_s or 0) >= SLOW_S:
        minutes = f"{(slow.duration_s or 0) / 60:.0f} minutes"
        return f"`{slow.about or slow.name}` takes {minutes} here: run a part of it while working."
    return "Commit what works early and often, and open the pull request as a draft before time runs out."


def _about_request(_: Case, first: Evidence) -> str:
    text = "Before opening a pull request go through the request and the repository's instructions point by point."
    return f"{text} What was missed here: {first.text}" if first.source == "request" else text


def _about_checks(case: Case, _: Evidence) -> str:
    ran = next((step.about for step in reversed(case.steps) if _is_checking(step) and step.about), None)
    failed = next((check.name for check in case.first_checks if check.conclusion == "failure"), None)
    if ran is not None:
        return f"Run `{ran}` after the last edit, and open the pull request only when it passes."
    if failed is not None:
        return f"Before opening a pull request run what CI runs as `{failed}`, and fix what it finds."
    return "Write a test for what you change, run the repository's tests and linters, and say how to check it."


FAILURES: tuple[FailureRule, ...] = (
    FailureRule(Category.out_of_time, (_time_out, _session_limit), GoesTo.prompt, _about_time),
    FailureRule(
        Category.environment_failure,
        (_environment_error, _check_that_did_not_start),
        GoesTo.memory,
        lambda _, first: f"The environment stopped tasks here ({first.text}). Check it before starting work, or retry.",
    ),
    FailureRule(
        Category.instruction_non_compliance, (_request_against_diff, _broken_rule), GoesTo.prompt, _about_request
    ),
    FailureRule(
        Category.missing_verification,
        (_unchecked_edits, _failed_check, _failed_commands),
        GoesTo.prompt,
        _about_checks,
        weak=(_no_test,),  # by itself a change without a test is too common to explain a failure
    ),
    FailureRule(
        Category.reasoning_error,
        (_undone_merge, _loop),
        GoesTo.prompt,
        lambda *_: "State the cause and your evidence before changing anything; read the code that is called.",
    ),
    FailureRule(
        Category.scope_creep,
        (_other_paths,),
        GoesTo.prompt,
        lambda *_: "Change only what the request asks for; note everything else you see in the description.",
    ),
    FailureRule(
        Category.unknown,
        (_failure_itself,),
        GoesTo.memory,
        lambda *_: "The cause is unknown: send the task's trace (`POST /api/v1/traces`) and ask for its feedback.",
    ),
)
"""Every category, in the order of `Category`; `unknown` applies where no other does."""
