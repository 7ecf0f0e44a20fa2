"""What the past tells is read from git once, and is the same as without what was kept."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.validators.changes.landed import History, LandedChange
from assay.validators.configuration.model import ValidationConfig
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.likelihood import replay
from assay.validators.risk.likelihood.assess import LikelihoodSignal
from assay.validators.risk.likelihood.kept_past import KeptPast, PatchFacts
from assay.validators.vcs.landed import RepositoryHistory
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.examples import sampled
from tests.validators.risk.likelihood.histories import Commit, history_of, steady, write_history

NUM_NEWEST = 12


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of what is kept, which does not exist yet."""
    monkeypatch.delenv("ASSAY_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "assay" / "history.sqlite"


@pytest.mark.parametrize(
    ("most_scored", "read_at_once"),
    sampled([(60, 7), (1000, 1000), (60, 1000)], 1),
    ids=["read in steps", "all changes", "a moving window"],
)
def test_changes_that_follow_each_other_are_told_the_same_with_and_without_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path, most_scored: int, read_at_once: int
) -> None:
    monkeypatch.setattr(replay, "MOST_SCORED", most_scored)
    monkeypatch.setattr(replay, "READ_AT_ONCE", read_at_once)
    monkeypatch.setattr(replay, "NUM_FOR_A_RATE", 5)
    ids = write_history(tmp_path / "r.git", steady(150))
    told = set()
    config = ValidationConfig()
    with Repository(tmp_path / "r.git") as repository:
        for base, head in zip(ids[-NUM_NEWEST - 1 : -1], ids[-NUM_NEWEST:], strict=True):
            change = read_change(repository, base, head)
            kept = assess_risk(change, config, signals=[LikelihoodSignal()])
            with monkeypatch.context() as without:
                without.setenv("ASSAY_NO_CACHE", "1")
                assert assess_risk(change, config, signals=[LikelihoodSignal()]) == kept
            told.add(kept.likelihood)
    assert len(told) > NUM_NEWEST // 2
    assert file.is_file()


def test_what_is_kept_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    commits = [*steady(20), Commit({"a.py": "x = 1\n"}, "Side", parents=(3,), author="bob@example.org")]
    write_history(tmp_path / "r.git", commits)
    with Repository(tmp_path / "r.git") as repository:
        first = _told(history_of(repository))
        asked: list[int] = []
        real_changes, real_patches = RepositoryHistory.changes, RepositoryHistory.patches

        def changes(history: RepositoryHistory, ids: Sequence[str]) -> list[LandedChange]:
            asked.append(len(ids))
            return real_changes(history, ids)

        def patches(history: RepositoryHistory, some: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, Any]]:
            asked.append(len(some))
            return real_patches(history, some)

        monkeypatch.setattr(RepositoryHistory, "changes", changes)
        monkeypatch.setattr(RepositoryHistory, "patches", patches)
        assert _told(history_of(repository)) == first
    assert asked == [0, 0]
    with sqlite3.connect(file) as database:
        database.execute("UPDATE changes SET found = '[1]' WHERE rowid = 3")
        database.execute("UPDATE patches SET found = x'00' WHERE rowid = 5")
    database.close()
    with Repository(tmp_path / "r.git") as repository:
        assert _told(history_of(repository)) == first
    assert asked[2:] == [1, 1]


def test_what_a_shallow_clone_lacks_is_not_kept_as_missing(tmp_path: Path, file: Path) -> None:
    write_history(tmp_path / "r.git", steady(20))
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--bare", "--depth", "8", f"file://{tmp_path}/r.git", str(shallow)], check=True
    )
    with Repository(shallow) as repository:
        assert len(_told(history_of(repository))) == 8
    with Repository(tmp_path / "r.git") as repository:
        told = _told(history_of(repository))
    assert len(told) == 20
    assert all(change.files and patch is not None and patch.files for change, patch in told[1:])


def _told(history: History) -> list[tuple[LandedChange, PatchFacts | None]]:
    past = KeptPast(history)
    return list(past.patches(past.changes(history.line(100)[::-1])))
