"""What a failing command means, by its gate and by what the base did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, Hunk
from assay.validators.changes.classify import Nature
from assay.validators.report.model import Counts, Finding, Gate, Outcome, Severity, Tier, ToolKind
from assay.validators.tools.comparison.gates import needs_base, ruling, with_services
from assay.validators.tools.comparison.introduced import introduced
from assay.validators.tools.execution.attempt import Attempt
from assay.validators.tools.tool import Reading
from tests.validators.tools.trees import tree_of

EMPTY = tree_of({})


def finding(name: str, file: str = "tests/test_a.py", line: int | None = 1, rule: str = "test_failed") -> Finding:
    return Finding(Tier.tools, Severity.error, rule, file, f"{name}: no", line=line, tool="pytest", context=name)


def failing(*names: str, passed: int = 3) -> Attempt:
    reading = Reading(Counts(passed=passed, failed=len(names)), tuple(finding(name) for name in names))
    return Attempt(Outcome.failed, reading=reading)


PASSED = Attempt(Outcome.passed, reading=Reading(Counts(passed=3)))
MUTE = Attempt(Outcome.failed, reading=Reading())
BLIND = Attempt(Outcome.failed, reading=Reading(looked=False, reason="could not load tests/test_a.py"))


def change(*files: ChangedFile) -> ChangeSet:
    return ChangeSet("/r", "b", "main", "b", "h", "HEAD", EMPTY, EMPTY, files)


def file(path: str, *added: int, base_path: str | None = None) -> ChangedFile:
    status = FileStatus.renamed if base_path else FileStatus.modified
    hunks = tuple(Hunk(line - 1, (), line, ("x",)) for line in added)
    return ChangedFile(path, base_path or path, status, FileKind.text, Nature.source, "1", "2", hunks)


CASES = [
    ("passes on the base", failing("a"), PASSED, True, "it passes on the base"),
    ("the same fails on the base", failing("a"), failing("a"), False, "it fails on the base too"),
    ("more fails than on the base", failing("a", "b"), failing("a"), True, "1 failure is new"),
    ("other tests fail than on the base", failing("b"), failing("a"), True, "elsewhere (a)"),
    (
        "the base could not load its tests",
        failing("a"),
        BLIND,
        True,
        "compare with: could not load",
    ),
    (
        "the base says nothing that can be read",
        failing("a"),
        MUTE,
        True,
        "compare with: its output",
    ),
    (
        "the base ran out of time",
        failing("a"),
        Attempt(Outcome.timed_out),
        True,
        "compare with: it ran out",
    ),
    (
        "the base had no time",
        failing("a"),
        Attempt(Outcome.skipped, "the tier's time was used up"),
        True,
        "no result of the base",
    ),
    (
        "the base was killed",
        failing("a"),
        Attempt(Outcome.infra_failed),
        True,
        "compare with: the machine",
    ),
    ("the base lacks the command", failing("a"), Attempt(Outcome.inert, "no such script"), True, "no such script"),
    (
        "the base was not prepared",
        failing("a"),
        Attempt(Outcome.skipped, "its tree could not be"),
        True,
        "its tree could",
    ),
    (
        "the head cannot load what the base could",
        BLIND,
        failing("a"),
        True,
        "the base's run fails too, but can be read",
    ),
    ("the head hangs where the base only fails", Attempt(Outcome.timed_out), failing("a"), True, "but can be read"),
]


@pytest.mark.parametrize(
    ("head", "base", "gating", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_failing_head_is_ruled_on_by_what_the_base_did(head: Attempt, base: Attempt, gating: bool, reason: str):
    ruled = ruling(head, base, Gate.regression_only, ToolKind.test, change())
    assert ruled.gating is gating
    assert ruled.outcome is head.outcome
    assert reason in (ruled.reason or "")


def test_strict_gates_without_asking_the_base():
    assert not needs_base(failing("a"), Gate.strict, ToolKind.test)
    assert ruling(failing("a"), None, Gate.strict, ToolKind.test, change()).gating


def test_informational_never_gates():
    assert not needs_base(failing("a"), Gate.informational, ToolKind.test)
    ruled = ruling(failing("a"), None, Gate.informational, ToolKind.test, change())
    assert not ruled.gating
    assert ruled.outcome is Outcome.failed


def test_a_pass_needs_no_base_and_does_not_gate():
    assert not needs_base(PASSED, Gate.regression_only, ToolKind.test)
    assert not ruling(PASSED, None, Gate.regression_only, ToolKind.test, change()).gating


def test_a_command_that_works_on_the_base_and_is_gone_from_the_head_is_a_failure():
    gone = Attempt(Outcome.inert, "Missing script")
    assert needs_base(gone, Gate.regression_only, ToolKind.test)
    ruled = ruling(gone, PASSED, Gate.regression_only, ToolKind.test, change())
    assert (ruled.outcome, ruled.gating) == (Outcome.failed, True)
    assert ruling(gone, gone, Gate.regression_only, ToolKind.test, change()).outcome is Outcome.inert


@pytest.mark.parametrize("outcome", [Outcome.infra_failed, Outcome.skipped])
def test_what_the_machine_gave_up_on_does_not_count_against_the_change(outcome: Outcome):
    assert not needs_base(Attempt(outcome), Gate.regression_only, ToolKind.test)
    assert not ruling(Attempt(outcome), None, Gate.strict, ToolKind.test, change()).gating


def test_tests_that_moved_with_their_file_are_the_same():
    moved = Attempt(Outcome.failed, reading=Reading(Counts(1, 1), (finding("a", "tests/new.py"),)))
    old = Attempt(Outcome.failed, reading=Reading(Counts(1, 1), (finding("a", "tests/old.py"),)))
    renamed = change(file("tests/new.py", base_path="tests/old.py"))
    assert not ruling(moved, old, Gate.regression_only, ToolKind.test, renamed).gating


def lint(*findings: Finding) -> Attempt:
    return Attempt(Outcome.failed, reading=Reading(Counts(errors=len(findings)), findings))


def unused(name: str, line: int | None, path: str = "a.py") -> Finding:
    return replace(finding(name, path, line, "F401"), tool="ruff")


def test_an_old_finding_on_an_untouched_line_is_only_counted():
    head = lint(unused("old", 3), unused("new", 7))
    shown, num_old = introduced(head, None, ToolKind.lint, change(file("a.py", 7)), gating=False)
    assert [one.context for one in shown] == ["new"]
    assert num_old == 1


def test_a_finding_the_base_has_is_old_even_on_an_added_line():
    shown, num_old = introduced(
        lint(unused("moved", 7)), lint(unused("moved", 2)), ToolKind.lint, change(file("a.py", 7)), gating=False
    )
    assert (shown, num_old) == ([], 1)


def test_a_finding_the_base_lacks_is_new_even_in_an_untouched_file():
    shown, _ = introduced(lint(unused("x", 3, "b.py")), PASSED, ToolKind.types, change(file("a.py", 7)), gating=True)
    assert [one.file for one in shown] == ["b.py"]


def test_the_same_finding_once_more_is_new():
    head = lint(unused("x", 3), unused("x", 9))
    shown, num_old = introduced(head, lint(unused("x", 3)), ToolKind.lint, change(file("a.py", 9)), gating=False)
    assert (len(shown), num_old) == (1, 1)


def test_a_finding_about_a_whole_file_is_the_changes_where_it_touches_the_file():
    head = lint(unused("would be reformatted", None, "a.py"), unused("would be reformatted", None, "b.py"))
    shown, num_old = introduced(head, None, ToolKind.formatting, change(file("a.py", 1)), gating=False)
    assert ([one.file for one in shown], num_old) == (["a.py"], 1)


def test_an_error_is_an_error_only_where_the_run_counts():
    head = lint(unused("x", 7))
    for gating, severity in ((True, Severity.error), (False, Severity.warning)):
        shown, _ = introduced(head, PASSED, ToolKind.lint, change(file("a.py", 7)), gating=gating)
        assert [one.severity for one in shown] == [severity]


@pytest.mark.parametrize(
    ("services", "base", "said"),
    [
        (("db", "cache"), failing("a"), "it fails; CI starts db and cache for it, Assay does not"),
        ((), failing("a"), "it fails"),
        (("db",), PASSED, "it fails"),
        (("db",), None, "it fails"),
    ],
)
def test_services_of_ci_are_named_if_both_sides_fail(services: tuple[str, ...], base: Attempt | None, said: str):
    assert with_services("it fails", services, failing("a"), base) == said
