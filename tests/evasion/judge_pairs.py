"""Validate many changes of one repository, and list those that stand better than they may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.validators.report.model import Tier
from assay.validators.vcs.repository import Repository
from tests.evasion.base_repository import BASE
from tests.evasion.changes import Change, commit_all
from tests.evasion.pairs import Pair
from tests.evasion.standing import Standing, judged, standing_of
from tests.repositories import RealRepository


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair, how it stands, and in which parts it is better than its payload alone."""

    pair: Pair
    standing: Standing
    better: str


def standings(folder: Path, changes: Sequence[Change], tiers: tuple[Tier, ...]) -> list[Standing]:
    """How each change stands, in order; one repository and one git process write them all."""
    repository = RealRepository(folder)
    base = repository.commit("Start", BASE)
    heads = commit_all(repository, base, changes)
    with Repository(folder) as opened:
        return [standing_of(judged(opened, base, head, tiers)) for head in heads]


def judged_pairs(
    folder: Path, payloads: Mapping[str, Change], pairs: Sequence[Pair], tiers: tuple[Tier, ...]
) -> list[Judged]:
    """Each pair beside its payload alone."""
    names = sorted({pair.payload for pair in pairs})
    alone = dict(zip(names, standings(folder / "alone", [payloads[name] for name in names], tiers), strict=True))
    found = standings(folder / "pairs", [pair.change for pair in pairs], tiers)
    return [
        Judged(pair, standing, standing.better_than(alone[pair.payload]))
        for pair, standing in zip(pairs, found, strict=True)
    ]
