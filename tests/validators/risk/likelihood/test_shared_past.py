"""What changes of one history share is what each would read by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.validators.changes.landed import LandedChange
from assay.validators.risk.likelihood import known
from assay.validators.risk.likelihood.assess import assess_likelihood
from assay.validators.risk.likelihood.known import SharedPast
from assay.validators.vcs import shared_history
from assay.validators.vcs.landed import RepositoryHistory
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from assay.validators.vcs.shared_history import HistoryBefore, Patches, SharedHistory
from tests.examples import sampled
from tests.validators.risk.likelihood.histories import steady, write_history

NUM_NEWEST = 12


def _before(repository: Repository, tip: str, shared: SharedHistory) -> HistoryBefore:
    return HistoryBefore(repository, tip, tip, tip, shared)


def _plain(repository: Repository, tip: str) -> RepositoryHistory:
    return RepositoryHistory(repository, tip, tip, tip)


@pytest.mark.parametrize("most", [1, 7, 30, 200])
def test_a_part_of_the_line_is_what_git_gives_for_its_tip(tmp_path: Path, most: int) -> None:
    ids = write_history(tmp_path / "r.git", steady(40))
    with Repository(tmp_path / "r.git") as repository:
        shared = SharedHistory(_plain(repository, ids[-1]), NUM_NEWEST)
        for tip in (*ids[-NUM_NEWEST:], ids[3]):
            assert _before(repository, tip, shared).landed(most) == _plain(repository, tip).landed(most)


@pytest.mark.parametrize("most_kept", [0, 40, 500_000])
def test_patches_are_those_of_git_however_many_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_kept: int
) -> None:
    monkeypatch.setattr(shared_history, "MOST_KEPT_LINES", most_kept)
    ids = write_history(tmp_path / "r.git", steady(40))
    with Repository(tmp_path / "r.git") as repository:
        shared = SharedHistory(_plain(repository, ids[-1]), NUM_NEWEST)
        for tip in (ids[-5], ids[-1], ids[-3]):
            changes = _plain(repository, tip).landed(20)
            given: Sequence[tuple[LandedChange, Patches]] = list(_before(repository, tip, shared).patches(changes))
            assert given == list(_plain(repository, tip).patches(changes))


@pytest.mark.parametrize(
    ("most_scored", "first_read", "num_measured"),
    sampled([(1000, 2000, 148), (60, 2000, 71), (60, 20, 71)], 1),
    ids=["the same window", "a moving window", "read in steps"],
)
def test_what_a_history_tells_is_the_same_for_changes_that_follow_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_scored: int, first_read: int, num_measured: int
) -> None:
    monkeypatch.setattr(known, "MOST_SCORED", most_scored)
    monkeypatch.setattr(known, "FIRST_READ", first_read)
    monkeypatch.setattr(known, "NUM_FOR_A_RATE", 5)
    ids = write_history(tmp_path / "r.git", steady(150))
    with Repository(tmp_path / "r.git") as repository:
        shared, past = SharedHistory(_plain(repository, ids[-1]), NUM_NEWEST), SharedPast()
        told = set()
        for base, head in zip(ids[-NUM_NEWEST - 1 : -1], ids[-NUM_NEWEST:], strict=True):
            change = read_change(repository, base, head)
            together = replace(change, history=HistoryBefore(repository, base, base, head, shared))
            assessed = assess_likelihood(together, shared=past)
            assert assessed == assess_likelihood(change)
            told.add(assessed.likelihood)
        assert len(told) > NUM_NEWEST // 2
        assert len(past._measured) == num_measured
