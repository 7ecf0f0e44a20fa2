"""Tests that ran on the base and are missing or skipped on the head.

The test integrity rule covers tests that the change itself removes or skips. A test missing from a file the change
leaves alone was lost for another reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import ChangedFile, ChangeSet, decoded
from assay.validators.changes.language_table import suffixes
from assay.validators.tools.tool import Ended, Reading, TestId
from assay.validators.wording import listed, plural

MOST_NAMED = 20
_RETRIES = re.compile(r"(?i)retr(?:y|ies)|rerun|flaky")


@dataclass(frozen=True)
class Lost:
    """Tests that ran on the base: `gone` are missing on the head, `skipped` exist there and did not run."""

    gone: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """A one-line summary; None if no test is lost."""
        parts = []
        if self.gone:
            num = plural(len(self.gone), "test of the base is", "tests of the base are")
            parts.append(f"{num} not run: {listed(self.gone, MOST_NAMED)}")
        if self.skipped:
            num = plural(len(self.skipped), "test that ran on the base is", "tests that ran on the base are")
            parts.append(f"{num} skipped: {listed(self.skipped, MOST_NAMED)}")
        return "; ".join(parts) or None


def test_name(test: TestId) -> str:
    """Return a test's display name: `tests/test_cart.py::test_total`."""
    return "::".join(part for part in test if part)


def lost_tests(head: Reading, base: Reading, change: ChangeSet) -> Lost:
    """Return the base's tests that the head does not run although the change did not remove them."""
    if head.tests and base.tests:
        return _ByName(head, base, change).lost()
    before, after = _num_known(base), _num_known(head)
    if before is not None and after is not None and after < before and not _edits_tests(change):
        return Lost(gone=tuple(f"test {number}" for number in range(before - after)))
    return Lost()


def hidden(head: Reading, base: Reading, change: ChangeSet) -> str | None:
    """Return why a successful run does not count as a pass compared with the base; None if it does."""
    if base.has_results and not head.has_results:
        why = head.reason or "its results cannot be read"
        return f"{why}; on the base {_num(base)} ran"
    if base.tests and not head.tests:
        return f"its results name no test; on the base {_num(base)} are named"
    if base.looked and base.has_results and not head.looked:
        return f"its results cannot be read ({head.reason}); on the base they can"
    if base.is_reported and not head.is_reported:
        return "the report its runner writes is missing or damaged; on the base it is whole"
    if head.num_retried > 0 and not base.num_retried and _adds_retries(change):
        return f"tests pass only when run again ({head.num_retried} retries); on the base none is"
    return lost_tests(head, base, change).reason


@dataclass(frozen=True)
class _ByName:
    """A comparison where both sides name every test."""

    head: Reading
    base: Reading
    change: ChangeSet

    def lost(self) -> Lost:
        before = Counter(self._there(_function(test)) for test, ended in self.base.tests.items() if ended.ran)
        after = Counter(_function(test) for test in self.head.tests)
        gone = [test for test, num in before.items() if after[test] < num and not self._takes_out(test)]
        skipped = [
            test
            for was, ended in self.base.tests.items()
            if ended.ran and self.head.tests.get(test := self._there(was)) is Ended.skipped and not self._edited(test)
        ]
        return Lost(tuple(map(test_name, gone)), tuple(map(test_name, skipped)))

    def _there(self, test: TestId) -> TestId:
        """Return the test's name on the head, following a renamed file."""
        return self._renamed.get(test[0], test[0]), test[1]

    @cached_property
    def _renamed(self) -> dict[str, str]:
        files = self.change.files
        return {file.base_path: file.path for file in files if file.base_path and file.base_path != file.path}

    def _edited(self, test: TestId) -> bool:
        """Return whether the change edits the test's file; without a known file, one that mentions the test."""
        if test[0]:
            return any(_stands_in(file, test[0]) for file in self.change.files)
        return any(file.exists and self._has(file, _token(test[1])) for file in self.change.files)

    def _takes_out(self, test: TestId) -> bool:
        """Return whether the change removes the test from its file."""
        place, name = test
        token = _token(name)
        files = [file for file in self.change.files if _stands_in(file, place)]
        if place.rpartition(".")[2] in _SOURCES:
            return any(not file.exists or not self._has(file, token) for file in files)
        taken = any(_speaks(file.removed.values(), token) for file in files)
        return taken and not any(_speaks(file.added.values(), token) for file in files)

    def _has(self, file: ChangedFile, token: str) -> bool:
        return token in decoded(self.change.head.read(file.path) or b"")


_SOURCES = frozenset(
    suffix[1:]
    for suffix in suffixes(*"python javascript jsx typescript tsx java kotlin ruby php csharp go rust".split())
)


def _token(name: str) -> str:
    """Return the part of a test's name to search its file for."""
    return re.split(r"::| > |/|\s", name)[0 if "/" in name and "::" not in name else -1] or name


def _stands_in(file: ChangedFile, place: str) -> bool:
    """Return whether a changed file holds a test, is in its Go package, or could hold it (place unknown)."""
    paths = {file.path, file.base_path}
    if not place:
        return True
    return place in paths or any(path and path.rpartition("/")[0] == place.removeprefix("./") for path in paths)


def _speaks(lines: Iterable[str], token: str) -> bool:
    pattern = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)")
    return any(pattern.search(line[:2000]) for line in lines)


def _function(test: TestId) -> TestId:
    """Return the test's name without its parameters."""
    return test[0], test[1].partition("[")[0]


def _adds_retries(change: ChangeSet) -> bool:
    """Return whether the change adds retries: with retries, a test may be flaky by design."""
    return any(_RETRIES.search(line[:2000]) for file in change.files for line in file.added.values())


def _edits_tests(change: ChangeSet) -> bool:
    """Return whether the change removes lines from a possible test file."""
    return any(file.removed and re.search(r"(?i)test|spec", file.base_path or file.path) for file in change.files)


def _num_known(reading: Reading) -> int | None:
    counts = reading.counts
    known = [number for number in (counts.passed, counts.failed, counts.errors) if number is not None]
    return sum(known) if counts.passed is not None else None


def _num(reading: Reading) -> str:
    num = sum(ended.ran for ended in reading.tests.values()) or (reading.counts.passed or 0) + (
        reading.counts.failed or 0
    )
    return plural(num, "test")
