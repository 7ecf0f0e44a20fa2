"""Changed source without changed tests, in a repository that has tests."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from assay.validators.changes.change import ChangedFile, shown
from assay.validators.changes.classify import TEST_FOLDER, Nature
from assay.validators.changes.language_table import Kind, is_in, of_kind
from assay.validators.graph.moved_code import moved_code
from assay.validators.graph.symbols import quiet_lines
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.both_sides import TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import tests_in
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, adds_code
from assay.validators.report.answers import MIGRATIONS
from assay.validators.report.model import Finding, Severity
from assay.validators.wording import listed

MOST_NAMED = 3
_CODE = of_kind(Kind.code)
_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$")


def untested(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding if code was added or changed, not only deleted, no test did, and the base has tests."""
    files = subjects.change.files
    if tests.files or any(file.nature is Nature.test or TEST_FOLDER.search(file.path) for file in files):
        return
    change = subjects.change
    changed = [each for each in subjects.edited_sources if adds_code(each) and _has_tests(each.file)]
    moved = moved_code(change).head if changed and len(change.files) > 1 else {}
    changed = [each for each in changed if _adds_more(each, moved.get(each.file.path, frozenset()))]
    has_tests = any(is_in(path, _CODE) and change.nature_of(path) is Nature.test for path in change.base.paths)
    if not changed or not has_tests or any(map(_edits_its_own_tests, changed)):
        return
    named = listed([shown(each.file.path) for each in changed], MOST_NAMED)
    advice = "Add a test that fails without this change, or say in the description why none is needed."
    said = f"Source changed and no test did: {named}"
    yield finding("untested", Severity.info, ("", None), said, advice, "untested")


def _has_tests(file: ChangedFile) -> bool:
    """Return whether such a file may have separate tests: declarations, migrations and examples seldom do."""
    return not (file.is_example or _DECLARATIONS.search(file.path) or MIGRATIONS.search(file.path))


def _adds_more(read: ReadFile, moved: Collection[int]) -> bool:
    """Return whether an added line of code is outside the definitions that only moved to this file."""
    quiet = quiet_lines(read.file.path, read.head_text or "") if moved else None
    return quiet is None or any(line not in moved and line not in quiet for line in read.file.added)


def _edits_its_own_tests(read: ReadFile) -> bool:
    """Return whether the change edits tests inside a source file, as in Rust."""
    return any(read.file.touches(test.start, test.end) for test in tests_in(read.head, read.file.path))
