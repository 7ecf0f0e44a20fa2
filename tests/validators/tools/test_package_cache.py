from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path

import pytest

from assay.validators.tools.execution import package_cache
from assay.validators.tools.execution.package_cache import MOST_AGE_S, PackageCache


@pytest.fixture
def cache(tmp_path: Path) -> PackageCache:
    return PackageCache(tmp_path / "cache")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A folder of packages with a link in it."""
    folder = tmp_path / "one" / "env"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "tool").symlink_to("../lib/module.py")
    (folder / "lib").mkdir()
    (folder / "lib" / "module.py").write_text("x = 1\n")
    return folder


def test_what_was_kept_is_put_in_the_place_of_what_is_there(cache: PackageCache, environment: Path, tmp_path: Path):
    assert cache.keep("k", {"packages": environment})
    place = tmp_path / "two" / "env"
    place.mkdir(parents=True)
    (place / "stale").write_text("")
    assert cache.restore("k", lambda name: place)
    assert (place / "bin" / "tool").is_symlink()
    assert (place / "bin" / "tool").read_text() == "x = 1\n"
    assert not (place / "stale").exists()


def test_what_did_not_come_true_is_forgotten(cache: PackageCache, environment: Path, tmp_path: Path):
    cache.keep("k", {"e": environment})
    cache.forget("k")
    assert not cache.restore("k", lambda name: tmp_path / "x")
    assert cache.keep("k", {"e": environment})


def test_a_copy_does_not_reach_what_is_kept(cache: PackageCache, environment: Path, tmp_path: Path):
    cache.keep("k", {"e": environment})
    first, second = tmp_path / "first", tmp_path / "second"
    assert cache.restore("k", lambda name: first)
    (first / "lib" / "module.py").write_text("stolen\n")
    assert cache.restore("k", lambda name: second)
    assert (second / "lib" / "module.py").read_text() == "x = 1\n"


def test_another_key_has_nothing(cache: PackageCache, environment: Path, tmp_path: Path):
    cache.keep("k", {"e": environment})
    assert not cache.restore("other", lambda name: tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_place_that_is_refused_restores_nothing(cache: PackageCache, environment: Path):
    cache.keep("k", {"e": environment})
    assert not cache.restore("k", lambda name: None)


def test_what_is_old_is_fetched_anew(cache: PackageCache, environment: Path, tmp_path: Path, monkeypatch):
    cache.keep("k", {"e": environment})
    now = time.time()
    monkeypatch.setattr("assay.validators.tools.execution.package_cache.time.time", lambda: now + MOST_AGE_S + 1)
    assert not cache.restore("k", lambda name: tmp_path / "x")
    assert cache.keep("k", {"e": environment})
    assert cache.restore("k", lambda name: tmp_path / "x")


def test_an_entry_somebody_writes_is_left_alone(cache: PackageCache, environment: Path, tmp_path: Path):
    cache.keep("k", {"e": environment})
    with (tmp_path / "cache" / "k.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not cache.restore("k", lambda name: tmp_path / "x")


def test_the_cache_is_bounded_and_what_was_used_last_stays(
    cache: PackageCache, environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(package_cache, "MOST_ENTRIES", 2)
    for number in range(3):
        cache.keep(f"k{number}", {"e": environment})
        os.utime(tmp_path / "cache" / f"k{number}" / "about.json", (1000 + number, 1000 + number))
    cache.keep("k3", {"e": environment})
    assert sorted(path.name for path in (tmp_path / "cache").glob("k?")) == ["k2", "k3"]


def test_half_an_entry_is_none(cache: PackageCache, environment: Path, tmp_path: Path):
    cache.keep("k", {"e": environment})
    about = tmp_path / "cache" / "k" / "about.json"
    for broken in ("", "{", "[]", json.dumps({"made_at_s": "x", "folders": {}}), json.dumps({"folders": 3})):
        about.write_text(broken)
        assert not cache.restore("k", lambda name: tmp_path / "x")


def test_nothing_is_left_of_an_entry_that_could_not_be_written(cache: PackageCache, tmp_path: Path):
    assert not cache.keep("k", {"e": tmp_path / "missing"})
    assert [path.name for path in (tmp_path / "cache").iterdir() if not path.name.endswith(".lock")] == []
