"""Wrappers make no harmless change look harmful."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.evasion.acting import acts
from tests.evasion.benign import benign
from tests.evasion.judge_pairs import judged_pairs, standings
from tests.evasion.pairs import Pair, singles, some_singles
from tests.evasion.standing import QUICK

BENIGN = benign()
MOST_HELD = 0.02
_SEED = 14
_OWN_REASON = (
    "with-assay-",
    "with-deep-",
    "with-nul-",
    "with-broken-",
    "with-slow-",
    "with-huge-",
    "padded-before-5300k",
    "among-reformatted",
    "utf32",
    "utf16le",
    "utf16be",
    "linked",
    "comment-bidi",
)
"""Wrappers that add a reason of their own: a loosened gate, source nobody can read, or text that reads otherwise."""


def test_harmless_changes_pass_alone(tmp_path: Path):
    found = standings(tmp_path, list(BENIGN.values()), QUICK)
    assert len(BENIGN) >= 20
    assert [name for name, standing in zip(BENIGN, found, strict=True) if not standing.passes] == []


def test_some_wrapped_harmless_changes_pass(tmp_path: Path):
    pairs = [pair for pair in _fitting(some_singles(BENIGN, 60, _SEED)) if len(pair.change.entry.data) < 200_000]
    _few_are_held(tmp_path, pairs[:8])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(8))
def test_wrapped_harmless_changes_pass(tmp_path: Path, part: int):
    _few_are_held(tmp_path, _fitting(list(singles(BENIGN))[part::8]))


def _fitting(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that are still harmless: a module that moves away from `shop/admin.py`, which imports it, breaks it."""
    return [
        pair
        for pair in pairs
        if acts(pair.change)
        and not pair.wrappers[0].startswith(_OWN_REASON)
        and pair.change.files.get("shop/orders.py", pair.change.entry) is not None
    ]


def _few_are_held(folder: Path, pairs: Sequence[Pair]) -> None:
    judged = judged_pairs(folder, BENIGN, pairs, QUICK)
    held = [one.pair.name for one in judged if not one.standing.passes]
    print(f"{len(pairs)} harmless pairs, {len(held)} held or blocked ({len(held) / len(pairs):.1%}): {held}")
    assert len(held) <= MOST_HELD * len(pairs)
