"""Tests of demonstrated findings that a user may commit to the head with one click."""

from __future__ import annotations

import re

from assay.validators import MOST_TEST_LINES, Demonstration, ValidationReport, is_visible

MOST_BYTES = 20_000
"""Chosen limit per test file; Assay runs none that is larger."""
_PATH = re.compile(r"(?:[A-Za-z0-9_@-][A-Za-z0-9_@.-]*/)*[A-Za-z0-9_@-][A-Za-z0-9_@.-]*")


def committable_tests(report: ValidationReport) -> tuple[Demonstration, ...]:
    """Return the tests that the report shows whole, in files that are new, of findings that are not waived.

    A user commits what the report shows, so a test that is shortened or has invisible characters is left out.
    """
    if report.review is None:
        return ()
    waived = {one.finding_id for one in report.waivers}
    changed = {file["path"] for file in report.files}
    return tuple(
        one
        for one in report.review.demonstrations
        if one.finding not in waived and one.path not in changed and _is_committable(one)
    )


def _is_committable(test: Demonstration) -> bool:
    """Return whether it is shown whole, and its path has no hidden, absolute or parent folder."""
    is_whole = test.text.count("\n") < MOST_TEST_LINES and len(test.text.encode("utf-8", "replace")) <= MOST_BYTES
    return is_whole and is_visible(test.text) and _PATH.fullmatch(test.path) is not None
