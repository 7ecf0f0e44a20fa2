"""The commits of a pull request, brought to this machine: one bare mirror per repository, kept between runs.

    with mirrors.checkout("acme/app", 42, url, token, base_sha, head_sha, 7) as checkout:
        judge(checkout.repository, checkout.base, checkout.head)

A mirror is fetched into by one process at a time, read by many, and never removed while somebody has a checkout of it.
The token is handed to git in its environment, and is nowhere else.
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
from types import TracebackType
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
"""How long a checkout waits for another process that fetches into the same mirror."""
MOST_PACKS = 60


@dataclass(frozen=True, slots=True)
class MirrorLimits:
    """How much disk the mirrors may take: all together, and one; and how long one fetch may take."""

    total_bytes: int = 10 * 1024**3
    repository_bytes: int = 2 * 1024**3
    fetch_timeout_s: float = 900.0


@dataclass(slots=True)
class Checkout:
    """Base and head of a change in the bare repository at `repository`, held until `close`."""

    repository: Path
    base: str
    head: str
    _use: FileLock | None = field(default=None, repr=False)

    def close(self) -> None:
        """Say that the mirror is not read any more."""
        if self._use is not None:
            self._use.release()
            Path(self._use.lock_file).unlink(missing_ok=True)
            self._use = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Mirrors:
    """The mirrors below `root`, one for each repository id."""

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
        base_sha: str,
        head_sha: str,
        number: int | None = None,
        *,
        settings_sha: str | None = None,
        everything: bool = False,
    ) -> Checkout:
        """Base and head, with the contents judging reads (`everything`: those a command may read, too).

        `number` is the pull request's, which finds the head of a fork; `settings_sha` is the commit whose configuration
        is in force, where that is not the base. Raises `CheckoutFailed`.
        """
        if not all(is_commit_id(sha) for sha in (base_sha, head_sha, settings_sha or base_sha)):
            raise CheckoutFailed("base and head have to be full commit ids")
        if repository_id <= 0 or (number is not None and number <= 0):
            raise CheckoutFailed("repository and pull request have to be numbers of GitHub's")
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        wanted = _Wanted(
            self._mirror(repository_id),
            clone_url,
            token,
            base_sha,
            head_sha,
            settings_sha or base_sha,
            number,
            everything,
            self._local,
        )
        try:
            with self._locked(repository_id, LOCK_TIMEOUT_S):
                self._bring(repository_id, wanted)
                use = self._use(repository_id)
        except Timeout:
            raise CheckoutFailed(f"{full_name}: another fetch has held its mirror for too long") from None
        except ValidatorError as error:
            raise CheckoutFailed(f"{full_name}: {error}") from None
        except OSError as error:
            raise CheckoutFailed(f"{full_name}: its mirror cannot be kept: {error.strerror or error}") from None
        self._evict(repository_id)
        return Checkout(wanted.mirror.folder, base_sha, head_sha, use)

    def distrust(self, repository_id: int) -> None:
        """Have the mirror made anew before it is used again: reading it showed damage."""
        with contextlib.suppress(OSError):
            self._path(repository_id, "distrusted").touch()

    def forget(self, repository_id: int) -> bool:
        """Remove the mirror of a repository we have no business with any more; False where it is in use."""
        return self._removed(repository_id)

    def kept(self) -> tuple[int, ...]:
        """The ids of the repositories there is a mirror of."""
        return tuple(sorted(self._ids()))

    def size_bytes(self) -> int:
        """The room all mirrors take together."""
        return sum(self._mirror(one).size_bytes() for one in self._ids())

    def _bring(self, repository_id: int, wanted: _Wanted) -> None:
        distrusted = self._path(repository_id, "distrusted")
        is_new = distrusted.exists() or not wanted.mirror.is_sound
        if is_new:
            wanted.mirror.make(num_hex=len(wanted.head))
            distrusted.unlink(missing_ok=True)
        try:
            wanted.bring()
        except RemoteRefused:
            raise
        except CouldNotRun as error:
            # It may be damaged, or full of what was fetched over the years: a new one tells.
            if is_new or _is_networks_fault(error) or self._in_use(repository_id):
                raise
            wanted.mirror.make(num_hex=len(wanted.head))
            wanted.bring()
        if wanted.mirror.num_packs > MOST_PACKS and not self._in_use(repository_id):
            wanted.mirror.repack()

    def _use(self, repository_id: int) -> FileLock:
        """Mark the mirror as in use by a lock that the system takes back when this process dies."""
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
        """Remove the mirrors that were not used for longest, until the rest fits; never one that is in use."""
        sizes = {one: self._mirror(one).size_bytes() for one in self._ids()}
        total = sum(sizes.values())
        for one in sorted(sizes, key=self._used_at_s):
            if total <= self.limits.total_bytes:
                return
            if one != keep and self._removed(one):
                total -= sizes[one]

    def _removed(self, repository_id: int) -> bool:
        try:
            with self._locked(repository_id, 0):
                if self._in_use(repository_id):
                    return False
                self._mirror(repository_id).remove()
                shutil.rmtree(self._path(repository_id, "uses"), ignore_errors=True)
                return True
        except Timeout:
            return False

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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What one checkout asks for."""

    mirror: Mirror
    url: str
    token: str | None = field(repr=False)
    base: str
    head: str
    settings: str
    number: int | None
    everything: bool
    local: bool

    def bring(self) -> None:
        """Fetch commits and contents that are not here yet."""
        remote = Remote(self.url, _header(self.token), local=self.local)
        if not self.mirror.has(self._ends):
            self._commits(remote)
        self.mirror.fetch_contents(remote, self.base, self.head, settings=self.settings, everything=self.everything)

    @property
    def _ends(self) -> tuple[str, ...]:
        return (self.base, self.head, self.settings)

    def _commits(self, remote: Remote) -> None:
        place = f"refs/assay/{self.number or 0}"
        try:
            ends = zip(dict.fromkeys(self._ends), ("base", "head", "settings"), strict=False)
            self.mirror.fetch(remote, [f"+{sha}:{place}/{name}" for sha, name in ends])
        except RemoteRefused as error:
            if not error.is_absent:
                raise
            # A server that gives no commit by its id gives it by the names it stands under.
            names = ["+refs/heads/*:refs/assay/heads/*"]
            names += [f"+refs/pull/{self.number}/head:{place}/head"] if self.number else []
            self.mirror.fetch(remote, names)
        if not self.mirror.has(self._ends):
            raise RemoteRefused(("fetch",), 0, "base or head is not there any more", is_absent=True)


def _header(token: str | None) -> str | None:
    if not token:
        return None
    if not token.isprintable() or " " in token:
        raise CheckoutFailed("the token is no token")
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
