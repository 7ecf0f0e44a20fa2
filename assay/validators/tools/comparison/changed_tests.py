"""The base's version of edited tests, run on the head: failures show which expectations the change altered.

A test edited together with the code it covers proves only that the two agree. These results are advisory.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, shown
from assay.validators.report.model import Finding, Outcome, Severity, ToolKind
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.commands.test_files import TEST_FILES, below_path, with_files
from assay.validators.tools.comparison.compared import test_name
from assay.validators.tools.execution.attempt import Attempt, attempt
from assay.validators.tools.execution.workplace import Workplace
from assay.validators.tools.readers.output import finding
from assay.validators.tools.tool import Ended, Reading, Task, TestId
from assay.validators.vcs.trees import read_regular
from assay.validators.wording import listed

SHARE_OF_TIME = 0.2
"""Share of the tier's time for these runs; the rest is for the head's own tests."""

MOST_FILES = 50
LARGEST_BYTES = 2 * 1024 * 1024
RULE = "changed_expectation"
_WRITES = count()


@dataclass(frozen=True, slots=True)
class Rerun:
    """Results of the base's tests on the head, and the seconds they took."""

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    duration_s: float = 0.0


def rerun_changed_tests(
    change: ChangeSet, tried: Sequence[tuple[Task, Attempt]], workplace: Workplace, limit_s: float
) -> Rerun:
    """Run the base's version of edited test files in a checkout of the head, then restore the files."""
    findings: list[Finding] = []
    notes: list[NotChecked] = []
    used_s = 0.0
    for task, went, files in _to_run(change, tried):
        narrowed = with_files(task, [file.path for file in files])
        if narrowed is None:
            continue
        if used_s >= limit_s:
            notes.append(NotChecked(_what(files), f"{SHARE_OF_TIME:.0%} of the tier's time was used up"))
            continue
        old = {file.path: change.base.read(file.base_path or file.path, LARGEST_BYTES) for file in files}
        with _replaced(workplace, {path: content for path, content in old.items() if content is not None}) as done:
            if not done:
                continue
            again = attempt(narrowed, workplace, limit_s - used_s)
        used_s += again.duration_s
        found = list(_expectations(again.reading, went.reading, done))
        findings += found
        if not again.reading.looked or not again.reading.tests:
            why = again.reading.reason or again.reason or "its output could not be read"
            notes.append(NotChecked(_what(files), f"they cannot be run on the head: {why}"))
    return Rerun(tuple(findings), tuple(notes), used_s)


def _to_run(
    change: ChangeSet, tried: Sequence[tuple[Task, Attempt]]
) -> Iterator[tuple[Task, Attempt, list[ChangedFile]]]:
    """Return each test command that ran on the head and names its tests, with the edited test files it accepts."""
    edited = [
        file
        for file in change.files
        if file.status is FileStatus.modified and file.kind is FileKind.text and file.base_blob and file.removed
    ]
    seen: set[str] = set()
    for task, went in tried:
        tool, _ = tool_of(task)
        ran = went.outcome in (Outcome.passed, Outcome.failed) and bool(went.reading.tests)
        pattern = TEST_FILES.get(tool.name)
        if task.kind is not ToolKind.test or not ran or pattern is None:
            continue
        files = [
            file
            for file in edited
            if pattern.search(file.path) and file.path not in seen and below_path(file.path, task.directory) is not None
        ]
        seen |= {file.path for file in files}
        if files:
            yield task, went, files[:MOST_FILES]


@contextmanager
def _replaced(workplace: Workplace, contents: Mapping[str, bytes]) -> Iterator[frozenset[str]]:
    """Replace files of the tree temporarily; yield those that could be replaced."""
    before: dict[str, bytes] = {}
    try:
        for path, content in contents.items():
            known = read_regular(str(workplace.root / path), LARGEST_BYTES)
            if known is not None and write_file(workplace, path, content):
                before[path] = known
        yield frozenset(before)
    finally:
        for path, content in before.items():
            write_file(workplace, path, content)


def write_file(workplace: Workplace, path: str, content: bytes) -> bool:
    """Replace a path with a new regular file; return False if a link leads out of the tree or writing fails.

    No two writes have the same time of change: Python takes a compiled file for current if the size and the second of
    its source are the same, and tests of the same size may follow each other within a second.
    """
    if workplace.folder(path.rpartition("/")[0] or ".") is None:
        return False
    target = workplace.root / path
    try:
        target.unlink(missing_ok=True)
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644), "wb") as file:
            file.write(content)
        stamp = time.time() + next(_WRITES)
        os.utime(target, (stamp, stamp), follow_symlinks=False)
    except OSError:
        return False
    return True


def _expectations(base: Reading, head: Reading, files: frozenset[str]) -> Iterator[Finding]:
    """Return tests that fail in the base's version and pass in the head's or are missing there."""
    said = {(found.file, found.context): found for found in base.findings}
    messages = list(said.values())
    for test, ended in base.tests.items():
        # A file that cannot be collected appears in the list of its tests.
        is_unknown = test not in head.tests and not base.looked
        if ended is not Ended.failed or is_unknown or head.tests.get(test) in (Ended.failed, Ended.skipped):
            continue
        own = next((found for found in messages if _is_about(found, test)), None)
        file = own.file if own is not None and own.file in files else next(iter(sorted(files)))
        why = own.message.partition(": ")[2] or own.message if own is not None else "it fails"
        gone = "" if test in head.tests else "; the change has no test of this name"
        message = f"the base's version of {test_name(test)} fails on the head: {why}{gone}"
        place = (file, own.line if own is not None else None)
        yield finding(own.tool or "" if own else "", RULE, message, place, Severity.info, context=test_name(test))


def _is_about(found: Finding, test: TestId) -> bool:
    last = re.split(r"::| > ", test[1])[-1]
    return last in found.context or last in found.message


def _what(files: Sequence[ChangedFile]) -> str:
    return f"the base's version of {listed([shown(file.path) for file in files], 3)} on the head"
