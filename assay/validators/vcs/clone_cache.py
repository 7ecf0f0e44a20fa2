"""Bare clone cache that fetches the commits to validate, and only the contents a validation reads.

Commits and trees come with their history, file contents only for the trees that are read (a partial clone, where the
other side can make one). Nothing of the repository runs: no hook, no filter, no submodule, no helper, no protocol but
the address's own, and no redirect is followed, since a credential would travel along. git gets the credential
in its environment, bound to the address's host; it is on no command line, in no file, and in no message.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from assay.validators.changes.change import shown
from assay.validators.errors import CouldNotRun, GitFailed, ObjectMissing, RemoteRefused, TooLarge, UsageError
from assay.validators.io.process import Completed
from assay.validators.vcs.git_command import run_git
from assay.validators.vcs.landed import past_contents
from assay.validators.vcs.repository import Repository
from assay.validators.vcs.trees import size_of

FETCH_TIMEOUT_S = 900.0
MOST_BLOBS = 300_000
"""Maximum files in the trees of one change; a larger tree is rejected."""
MOST_OUTPUT = 64 * 1024 * 1024

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ABSENT = re.compile(r"not our ref|couldn't find remote ref|no such remote ref|unadvertised object", re.IGNORECASE)
_NO_ACCESS = re.compile(
    r"error: (401|403|404)|authentication failed|could not read username|repository .* not found", re.IGNORECASE
)
_REDIRECT = re.compile(r"unable to (update url base|access).*redirect|error: 30[1278]", re.IGNORECASE)
_UNREAD = re.compile(
    r"\.(png|jpe?g|gif|bmp|ico|webp|avif|tiff?|psd|svgz|mp[34]|m4[av]|mov|avi|webm|mkv|wav|ogg|flac|woff2?|ttf|otf|eot"
    r"|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|whl|nupkg|exe|dll|so|dylib|a|o|bin|dat|pdf|docx?|xlsx?|pptx?|npz|npy"
    r"|parquet|onnx|pt|safetensors|sqlite|db|iso|dmg)",
    re.IGNORECASE,
)
"""Suffixes of files no analyzer reads; fetched only if the change touches them."""


@dataclass(frozen=True, slots=True)
class Remote:
    """Source of commits: an http(s) URL without a credential, and the header that carries one.

    `local` allows a `file://` address: for tests and measurements.
    """

    url: str
    header: str | None = field(default=None, repr=False)
    local: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        allowed = ("http", "https", "file") if self.local else ("http", "https")
        if parts.scheme not in allowed or parts.username or parts.password or not self.url.isprintable():
            raise CouldNotRun(
                "commits are fetched from http(s) addresses that carry no credential", code="checkout.invalid-address"
            )

    @property
    def settings(self) -> tuple[str, ...]:
        """Return git's settings for the command line."""
        scheme = urlsplit(self.url).scheme
        return (
            f"remote.origin.url={self.url}",
            "remote.origin.promisor=true",
            "remote.origin.partialclonefilter=blob:none",
            f"protocol.{scheme}.allow=always",
            "http.followRedirects=false",
            "http.lowSpeedLimit=1000",
            "http.lowSpeedTime=60",
            "http.emptyAuth=false",
            "fetch.unpackLimit=1",
        )

    def environment(self, home: Path) -> dict[str, str]:
        """Return git's environment, with an empty home so that no `.netrc` adds a credential."""
        env = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "GIT_ASKPASS": "false", "SSH_ASKPASS": "false"}
        if self.header is None:
            return env
        parts = urlsplit(self.url)
        return {
            **env,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{parts.netloc}/.extraHeader",
            "GIT_CONFIG_VALUE_0": self.header,
        }


@dataclass(frozen=True, slots=True)
class Mirror:
    """Bare repository in `folder`; `limit_bytes` is its maximum size on disk."""

    folder: Path
    limit_bytes: int
    timeout_s: float = FETCH_TIMEOUT_S

    def make(self, *, num_hex: int = 40) -> None:
        """Create it empty, replacing an existing one. `num_hex` is the length of its object ids."""
        self.remove()
        self.folder.mkdir(mode=0o700, parents=True)
        form = "sha256" if num_hex == 64 else "sha1"
        done = self._run(("init", "-q", "--bare", "--template=", f"--object-format={form}", str(self.folder)))
        if not done.ok:
            raise GitFailed(("init",), done.returncode, _text(done.stderr))

    def remove(self) -> None:
        """Delete it from disk."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def is_sound(self) -> bool:
        """Return whether git accepts it as a bare repository."""
        if not (self.folder / "HEAD").is_file():
            return False
        done = self._run(("--git-dir", str(self.folder), "rev-parse", "--is-bare-repository"))
        return done.ok and done.stdout.strip() == b"true"

    def size_bytes(self) -> int:
        """Return its size on disk."""
        return size_of(self.folder)

    def has(self, commits: Iterable[str]) -> bool:
        """Return whether it has all these commits."""
        names = "".join(f"{commit}^{{commit}}\n" for commit in commits).encode()
        with Repository(self.folder) as seen:
            answers = seen.good("cat-file", "--batch-check=%(objecttype)", stdin=names).splitlines()
        return all(answer == b"commit" for answer in answers)

    def fetch(self, remote: Remote, refspecs: Sequence[str]) -> None:
        """Fetch commits with their history and trees. Raises `RemoteRefused`, `TooLarge` or `GitFailed`."""
        self._fetch(remote, ("--filter=blob:none", "origin", *refspecs))

    def fetch_contents(
        self, remote: Remote, base: str, head: str, *, settings: str | None = None, everything: bool = False
    ) -> int:
        """Fetch, in one request, the contents a validation reads; return their number.

        These are the trees of the merge base and the head, the changed files, the source files of past changes, and the
        settings at `base` and at the commit `settings`. Raises what `fetch` and `merge_base` raise.
        """
        with Repository(self.folder) as seen:
            wanted = tuple(_wanted(seen, base, head, settings, everything=everything))
            missing = seen.missing(wanted)
        if not missing:
            return 0
        if len(missing) > MOST_BLOBS:
            raise TooLarge(f"the trees of this change hold {len(missing)} files; the limit is {MOST_BLOBS}")
        names = "".join(f"{name}\n" for name in missing).encode()
        self._fetch(remote, ("--filter=blob:none", "--stdin", "origin"), names, ("fetch.negotiationAlgorithm=noop",))
        with Repository(self.folder) as seen:
            left = seen.missing(missing)
        if left:
            raise RemoteRefused(0, f"{len(left)} objects are missing from the answer", is_absent=True)
        return len(missing)

    def repack(self) -> None:
        """Merge the packs of many fetches into one; concurrent readers still find every object."""
        settings = ("repack.writeBitmaps=false", "remote.origin.promisor=true", "remote.origin.url=nowhere")
        done = self._run(("--git-dir", str(self.folder), "repack", "-a", "-d", "-q"), settings=settings)
        if not done.ok:
            raise GitFailed(("repack",), done.returncode, _text(done.stderr))

    @property
    def num_packs(self) -> int:
        """Return the number of packs: one per fetch since the last repack."""
        return len(list((self.folder / "objects" / "pack").glob("*.pack")))

    def _fetch(
        self, remote: Remote, arguments: Sequence[str], stdin: bytes | None = None, more: Sequence[str] = ()
    ) -> None:
        home = self.folder / "no-home"
        home.mkdir(exist_ok=True)
        done = self._run(
            (
                *("--git-dir", str(self.folder), "fetch", "--no-tags", "--no-write-fetch-head", "--progress"),
                *("--recurse-submodules=no", "--no-auto-maintenance", "--force", *arguments),
            ),
            stdin=stdin,
            extra=remote.environment(home),
            settings=(*remote.settings, *more),
            on_output=self._guarded,
        )
        self._guarded(b"")
        if not done.ok:
            raise _refusal(done)

    def _guarded(self, _: bytes) -> None:
        """Raise `TooLarge` if a fetch exceeds the size limit; called on each progress line of git."""
        if self.size_bytes() > self.limit_bytes:
            raise TooLarge(
                f"the repository takes more than {self.limit_bytes // 1024 // 1024} MiB on disk",
                code="checkout.too-large",
            )

    def _run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes | None = None,
        extra: dict[str, str] | None = None,
        settings: Sequence[str] = (),
        on_output: Callable[[bytes], None] | None = None,
    ) -> Completed:
        return run_git(
            arguments,
            cwd=self.folder,
            timeout_s=self.timeout_s,
            output_limit=MOST_OUTPUT,
            stdin=stdin,
            extra=extra,
            settings=settings,
            on_output=on_output,
        )


def is_commit_id(text: str) -> bool:
    """Return whether this is a full object id, which git cannot take for an option or a path."""
    return _COMMIT.fullmatch(text) is not None


def holds_change(repository: Repository, base: str, head: str, settings: str | None = None) -> bool:
    """Return whether a local repository has every object that validating these two commits reads.

    A shallow clone never has: without the full history the merge base can be wrong.
    """
    if (repository.shadow / "shallow").exists():
        return False
    try:
        return not repository.missing(_wanted(repository, base, head, settings, everything=True))
    except (UsageError, GitFailed, ObjectMissing):
        return False


def _wanted(seen: Repository, base: str, head: str, settings: str | None = None, *, everything: bool) -> Iterator[str]:
    """Yield the objects a validation reads."""
    merge_base = seen.merge_base(base, head)
    yield from past_contents(seen, merge_base)
    raw = seen.good("diff-tree", "-r", "-z", "--no-renames", "--raw", merge_base, head)
    for record in raw.split(b"\0"):
        if record.startswith(b":"):
            modes_and_ids = record[1:].split()
            yield from (
                name.decode()
                for mode, name in zip(modes_and_ids[:2], modes_and_ids[2:4], strict=True)
                if mode[:2] in (b"10", b"12")
            )
    for tree in (merge_base, head):
        yield from (blob for path, blob in _blobs(seen, tree) if everything or not _is_unread(path))
    for commit in {base, settings or base} - {merge_base}:
        yield from (blob for path, blob in _blobs(seen, commit) if _is_of_settings(path))


def _blobs(seen: Repository, treeish: str) -> Iterator[tuple[bytes, str]]:
    """Yield (path, object id) of the regular files of a tree."""
    for record in seen.good("ls-tree", "-r", "-z", "--full-tree", treeish).split(b"\0"):
        meta, _, path = record.partition(b"\t")
        if meta[:2] == b"10":
            yield path, meta.split()[2].decode()


def _is_of_settings(path: bytes) -> bool:
    """Return whether a file may be configuration or rules: at the root, in `.github/`, or YAML."""
    is_near = b"/" not in path or path.startswith(b".github/") or path.endswith((b".yml", b".yaml"))
    return is_near and not _is_unread(path)


def _is_unread(path: bytes) -> bool:
    return _UNREAD.fullmatch(os.path.splitext(os.fsdecode(path))[1]) is not None


def _refusal(done: Completed) -> CouldNotRun:
    """Return the error in fixed words; git's own may quote untrusted text of the server."""
    said, code = _text(done.stderr), done.returncode
    if done.timed_out:
        return GitFailed(("fetch",), None, "it took too long")
    if _ABSENT.search(said):
        return RemoteRefused(code, "the commit no longer exists there", is_absent=True)
    if _REDIRECT.search(said):
        return RemoteRefused(code, "the address redirects to another one, which is not followed", is_absent=False)
    if _NO_ACCESS.search(said):
        return RemoteRefused(code, "access refused, or no such repository", is_absent=False)
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))]
    return GitFailed(("fetch",), code, shown(lines[-1][:300]) if lines else "no message")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r", "\n")
