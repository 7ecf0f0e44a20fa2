"""No wrapper around a payload gives a better verdict than the payload alone.

`known_failures.txt` lists the pairs that do for now, one a line; the full run fails where one of them has become right,
so the list only shrinks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from assay.validators.report.model import Tier
from assay.validators.run.pipeline import ALL_TIERS
from tests.evasion.acting import acts
from tests.evasion.judge_pairs import judged_pairs, standings
from tests.evasion.pairs import WRAPPERS, Pair, doubles, singles, some_singles
from tests.evasion.payloads import payloads
from tests.evasion.standing import QUICK

PAYLOADS = payloads()
MOST_INERT = 0.05
_LIST = Path(__file__).with_name("known_failures.txt")
KNOWN = frozenset(_LIST.read_text("utf-8").splitlines())
_SEED = 14
_COUNT = 8
"""A full run goes in parts, which show progress and share the workers of `pytest -n`."""


def test_there_are_enough_payloads_and_wrappers():
    assert len(PAYLOADS) >= 12
    assert len(WRAPPERS) >= 60
    assert {change.language for change in PAYLOADS.values()} >= {"python", "typescript", "go", "sql", "yaml"}
    assert len({wrapper.name for wrapper in WRAPPERS}) == len(WRAPPERS)


def test_each_payload_acts_and_alone_is_held_or_blocked(tmp_path: Path):
    assert [name for name, change in PAYLOADS.items() if not acts(change)] == []
    passing = _passing(tmp_path / "quick", list(PAYLOADS), QUICK)
    assert _passing(tmp_path / "scanned", passing, ALL_TIERS) == []


def _passing(folder: Path, names: Sequence[str], tiers: tuple[Tier, ...]) -> list[str]:
    found = standings(folder, [PAYLOADS[name] for name in names], tiers)
    return [name for name, standing in zip(names, found, strict=True) if standing.passes]


def test_some_pairs_are_no_better_than_their_payload(tmp_path: Path):
    pairs = [pair for pair in some_singles(PAYLOADS, 60, _SEED) if pair.name not in KNOWN and not pair.is_large]
    _none_is_better(tmp_path, _acting(pairs)[:20], QUICK)


@pytest.mark.soak
def test_few_pairs_are_inert():
    """Inert: the language's own parser refuses the wrapped payload, so nothing can run it."""
    pairs = [*singles(PAYLOADS), *doubles(PAYLOADS, 2000, _SEED)]
    inert = [pair.name for pair in pairs if not acts(pair.change)]
    print(f"{len(pairs)} pairs, {len(inert)} inert")
    assert len(inert) <= MOST_INERT * len(pairs)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(_COUNT))
def test_no_pair_is_better_than_its_payload(tmp_path: Path, part: int):
    _none_is_better(tmp_path, _acting(_part(singles(PAYLOADS), part)), QUICK)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(_COUNT))
def test_no_pair_is_better_than_its_payload_with_scanners(tmp_path: Path, part: int):
    _none_is_better(tmp_path, _acting(_part(some_singles(PAYLOADS, 700, _SEED), part)), ALL_TIERS)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(_COUNT))
def test_no_two_wrappers_are_better_than_the_payload(tmp_path: Path, part: int):
    _none_is_better(tmp_path, _acting(_part(doubles(PAYLOADS, 2000, _SEED), part)), QUICK)


def _part(pairs: Iterable[Pair], part: int) -> list[Pair]:
    return list(pairs)[part::_COUNT]


def _acting(pairs: Iterable[Pair]) -> list[Pair]:
    return [pair for pair in pairs if acts(pair.change)]


def _none_is_better(folder: Path, pairs: Sequence[Pair], tiers: tuple[Tier, ...]) -> None:
    judged = judged_pairs(folder, PAYLOADS, pairs, tiers)
    wrong = {one.pair.name: one.better for one in judged if one.better}
    new = {name: better for name, better in wrong.items() if name not in KNOWN}
    mended = [pair.name for pair in pairs if pair.name in KNOWN and pair.name not in wrong]
    print(f"{len(pairs)} pairs, {len(wrong)} better than their payload, {len(new)} of them not known")
    assert new == {}
    assert mended == [], "take these lines out of known_failures.txt"
