from __future__ import annotations

import pytest

from assay.validators.io.process import Completed
from assay.validators.report.model import Counts, Outcome, ToolKind
from assay.validators.tools.execution.attempt import how_to_get
from assay.validators.tools.execution.outcomes import outcome_of
from assay.validators.tools.tool import Reading, Task

ENDS = [
    (0, "", Outcome.passed, None),
    (1, "1 failed", Outcome.failed, None),
    (2, "", Outcome.failed, None),
    (-9, "", Outcome.infra_failed, "killed by SIGKILL"),
    (-15, "", Outcome.infra_failed, "killed by SIGTERM"),
    (137, "", Outcome.infra_failed, "killed (exit code 137): most likely out of memory"),
    (1, "OSError: [Errno 28] No space left on device", Outcome.infra_failed, "no space left on the disk"),
    (134, "FATAL ERROR: Reached heap limit - JavaScript heap out of memory", Outcome.infra_failed, "out of memory"),
    (-11, "", Outcome.failed, "crashed (SIGSEGV)"),
    (139, "", Outcome.failed, "crashed (SIGSEGV)"),
    (134, "", Outcome.failed, "crashed (SIGABRT)"),
    (127, "", Outcome.inert, "a program it starts was not found (exit code 127)"),
    (127, "sh: 1: vitest: not found", Outcome.inert, "vitest: not found"),
    (127, "bash: line 1: pytest: command not found", Outcome.inert, "pytest: not found"),
    (126, "", Outcome.inert, "it cannot be executed (exit code 126)"),
    (1, "/usr/bin/python3: No module named pytest", Outcome.inert, "No module named pytest"),
    (1, 'npm ERR! Missing script: "test"', Outcome.inert, 'Missing script: "test"'),
    (1, 'npm error Missing script: "test"', Outcome.inert, 'Missing script: "test"'),
    (1, 'error Command "test" not found.', Outcome.inert, 'Command "test" not found.'),
    (2, "make: *** No rule to make target 'test'.  Stop.", Outcome.inert, "No rule to make target 'test'.  Stop."),
    (2, "make: *** [Makefile:3: test] Error 127", Outcome.inert, "Error 127"),
    (1, "error: Justfile does not contain recipe `x`", Outcome.inert, "Justfile does not contain recipe `x`"),
    (2, "error: Failed to spawn: `pytest`", Outcome.inert, "Failed to spawn: `pytest`"),
    (2, "make: go: No such file or directory\nmake: *** [Makefile:2: test] Error 127", Outcome.inert, "go: not found"),
    (127, "/usr/bin/env: \u2018node\u2019: No such file or directory", Outcome.inert, "node: not found"),
    (
        2,
        'go: m.org/x@latest: m.org/x: Get "https://proxy.org/m": EOF',
        Outcome.infra_failed,
        "a download that it needs failed",
    ),
    (1, 'test.go:3: Get "https://a.org": EOF', Outcome.failed, None),
    (1, "bwrap: execvp go: No such file or directory", Outcome.inert, "go: not found in the sandbox"),
    (127, "env: 'python': No such file or directory", Outcome.inert, "python: not found"),
    (1, "npm error spawn tsc ENOENT", Outcome.inert, "tsc: not found"),
    (127, "bash: line 1: ./run.sh: No such file or directory", Outcome.inert, "./run.sh: not found"),
    (101, "error: no such command: `nextest`", Outcome.inert, "no such command: `nextest`"),
    (1, "E   ModuleNotFoundError: No module named 'shop'", Outcome.failed, None),
    (1, "the log says: sh: 1: vitest: not found", Outcome.failed, None),
]


@pytest.mark.parametrize(("code", "text", "outcome", "reason"), ENDS)
def test_how_a_run_ended_is_told_by_its_code_and_its_words(code: int, text: str, outcome: Outcome, reason: str | None):
    done = Completed(code, text.encode(), b"", 1.0)
    assert outcome_of(done, text, Reading()) == (outcome, reason)


def test_a_run_killed_for_time_is_timed_out_whatever_it_said():
    done = Completed(None, b"No space left on device", b"", 300.0, timed_out=True)
    assert outcome_of(done, "No space left on device", Reading())[0] is Outcome.timed_out


def test_a_run_with_results_was_there_whatever_its_output_says_of_something_else():
    text = "sh: 1: optional-helper: not found\n3 failed"
    reading = Reading(Counts(passed=2, failed=3))
    assert outcome_of(Completed(1, text.encode(), b"", 1.0), text, reading)[0] is Outcome.failed


def test_a_failing_test_is_a_failure_whatever_the_exit_code():
    reading = Reading(Counts(passed=1, failed=2))
    assert outcome_of(Completed(0, b"", b"", 1.0), "", reading) == (Outcome.failed, "exit code 0, although 2 failed")


def test_the_errors_of_a_linter_that_ends_well_are_no_failing_tests():
    assert outcome_of(Completed(0, b"", b"", 1.0), "", Reading(Counts(errors=3)))[0] is Outcome.passed


def test_a_missing_program_is_the_one_to_install():
    lint = Task("lint", ToolKind.lint, "bun run lint", "package.json scripts.lint", does=("eslint src",))
    assert "declare eslint" in how_to_get(lint, "eslint: not found")
    for_bun = how_to_get(lint, "bun: not found")
    assert for_bun.startswith("bun: not found; ")
    assert "eslint" not in for_bun
    build = Task("build", ToolKind.build, "python -m build", ".github/workflows/ci.yml:2 run")
    assert "tier1.setup" in how_to_get(build, "No module named build")
