"""Test integrity: tests, thresholds and pipelines that the change weakens instead of fixing the code.

Coding agents often make a failing test pass at any cost, so weakening a test whose subject the same change edits is
an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.quality.inputs.changed_texts import read_files
from assay.validators.quality.rule import QualityContext
from assay.validators.quality.test_integrity.bent_results import bent
from assay.validators.quality.test_integrity.deleted import deleted
from assay.validators.quality.test_integrity.mocked import mocked
from assay.validators.quality.test_integrity.pipelines import relaxed
from assay.validators.quality.test_integrity.skipped import skipped
from assay.validators.quality.test_integrity.snapshots import rewritten
from assay.validators.quality.test_integrity.test_code.both_sides import TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import COVERED
from assay.validators.quality.test_integrity.test_code.subjects import Subjects
from assay.validators.quality.test_integrity.thresholds import lowered
from assay.validators.quality.test_integrity.untested import untested
from assay.validators.quality.test_integrity.weakened import weakened
from assay.validators.report.model import Finding
from assay.validators.report.unknown import NotChecked, Question


class TestIntegrity:
    """Rule `test_integrity`."""

    __test__ = False

    name = "test_integrity"
    answers = Question.test_integrity
    covers = COVERED

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield losses in tests, in their thresholds and in the pipelines that run them."""
        read = tuple(read_files(context.change, Nature.source, Nature.test, Nature.config))
        tests = TestsOfChange(read)
        subjects = Subjects(context.change, read)
        for each in tests.files:
            if (each.file.exists and each.head_text is None) or not each.has_base:
                yield NotChecked(f"the tests in {shown(each.file.path)}", "the file is over 1 MB")
        parts: tuple[tuple[str, Callable[[], Iterator[Finding | NotChecked]]], ...] = (
            ("deleted", lambda: deleted(tests, subjects)),
            ("weakened", lambda: weakened(tests, subjects)),
            ("skipped", lambda: skipped(tests, subjects)),
            ("mocked", lambda: mocked(tests, subjects)),
            ("threshold", lambda: lowered(read)),
            ("bent", lambda: bent(read)),
            ("pipeline", lambda: relaxed(context.change, read)),
            ("snapshots", lambda: rewritten(context.change, subjects)),
            ("untested", lambda: untested(tests, subjects)),
        )
        for part, look in parts:
            if context.deadline.passed:
                yield NotChecked(f"{self.name}.{part}", "the tier ran out of time before it ran")
            else:
                yield from look()
