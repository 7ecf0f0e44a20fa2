"""The builder other tests stand on does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import RealRepository


def test_the_same_steps_give_the_same_commit_ids(tmp_path: Path):
    heads = set()
    for name in ("one", "two"):
        repository = RealRepository(tmp_path / name)
        repository.commit("Start", {"app.py": "x = 1\n"})
        heads.add(repository.commit("Change x", {"app.py": "x = 2\n"}))
    assert len(heads) == 1


def test_a_branch_and_its_merge_are_in_the_history(repository: RealRepository):
    repository.commit("Start", {"a.txt": "a\n"})
    repository.branch("topic")
    repository.commit("Topic", {"b.txt": "b\n"})
    repository.switch("main")
    repository.merge("topic")
    assert repository.git("log", "--format=%s").splitlines() == ["Merge", "Topic", "Start"]


def test_names_that_are_not_utf8_survive(repository: RealRepository):
    repository.write(b"caf\xe9\n.txt", "x")
    repository.commit()
    assert repository.git("ls-tree", "-z", "--name-only", "HEAD") == "caf\udce9\n.txt\0"


def test_the_surrounding_git_configuration_is_not_read(repository: RealRepository, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    repository.commit()
    assert repository.git("log", "--format=%an") == "Ada Author\n"
