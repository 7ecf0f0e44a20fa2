"""Tests of a change before and after: kept, removed, added, moved and renamed ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import FileKind, FileStatus
from assay.validators.changes.classify import Nature, is_named_as_test
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, tests_in

SAME_FROM = 0.5
"""Share of common lines from which two tests count as one that was renamed or moved."""

MOST_COMPARED = 20_000


@dataclass(frozen=True, slots=True)
class Kept:
    """Test on both sides."""

    read: ReadFile
    before: FoundTest
    after: FoundTest


@dataclass(frozen=True, slots=True)
class SidedTest:
    """Test on one side, and its file."""

    read: ReadFile
    test: FoundTest


@dataclass(frozen=True)
class TestsOfChange:
    """Every test in a changed test file."""

    __test__ = False

    read: tuple[ReadFile, ...]

    @cached_property
    def files(self) -> list[ReadFile]:
        """The changed files with tests, or in test folders."""
        return [
            each
            for each in self.read
            if Nature.test in (each.file.nature, each.file.claimed) and each.file.kind is FileKind.text
        ]

    @cached_property
    def kept(self) -> list[Kept]:
        """Tests on both sides, including moved and renamed ones."""
        return self._sorted_out[0]

    @cached_property
    def gone(self) -> list[SidedTest]:
        """Tests of the base that no file of the head has under any name."""
        return self._sorted_out[1]

    @cached_property
    def new(self) -> list[SidedTest]:
        """Tests the change adds."""
        return self._sorted_out[2]

    @cached_property
    def _sorted_out(self) -> tuple[list[Kept], list[SidedTest], list[SidedTest]]:
        kept: list[Kept] = []
        gone: list[SidedTest] = []
        new: list[SidedTest] = []
        for each in self.files:
            before = tests_in(each.base, each.file.base_path or each.file.path) if each.base_text is not None else []
            after = tests_in(each.head, each.file.path) if each.head_text is not None else []
            if each.file.base_path is not None and each.base_text is None:
                continue  # too large to read: its tests are unknown
            pairs, left, come = _by_name(before, after)
            kept += [Kept(each, *pair) for pair in pairs]
            gone += [SidedTest(each, test) for test in left]
            new += [SidedTest(each, test) for test in come]
        own = {each.file.path for each in self.files}
        # A test that moves to a file with a test's name, but in a folder of other people's code, is not deleted.
        elsewhere = [
            SidedTest(each, test)
            for each in self.read
            if gone and each.file.path not in own and each.file.status is FileStatus.added
            if is_named_as_test(each.file.path)
            for test in tests_in(each.head, each.file.path)
        ]
        moved, gone, new = _moved(gone, new + elsewhere)
        return kept + moved, gone, [each for each in new if each.read.file.path in own]


def _by_name(
    before: Sequence[FoundTest], after: Sequence[FoundTest]
) -> tuple[list[tuple[FoundTest, FoundTest]], list[FoundTest], list[FoundTest]]:
    waiting: dict[str, list[FoundTest]] = defaultdict(list)
    for test in before:
        waiting[test.name].append(test)
    pairs, new = [], []
    for test in after:
        same = waiting[test.name]
        if same:
            pairs.append((same.pop(0), test))
        else:
            new.append(test)
    return pairs, [test for group in waiting.values() for test in group], new


def _moved(gone: list[SidedTest], new: list[SidedTest]) -> tuple[list[Kept], list[SidedTest], list[SidedTest]]:
    """Pair removed and added tests with the same bare name or mostly the same lines, those of one file first."""
    moved: list[Kept] = []
    waiting, left = list(new), list(gone)
    budget = MOST_COMPARED
    for is_near in (True, False):
        for old in list(left):
            near = [each for each in waiting if not is_near or each.read is old.read]
            bare = old.test.name.rpartition(".")[2]
            partner = next((each for each in near if each.test.name.rpartition(".")[2] == bare), None)
            if partner is None:
                budget -= len(near)
                partner = _most_alike(old, near) if budget > 0 else None
            if partner is not None:
                left.remove(old)
                waiting.remove(partner)
                moved.append(Kept(partner.read, old.test, partner.test))
    return moved, left, waiting


def _most_alike(old: SidedTest, new: Sequence[SidedTest]) -> SidedTest | None:
    best, best_share = None, SAME_FROM
    lines = old.test.telling_lines
    for each in new:
        other = each.test.telling_lines
        share = len(lines & other) / max(1, min(len(lines), len(other)))
        if share >= best_share:
            best, best_share = each, share
    return best
