"""What is not shown is counted once, wherever it was left out."""

from __future__ import annotations

import pytest

from assay.validators.render.evidence import shown_of
from assay.validators.report.model import Evidence


def places(number: int, *more: Evidence) -> tuple[Evidence, ...]:
    return (*(Evidence("imports it", f"f{each}.py") for each in range(number)), *more)


@pytest.mark.parametrize(
    ("evidence", "num_shown", "num_left"),
    [
        (places(0), 0, 0),
        (places(6), 6, 0),
        (places(7), 6, 1),
        (places(20, Evidence("and 2980 more")), 6, 2994),
        (places(2, Evidence("and 3 more")), 2, 3),
        (places(2, Evidence("and 3 more", "a file of that name")), 3, 0),
    ],
)
def test_shown_and_left_out_add_up(evidence: tuple[Evidence, ...], num_shown: int, num_left: int):
    shown, left = shown_of(evidence, 6)
    assert (len(shown), left) == (num_shown, num_left)
