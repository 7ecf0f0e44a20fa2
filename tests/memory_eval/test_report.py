"""What a report says of itself."""

from __future__ import annotations

import pytest

from tests.memory_eval.reports import report, result


@pytest.mark.parametrize(
    ("score", "asked", "is_below"),
    [
        (0.7, 0.7, False),
        (0.7 - 1e-16, 0.7, False),
        (0.699, 0.7, True),
        (0.0, 0.0, False),
        (0.1, None, False),
        (None, 0.7, False),
    ],
)
def test_a_score_is_below_another_as_people_read_it(score: float | None, asked: float | None, is_below: bool):
    assert report([result("q", score)]).is_below(asked) is is_below
