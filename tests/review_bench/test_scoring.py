"""A finding counts where the fault is: in the hunk, near the label, also where the head has no line of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.identity import identified
from assay.validators.report.model import Finding, QualityResult, Severity, Tier
from assay.validators.report.review import ModelReview, QuotedLines, ReviewedPlace, Side
from assay.validators.run.pipeline import report_on
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.preparing import prepare
from tests.review_bench.bench.results import ModelPart
from tests.review_bench.bench.scoring import REACH, model_part
from tests.review_bench.conftest import Known

LONG = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(20))
GUARDED = "def share(total, num):\n    if num == 0:\n        return 0\n    return total / num\n"
UNGUARDED = "def share(total, num):\n    return total / num\n"


def scored(known: Known, row: dict[str, Any], path: str, line: int | None, quote: str) -> ModelPart:
    """The score of a report with one finding of the model: at a line of the head, or with a quote of the base."""
    with Repository(known.repository.path) as repository:
        (entry,) = known.with_rows(row).entries
        prepared = prepare(repository, entry)
        finding = Finding(
            Tier.quality, Severity.warning, "review.correctness", path, "wrong", line, context=f"f: {quote}"
        )
        findings = identified([finding])
        report = report_on(prepared.change, ValidationConfig(), (None, QualityResult(findings=findings), None))
        review = ModelReview(
            "m", places=(ReviewedPlace(findings[0].id, "f", quote, QuotedLines(Side.head, path, quote), ""),)
        )
        part = model_part(prepared, entry.kind, replace(report, review=review))
        assert part is not None
        return part


@pytest.mark.parametrize(
    ("line", "quote", "found"),
    [
        (9, "def step_2():", True),
        (9 + REACH, "return 4", True),
        (10 + REACH, "return 4", False),
        (None, "def step_2():", False),
    ],
)
def test_in_a_new_file_a_finding_counts_near_the_label_alone(known: Known, line: int | None, quote: str, found: bool):
    commit = known.repository.commit("Add steps", {"app/steps.py": LONG})
    label = {"side": "head", "path": "app/steps.py", "start": 9, "end": 9}
    row = {"id": "steps", "kind": "bug_introducing", "commit": commit, "fix": commit, "labels": [label]}
    part = scored(known, row, "app/steps.py", line, quote)
    assert (part.found, part.num_elsewhere, part.num_invented) == (found, int(not found), 0)


@pytest.mark.parametrize(
    ("quote", "found", "invented"),
    [
        ("if num == 0: return 0", True, 0),
        ("return 0", True, 0),
        ("def share(total, num):", False, 0),
        ("return 1", False, 1),
        ("", False, 1),
    ],
)
def test_removed_lines_are_found_by_their_quote(known: Known, quote: str, found: bool, invented: int):
    known.repository.commit("Add shares", {"app/share.py": UNGUARDED})
    commit = known.repository.commit("Fix shares of nothing", {"app/share.py": GUARDED})
    label = {"side": "base", "path": "app/share.py", "start": 2, "end": 3}
    row = {
        "id": "share",
        "kind": "reversed_fix",
        "commit": commit,
        "sources": ["app/share.py"],
        "tests": ["tests/test_share.py"],
        "shown_by": [],
        "labels": [label],
        "verified": False,
    }
    part = scored(known, row, "app/share.py", None, quote)
    assert (part.found, part.num_invented) == (found, invented)
