"""Deleted tests: not moved, renamed or rewritten."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.validators.changes.change import ChangeSet, FileStatus, decoded
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.quality.inputs.changed_texts import LARGEST_BYTES, ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.both_sides import SidedTest, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import tests_in
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState, name_parts
from assay.validators.report.model import Finding, Severity
from assay.validators.wording import listed

MOST_NAMED = 5
MOST_SEARCHED = 1500
_Judged = tuple[SidedTest, SubjectState]


def deleted(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding per file that lost tests without replacement.

    An error if the change also edits the code under test, a warning if that code stays unchanged; nothing if it was
    removed too.
    """
    gone: dict[str, list[SidedTest]] = defaultdict(list)
    for each in tests.gone:
        gone[each.read.file.path].append(each)
    inherited = _inherited(tests.gone, subjects.change)
    for path, missing in gone.items():
        lost = [each for each in missing if not (_has_a_base(each) and _bare(each) in inherited)]
        lost = [each for each in lost if not _has_a_twin(each)]
        counted = [(each, _state_of(each, subjects)) for each in lost]
        counted = [(each, state) for each, state in counted if state is not SubjectState.gone]
        come = [each for each in tests.new if each.read.file.path == path and (each.test.asserts or _is_entry(each))]
        if counted and not _is_rewritten([each for each, _ in counted], come):
            counted, come = _without_renamed(counted, come)
        if counted and not _is_rewritten([each for each, _ in counted], come):
            is_edited = any(state is SubjectState.changed for _, state in counted)
            # New tests of the changed code, or a deprecation, may explain the deletion: report it without blocking.
            is_explained = (
                any(_is_about_the_change(each, subjects) for each in tests.new)
                or subjects.deprecates
                or subjects.reverts
                or not subjects.touches_source
            )
            most = Severity.warning if is_explained else Severity.error
            yield _finding(missing[0].read, [each for each, _ in counted], is_edited, most)


def _is_entry(new: SidedTest) -> bool:
    """Return whether a test is a row of a table, which asserts by the function of the table."""
    return new.test.code.lstrip().startswith(("Entry", "FEntry"))


def _has_a_twin(lost: SidedTest) -> bool:
    """Return whether the file still has a test of the same lines."""
    if lost.read.head_text is None or not lost.test.telling_lines:
        return False
    return any(test.telling_lines == lost.test.telling_lines for test in tests_in(lost.read.head, lost.read.file.path))


def _state_of(lost: SidedTest, subjects: Subjects) -> SubjectState:
    """Return the state of a test's subject; for a deleted file also by its imports and its name."""
    state = subjects.state_of(lost.test)
    is_whole = lost.read.file.status is FileStatus.deleted and state is not SubjectState.gone
    is_edited = is_whole and subjects.edited_file(lost.test, lost.read.file.path) is not None
    return SubjectState.changed if is_edited else state


def _is_about_the_change(new: SidedTest, subjects: Subjects) -> bool:
    """Return whether a new test asserts something of the edited code."""
    return bool(new.test.asserts) and subjects.edited_file(new.test, new.read.file.path) is not None


def _inherited(gone: Sequence[SidedTest], change: ChangeSet) -> frozenset[str]:
    """Return bare names of deleted Python tests that another test file still defines.

    An overridden test runs again as its base class defines it; only classes with a base class are considered.
    """
    wanted = {_bare(each) for each in gone if _has_a_base(each)}
    if not wanted:
        return frozenset()
    python = (path for path in change.head.paths if path.endswith(suffixes("python")))
    paths = [path for path in python if change.nature_of(path) is Nature.test]
    still: set[str] = set()
    for _, content in change.head.read_many(paths[:MOST_SEARCHED], LARGEST_BYTES):
        still |= wanted & set(re.findall(r"\bdef (test\w*)", decoded(content or b"")))
    return frozenset(still)


def _bare(placed: SidedTest) -> str:
    return placed.test.name.rpartition(".")[2]


def _has_a_base(placed: SidedTest) -> bool:
    """Return whether the class around a Python test has a base class that may hold tests."""
    around = placed.test.name.split(".")[:-1]
    if not around or not placed.read.file.path.endswith(suffixes("python")):
        return False
    header = re.search(
        rf"^[ \t]*class {re.escape(around[-1])}\(([^)]{{1,300}})\)", placed.test.source.code, re.MULTILINE
    )
    bases = {base.strip().rpartition(".")[2] for base in header[1].split(",")} if header else set()
    return bool(bases - {"TestCase", "object", "IsolatedAsyncioTestCase", "SimpleTestCase", "TransactionTestCase", ""})


def _without_renamed(lost: Sequence[_Judged], come: Sequence[SidedTest]) -> tuple[list[_Judged], list[SidedTest]]:
    """Return the deleted and the new tests without pairs of one place whose names differ in few words."""
    left, missing = list(come), []
    for each in lost:
        at = each[0].read.file.replaced_at(each[0].test.start, each[0].test.end) or 0
        there = (new for new in left if new.test.start <= at <= new.test.end)
        renamed = (new for new in there if _is_alike(name_parts(each[0].test.name), name_parts(new.test.name)))
        if (new := next(renamed, None)) is not None:
            left.remove(new)
        else:
            missing.append(each)
    return missing, left


def _is_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two names have as many words, and more than half of them in common at their places."""
    same = sum(one == other for one, other in zip(words, others, strict=False))
    return len(words) == len(others) and 2 * same > len(words)


def _is_rewritten(lost: Sequence[SidedTest], come: Sequence[SidedTest]) -> bool:
    """Return whether as many tests were added as removed, or they assert as much."""
    asserts_lost, asserts_come = (sum(len(each.test.asserts) for each in side) for side in (lost, come))
    return bool(come) and (len(come) >= len(lost) or asserts_come >= asserts_lost)


def _finding(read: ReadFile, lost: Sequence[SidedTest], is_edited: bool, most: Severity) -> Finding:
    names = listed([f"`{each.test.name}`" for each in lost], MOST_NAMED)
    number = "A test was" if len(lost) == 1 else f"{len(lost)} tests were"
    file_too = " with the whole file" if read.file.status is FileStatus.deleted else ""
    about = "they are about" if len(lost) > 1 else "it is about"
    why = f"; this change edits the code {about}" if is_edited else ""
    return finding(
        "deleted",
        most if is_edited else Severity.warning,
        (read.file.path, None if read.file.status is FileStatus.deleted else _place(read, lost[0])),
        f"{number} deleted{file_too}: {names}{why}",
        "Bring it back and make it pass, or say in the description what covers this now.",
        "deleted " + " ".join(sorted(each.test.name for each in lost)),
    )


def _place(read: ReadFile, lost: SidedTest) -> int | None:
    """Return the head's line before which the first deleted test was."""
    line = read.file.replaced_at(lost.test.start, lost.test.end)
    last = len((read.head_text or "").splitlines())
    return min(line, last) if line is not None and last else None
