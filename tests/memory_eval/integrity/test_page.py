"""The page on integrity names every attack with its limit, and what it says of scores is true."""

from __future__ import annotations

import pytest

from tests.memory_eval.integrity.adversaries import attacks
from tests.memory_eval.integrity.page import noted, scores_of

NEAR = 0.02


def test_every_attack_is_on_the_page_with_its_limit_and_within_it():
    page = noted()
    assert list(page) == [name.replace("|", "\\|") for name in attacks()]
    for name, attack in attacks().items():
        scores, limit = page[name]
        assert limit == pytest.approx(attack.limit)
        assert attack.is_open or max(scores) <= limit


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_scores_on_the_page_are_those_measured():
    off = {}
    for name, attack in attacks().items():
        pairs = list(zip(noted()[name][0], scores_of(attack), strict=True))
        if any(abs(said - found) > NEAR for said, found in pairs):
            off[name] = pairs
    assert off == {}
