"""Clone cache: one bare repository per GitHub repository, kept between runs.

    with mirrors.checkout("acme/app", 42, url, token, Wanted(base_sha, head_sha, 7)) as checkout:
        validate(checkout.repository, checkout.base, checkout.head)

One process at a time fetches into a clone, many read it, and it is never removed while it has an open checkout. The
token is passed to git in its environment only.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from assay.github.errors import CheckoutFailed
from assay.validators import (
    CouldNotRun,
    Mirror,
    Remote,
    RemoteRefused,
    TooLarge,
    ValidatorError,
    is_commit_id,
)

LOCK_TIMEOUT_S = 1200.0
"""Seconds a checkout waits for another process that fetches into the same clone."""
MOST_PACKS = 60


@dataclass(frozen=True, slots=True)
class MirrorLimits:
    """Limits of the clone cache: disk space in total and per clone, and seconds per fetch."""

    total_bytes: int = 10 * 1024**3
    repository_bytes: int = 2 * 1024**3
    fetch_timeout_s: float = 900.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Commits to fetch: base and head, and the one with the configuration if it is not the base.

    `number` is that of the pull request, needed for the head of a fork. With `everything` the contents that only
    commands read are fetched too.
    """

    base: str
    head: str
    number: int | None = None
    settings: str | None = None
    everything: bool = False

    @property
    def commits(self) -> tuple[str, str, str]:
        """Base, head and configuration."""
        return self.base, self.head, self.settings or self.base


@dataclass(slots=True)
class Checkout:
    """Base and head of a change in the bare repository at `repository`, held until `close`."""

    repository: Path
    base: str
    head: str
    _use: FileLock | None = field(default=None, repr=False)

    def close(self) -> None:
        """Release the clone."""
        if self._use is not None:
            self._use.release()
            Path(self._use.lock_file).unlink(missing_ok=True)
            self._use = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Mirrors:
    """Clones below `root`, one per repository id."""

    def __init__(self, root: Path, limits: MirrorLimits | None = None, *, local: bool = False) -> None:
        self.root = root.absolute()
        self.limits = limits or MirrorLimits()
        self._local = local

    def checkout(
        self,
        full_name: str,
        repository_id: int,
        clone_url: str,
        token: str | None,
        wanted: Wanted,
    ) -> Checkout:
        """Fetch the commits with the contents a validation reads.

        Args:
            full_name: the repository as owner/name, for messages.
            repository_id: GitHub's id of the repository.
            clone_url: its URL for git.
            token: token that can read its contents.
            wanted: the commits.

        Raises:
            CheckoutFailed: the commits could not be fetched.
        """
        if not all(is_commit_id(sha) for sha in wanted.commits):
            raise CheckoutFailed("base and head must be full commit ids", code="checkout.not-a-commit-id")
        if repository_id <= 0 or (wanted.number is not None and wanted.number <= 0):
            raise CheckoutFailed("repository id and pull request number must be positive")
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            remote = Remote(clone_url, _header(token), local=self._local)
            with self._locked(repository_id, LOCK_TIMEOUT_S):
                self._bring(repository_id, remote, wanted)
                use = self._use(repository_id)
        except Timeout:
            raise CheckoutFailed(
                f"{full_name}: another fetch has locked its clone for too long", code="checkout.locked"
            ) from None
        except ValidatorError as error:
            raise CheckoutFailed(f"{full_name}: {error}") from None
        except OSError as error:
            raise CheckoutFailed(f"{full_name}: its clone cannot be stored: {error.strerror or error}") from None
        self._evict(repository_id)
        return Checkout(self._mirror(repository_id).folder, wanted.base, wanted.head, use)

    def distrust(self, repository_id: int) -> None:
        """Mark a damaged clone, so that the next use recreates it."""
        with contextlib.suppress(OSError):
            self._path(repository_id, "distrusted").touch()

    def forget(self, repository_id: int) -> bool:
        """Remove the clone of a repository; return False if it is in use."""
        try:
            with self._locked(repository_id, 0):
                if self._in_use(repository_id):
                    return False
                self._mirror(repository_id).remove()
                shutil.rmtree(self._path(repository_id, "uses"), ignore_errors=True)
                return True
        except Timeout:
            return False

    def kept(self) -> tuple[int, ...]:
        """Return the ids of cloned repositories."""
        return tuple(sorted(self._ids()))

    def size_bytes(self) -> int:
        """Return the size of all clones."""
        return sum(self._mirror(one).size_bytes() for one in self._ids())

    def _bring(self, repository_id: int, remote: Remote, wanted: Wanted) -> None:
        mirror, distrusted = self._mirror(repository_id), self._path(repository_id, "distrusted")
        is_new = distrusted.exists() or not mirror.is_sound
        if is_new:
            mirror.make(num_hex=len(wanted.head))
            distrusted.unlink(missing_ok=True)
        try:
            _fetch(mirror, remote, wanted)
        except RemoteRefused:
            raise
        except CouldNotRun as error:
            # The clone may be damaged, or over its size limit through old fetches: a new one shows which.
            if is_new or _is_networks_fault(error) or self._in_use(repository_id):
                raise
            mirror.make(num_hex=len(wanted.head))
            _fetch(mirror, remote, wanted)
        if mirror.num_packs > MOST_PACKS and not self._in_use(repository_id):
            mirror.repack()

    def _use(self, repository_id: int) -> FileLock:
        """Mark the clone as in use with a lock that the system releases when this process dies."""
        folder = self._path(repository_id, "uses")
        folder.mkdir(mode=0o700, exist_ok=True)
        use = FileLock(folder / uuid.uuid4().hex)
        use.acquire(timeout=0)
        os.utime(folder)
        return use

    def _in_use(self, repository_id: int) -> bool:
        folder = self._path(repository_id, "uses")
        for path in folder.iterdir() if folder.is_dir() else ():
            with contextlib.suppress(OSError):
                lock = FileLock(path)
                try:
                    lock.acquire(timeout=0)
                except Timeout:
                    return True
                lock.release()
                path.unlink(missing_ok=True)
        return False

    def _evict(self, keep: int) -> None:
        """Remove the least recently used clones until the rest fits; keep clones in use."""
        sizes = {one: self._mirror(one).size_bytes() for one in self._ids()}
        total = sum(sizes.values())
        for one in sorted(sizes, key=self._used_at_s):
            if total <= self.limits.total_bytes:
                return
            if one != keep and self.forget(one):
                total -= sizes[one]

    def _used_at_s(self, repository_id: int) -> float:
        try:
            return self._path(repository_id, "uses").stat().st_mtime
        except OSError:
            return 0.0

    def _ids(self) -> Iterator[int]:
        for path in self.root.glob("*.git"):
            if path.stem.isdigit():
                yield int(path.stem)

    def _mirror(self, repository_id: int) -> Mirror:
        return Mirror(self._path(repository_id, "git"), self.limits.repository_bytes, self.limits.fetch_timeout_s)

    def _path(self, repository_id: int, suffix: str) -> Path:
        return self.root / f"{repository_id}.{suffix}"

    def _locked(self, repository_id: int, timeout_s: float) -> contextlib.AbstractContextManager[object]:
        return FileLock(self._path(repository_id, "lock")).acquire(timeout=timeout_s)


def _fetch(mirror: Mirror, remote: Remote, wanted: Wanted) -> None:
    """Fetch missing commits and contents."""
    if not mirror.has(wanted.commits):
        _fetch_commits(mirror, remote, wanted)
    mirror.fetch_contents(remote, wanted.base, wanted.head, settings=wanted.commits[2], everything=wanted.everything)


def _fetch_commits(mirror: Mirror, remote: Remote, wanted: Wanted) -> None:
    place = f"refs/assay/{wanted.number or 0}"
    try:
        ends = zip(dict.fromkeys(wanted.commits), ("base", "head", "settings"), strict=False)
        mirror.fetch(remote, [f"+{sha}:{place}/{name}" for sha, name in ends])
    except RemoteRefused as error:
        if not error.is_absent:
            raise
        # Some servers do not serve commits by id, only by ref.
        names = ["+refs/heads/*:refs/assay/heads/*"]
        names += [f"+refs/pull/{wanted.number}/head:{place}/head"] if wanted.number else []
        mirror.fetch(remote, names)
    if not mirror.has(wanted.commits):
        raise RemoteRefused(0, "base or head no longer exists", is_absent=True)


def _header(token: str | None) -> str | None:
    if not token:
        return None
    if not token.isprintable() or " " in token:
        raise CheckoutFailed("the token contains invalid characters")
    return f"Authorization: Basic {base64.b64encode(f'x-access-token:{token}'.encode()).decode()}"


def _is_networks_fault(error: CouldNotRun) -> bool:
    words = (
        "could not resolve",
        "failed to connect",
        "connection",
        "timed out",
        "took too long",
        "error: 5",
        "error: 429",
    )
    return not isinstance(error, TooLarge) and any(word in str(error).lower() for word in words)
