"""Cache of fetched packages, in the user's cache folder, for the next tree with exactly the same dependencies.

Only what was fetched without running code of a tree is cached (`Setup.fetch`), never a project itself, so that no
tree imports another one's code. The key covers all that decides an entry's content. Entries are written to a
temporary folder, renamed into place, read under a lock, and deleted when they are old or room is needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from assay.validators.vcs.trees import size_of

MOST_AGE_S = 7 * 24 * 3600.0
"""Unlocked requirements change: after a week they are fetched again."""

MOST_BYTES = 6 * 1024**3
MOST_ENTRIES = 40
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class _About:
    """Contents of an entry: folder name -> where its copy is in the entry."""

    made_at_s: float
    folders: Mapping[str, str]

    @property
    def is_old(self) -> bool:
        return time.time() - self.made_at_s > MOST_AGE_S


class PackageCache:
    """The cached folders below `home`, which is created; raises OSError where that fails."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._home = home

    def restore(self, key: str, place: Callable[[str], Path | None]) -> bool:
        """Copy the folders cached under `key` to where `place` puts each; return False if no whole copy exists."""
        entry = self._home / key
        with self._locked(key, exclusive=False) as held:
            about = _read_about(entry) if held else None
            if about is None or about.is_old:
                return False
            targets = {name: place(name) for name in about.folders}
            try:
                for name, kept in about.folders.items():
                    target = targets[name]
                    if target is None:
                        return False
                    _replace(entry / kept, target)
                os.utime(entry / _ABOUT)
            except OSError:
                return False
        return True

    def keep(self, key: str, folders: Mapping[str, Path]) -> bool:
        """Cache copies of the folders; return False if they are cached already or cannot be written."""
        entry = self._home / key
        about = _read_about(entry)
        if about is not None and not about.is_old:
            return False
        aside = self._home / f"new-{uuid.uuid4().hex}"
        try:
            aside.mkdir(parents=True, mode=0o700)
            kept = {name: str(number) for number, name in enumerate(sorted(folders))}
            for name, number in kept.items():
                shutil.copytree(folders[name], aside / number, symlinks=True)
            (aside / _ABOUT).write_text(json.dumps({"made_at_s": time.time(), "folders": kept}), "utf-8")
            self._put(key, aside, entry)
            self._make_room(self._home)
        except OSError:
            return False
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return True

    def forget(self, key: str) -> None:
        """Delete an entry that did not match its description."""
        with self._locked(key, exclusive=True) as held:
            if held:
                shutil.rmtree(self._home / key, ignore_errors=True)

    def _put(self, key: str, aside: Path, entry: Path) -> None:
        with self._locked(key, exclusive=True) as held:
            if held:
                shutil.rmtree(entry, ignore_errors=True)
                aside.rename(entry)

    @contextlib.contextmanager
    def _locked(self, key: str, *, exclusive: bool) -> Iterator[bool]:
        """Hold the entry's lock; yield False where another process holds it in a conflicting mode."""
        with (self._home / f"{key}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            except OSError:
                yield False
                return
            yield True

    def _make_room(self, home: Path) -> None:
        """Delete old entries, then the least recently used ones, until the rest is within the limits."""
        entries = sorted((entry for entry in home.iterdir() if (entry / _ABOUT).is_file()), key=_used_at_s)
        sizes = {entry: size_of(entry) for entry in entries}
        for entry in entries:
            about = _read_about(entry)
            within = sum(sizes.values()) <= MOST_BYTES and len(sizes) <= MOST_ENTRIES
            if about is not None and not about.is_old and within:
                continue
            with self._locked(entry.name, exclusive=True) as held:
                if held:
                    shutil.rmtree(entry, ignore_errors=True)
                    del sizes[entry]


def _replace(source: Path, target: Path) -> None:
    """Replace a path with a copy, completely or not at all."""
    aside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        shutil.copytree(source, aside, symlinks=True)
        if target.is_dir():
            shutil.rmtree(target)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _read_about(entry: Path) -> _About | None:
    """Return an entry's description; None if it is missing or damaged."""
    try:
        return TypeAdapter(_About).validate_json((entry / _ABOUT).read_bytes())
    except (OSError, ValueError):
        return None


def _used_at_s(entry: Path) -> float:
    try:
        return (entry / _ABOUT).stat().st_mtime
    except OSError:
        return 0.0
