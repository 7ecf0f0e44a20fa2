"""Git repository opened for reading without running anything the repository configures.

A repository's configuration, attributes, filters and hooks are untrusted. So Assay reads through a *shadow*: a separate
empty bare repository that borrows the objects of the real one (`objects/info/alternates`) and has none of its
settings. The real git directory is only asked what a name means, with everything that could start a program switched
off.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

# Otherwise the import fails without git on PATH; so the first git process of a command fails instead.
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
import git as gitpython

from assay.validators.changes.change import CommitInfo
from assay.validators.errors import (
    GitFailed,
    NoCommits,
    NotARepository,
    ObjectMissing,
    ShallowHistory,
    UnknownRevision,
    UnrelatedHistories,
)
from assay.validators.io import process
from assay.validators.vcs.git_command import GIT_TIMEOUT_S, empty_repository, run_git
from assay.validators.vcs.object_reader import ObjectReader
from assay.validators.vcs.trees import FolderTree, ObjectTree

BIG_FILE_BYTES = 5 * 1024 * 1024
"""Bytes; a larger file is compared as a whole, never line by line (`core.bigFileThreshold` of the shadow)."""

MOST_COMMITS = 250
DIFF_LIMIT_BYTES = 512 * 1024 * 1024
MOST_CONFIG_BYTES = 1024 * 1024
"""Bytes; a larger settings file is left to git."""
WORKTREE = "WORKTREE"
"""Name of the uncommitted work, accepted as a head revision."""

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Repository:
    """Git repository opened for reading, as a context manager; `close` removes the shadow.

    Raises `NotARepository` if `path` is not inside one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            found = gitpython.Repo(path, search_parent_directories=True)
        except (gitpython.InvalidGitRepositoryError, gitpython.NoSuchPathError, OSError, ValueError):
            raise NotARepository(os.fspath(path)) from None
        # `working_tree_dir` obeys core.worktree, which the repository sets: take the folder that holds .git instead.
        # A copied git directory may lack core.bare.
        top = _top_of(Path(path).resolve())
        self.is_bare = found.working_tree_dir is None or top is None
        self.git_dir = Path(found.git_dir)
        self.common_dir = Path(found.common_dir)
        found.close()
        self.root = self.git_dir if self.is_bare or top is None else top
        self._temporary = tempfile.TemporaryDirectory(prefix="assay-git-", ignore_cleanup_errors=True)
        self.shadow = Path(self._temporary.name, "shadow.git")
        self.objects = ObjectReader(self.shadow)
        try:
            self._make_shadow()
        except BaseException:
            self._temporary.cleanup()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the reading process and remove the shadow."""
        self.objects.close()
        self._temporary.cleanup()

    @property
    def is_shallow(self) -> bool:
        """Whether commits were cut off when the repository was cloned."""
        return (self.shadow / "shallow").exists()

    def resolve(self, revision: str, role: str = "revision") -> str:
        """Return the full id of the commit a revision names; raises `UnknownRevision` or `NoCommits`."""
        if "\0" in revision:
            raise UnknownRevision(revision, role)
        if _ID.fullmatch(revision) and self.objects.has_commit(revision):
            return revision
        done = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        if done.returncode != 0:
            self._check_born(revision)
            raise UnknownRevision(revision, role, is_shallow=self.is_shallow)
        return done.stdout.decode().strip().splitlines()[-1]

    def _check_born(self, revision: str) -> None:
        """Raise `NoCommits` if a revision is unknown because the repository has no commits yet."""
        if not self.ask("for-each-ref", "--count=1").stdout.strip():
            raise NoCommits(None)
        branch = self.ask("symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()
        if revision == "HEAD" and branch:
            raise NoCommits(branch)

    def remote_url(self) -> str:
        """Return the URL of the remote `origin`, or ""."""
        return self.ask("config", "--get", "remote.origin.url").stdout.decode("utf-8", "replace").strip()

    def branch_of(self, revision: str) -> str | None:
        """Return a branch's short name if the revision is one; None for a full id."""
        if _ID.fullmatch(revision):
            return None
        done = self.ask("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", revision)
        name = done.stdout.decode("utf-8", "surrogateescape").strip() if done.returncode == 0 else ""
        return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else None

    def merge_base(self, base: str, head: str) -> str:
        """Return the newest common commit; raise `ShallowHistory` or `UnrelatedHistories` if there is none."""
        done = self._git("merge-base", base, head)
        if done.returncode == 0:
            return done.stdout.decode().split()[0]
        # git also exits with 1 where it could not read a commit.
        if done.returncode != 1 or b"error: " in done.stderr:
            self._missing_or_failed(("merge-base",), done)
        if self.is_shallow:
            raise ShallowHistory(base[:12], head[:12])
        raise UnrelatedHistories(base[:12], head[:12])

    def parent_of(self, commit: str) -> str | None:
        """Return the first parent, or None for a root commit; raise `ShallowHistory` if the clone ends before it."""
        done = self._git("rev-parse", "--verify", "--quiet", f"{commit}^1^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
        if self.is_shallow:
            raise ShallowHistory(f"{commit[:12]}~1", commit[:12])
        return None

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the objects among these full ids that the clone lacks; an id of zeros names none."""
        wanted = tuple(dict.fromkeys(name for name in names if set(name) != {"0"}))
        asked = "".join(f"{name}\n" for name in wanted).encode()
        answers = self.good("cat-file", "--batch-check=%(objecttype)", "--buffer", stdin=asked).split(b"\n")
        return tuple(name for name, answer in zip(wanted, answers, strict=False) if answer.endswith(b" missing"))

    def empty_tree(self) -> str:
        """Return the id of the tree with no files."""
        return self.good("mktree", stdin=b"").decode().strip()

    def tree(self, treeish: str, name: str | None = None) -> ObjectTree:
        """Return the regular files of a commit or tree, given by its id or by a revision's name."""
        if not _ID.fullmatch(treeish):
            treeish = self.resolve(treeish)
        blobs: dict[str, str] = {}
        links: set[str] = set()
        for record in self.good("ls-tree", "-r", "-z", "--full-tree", treeish).split(b"\0"):
            if record[:4] == b"1006" or record[:4] == b"1007":
                meta, path = record.split(b"\t", 1)
                blobs[os.fsdecode(path)] = meta.split()[2].decode()
            elif record[:4] == b"1200":
                links.add(os.fsdecode(record.split(b"\t", 1)[1]))
        return ObjectTree(name or treeish[:12], blobs, self.objects.read_blobs, frozenset(links))

    def folder(self) -> FolderTree:
        """Return the files of the working tree as they are on disk, without those git ignores."""
        names = self.listed("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return FolderTree("working tree", str(self.root), names)

    def listed(self, *arguments: str) -> list[str]:
        """Return the records of a command on the working tree and the index (`ls-files -z`, `diff-files -z`).

        The command runs in the shadow: git may compare contents, and in the repository itself would do so through the
        filters it configures. Raises `NotARepository` for a bare repository.
        """
        if self.is_bare:
            raise NotARepository(f"{self.root} (bare: it has no working tree)")
        where = ("--git-dir", str(self.shadow), "--work-tree", str(self.root))
        out = self._checked((*where, *arguments), extra={"GIT_INDEX_FILE": str(self.git_dir / "index")}, cwd=self.root)
        return [os.fsdecode(record) for record in out.split(b"\0") if record]

    def diff(self, base: str, head: str) -> tuple[bytes, bytes]:
        """Return the raw records (`-z`) and the patch of two trees, renames detected, in the same order."""
        settings = ("-r", "-M", "-l2000", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color")
        raw = self.good("diff-tree", *settings, "--raw", "-z", base, head)
        # One line of context: without any, git matches lines differently, and the counts differ from `git diff`.
        patch = self.good("diff-tree", *settings, "-p", "-U1", "--no-prefix", base, head)
        return raw, patch

    def commits(self, base: str, head: str) -> tuple[CommitInfo, ...]:
        """Return the commits of a change, newest first, merges included; at most `MOST_COMMITS`."""
        out = self.good(
            "log",
            "-z",
            f"--max-count={MOST_COMMITS}",
            "--format=%H%x01%P%x01%ct%x01%an%x01%ae%x01%B",
            f"{base}..{head}",
        )
        found = []
        for record in out.decode("utf-8", "surrogateescape").split("\0"):
            if record:
                sha, parents, time, name, email, message = record.split("\x01", 5)
                found.append(CommitInfo(sha, name, email, message, len(parents.split()), int(time)))
        return tuple(found)

    def checkout(self, treeish: str, target: str, parent: str | None = None) -> None:
        """Check out `treeish` into the new folder `target`, a separate repository with the real history.

        No hook and no filter of the repository runs: the clone is made from the shadow. Tags are copied, since build
        tools read versions from them.
        """
        commit = treeish
        if self.good("cat-file", "-t", treeish).strip() == b"tree":
            parents = ("-p", parent) if parent else ()
            commit = self.good("commit-tree", *parents, "-m", "working tree", treeish, extra=_IDENTITY).decode().strip()
        template = self.shadow / "no-template"
        template.mkdir(exist_ok=True)
        options = ("-q", "--shared", "--no-checkout", f"--template={template}")
        self.good("clone", *options, str(self.shadow), target, settings=("protocol.file.allow=always",))
        if self.is_shallow:
            shutil.copyfile(self.shadow / "shallow", Path(target, ".git", "shallow"))
            # From a shallow repository git shares no objects.
            alternates = Path(target, ".git", "objects", "info", "alternates")
            alternates.parent.mkdir(exist_ok=True)
            alternates.write_bytes(os.fsencode(str(self.shadow / "objects")) + b"\n")
        refs = self.ask("for-each-ref", "--format=create %(refname) %(objectname)", "refs/tags")
        inside = ("-C", target, "--git-dir", str(Path(target, ".git")))
        if refs.returncode == 0 and refs.stdout:
            self._run((*inside, "update-ref", "--stdin"), stdin=refs.stdout)
        self._checked((*inside, "--work-tree", target, "checkout", "-q", "--detach", "--force", commit))

    def _make_shadow(self) -> None:
        self.shadow.mkdir()
        for name, content in empty_repository(self._object_format()):
            if content is None:
                (self.shadow / name).mkdir()
            else:
                (self.shadow / name).write_bytes(content)
        alternates = self.shadow / "objects" / "info" / "alternates"
        alternates.parent.mkdir(parents=True, exist_ok=True)
        alternates.write_bytes(os.fsencode(str((self.common_dir / "objects").resolve())) + b"\n")
        (self.shadow / "info").mkdir(exist_ok=True)
        borrowed = [(self.common_dir / "shallow", "shallow"), (self.common_dir / "info" / "exclude", "info/exclude")]
        # A split index finds its shared part relative to its git directory.
        borrowed += [(half, half.name) for half in self.git_dir.glob("sharedindex.*")]
        for source, name in borrowed:
            if source.is_file() and not source.is_symlink():
                shutil.copyfile(source, self.shadow / name)
        with (self.shadow / "config").open("a", encoding="utf-8") as settings:  # `git config` takes a process per key
            settings.write(f"[core]\n\tbigFileThreshold = {BIG_FILE_BYTES}\n[gc]\n\tauto = 0\n")

    def _object_format(self) -> str:
        """Return the format of object ids; git reads it from this file only, never from an included one."""
        settings = self.common_dir / "config"
        try:
            is_plain = stat.S_ISREG(settings.lstat().st_mode) and settings.stat().st_size <= MOST_CONFIG_BYTES
            if is_plain and b"objectformat" not in settings.read_bytes().lower():
                return "sha1"
        except OSError:
            pass
        known = self.ask("rev-parse", "--show-object-format")
        return known.stdout.decode().strip() if known.returncode == 0 else "sha1"

    def ask(self, *arguments: str) -> process.Completed:
        """Run git on the repository itself, with everything that could start a program switched off."""
        where: tuple[str, ...] = ("--git-dir", str(self.git_dir))
        if not self.is_bare:
            where = (*where, "--work-tree", str(self.root))
        return self._run((*where, *arguments), cwd=self.root)

    def _git(self, *arguments: str) -> process.Completed:
        return self._run(("--git-dir", str(self.shadow), *arguments))

    def good(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        extra: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        longest_line: int | None = None,
    ) -> bytes:
        """Run git on the shadow and return its output; raise `GitFailed` or `ObjectMissing`.

        `longest_line`: bytes of each line that are read.
        """
        whole = ("--git-dir", str(self.shadow), *arguments)
        return self._checked(whole, stdin=stdin, extra=extra, settings=settings, longest_line=longest_line)

    def _checked(
        self,
        arguments: Sequence[str],
        stdin: bytes | None = None,
        extra: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        cwd: Path | None = None,
        longest_line: int | None = None,
    ) -> bytes:
        done = self._run(arguments, cwd=cwd, stdin=stdin, extra=extra, settings=settings, longest_line=longest_line)
        named = [argument for argument in arguments if not argument.startswith(("-", "/"))]
        if done.returncode != 0:
            self._missing_or_failed(named, done)
        if done.num_dropped:
            raise GitFailed(named, 0, f"its output is over {DIFF_LIMIT_BYTES // 1024 // 1024} MiB")
        return done.stdout

    def _missing_or_failed(self, arguments: Sequence[str], done: process.Completed) -> None:
        words = done.stderr.decode("utf-8", "replace")
        for line in words.splitlines():
            if "unable to read" in line or "missing blob" in line or "bad object" in line or "missing object" in line:
                raise ObjectMissing(line.split()[-1].strip("()"))
        raise GitFailed(arguments, done.returncode, words)

    def _run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        extra: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        longest_line: int | None = None,
    ) -> process.Completed:
        return run_git(
            arguments,
            cwd=cwd or Path(self._temporary.name),
            stdin=stdin,
            timeout_s=GIT_TIMEOUT_S,
            output_limit=DIFF_LIMIT_BYTES * 2,
            extra=extra,
            settings=settings,
            longest_line=longest_line,
        )


_IDENTITY = {
    "GIT_AUTHOR_NAME": "assay",
    "GIT_AUTHOR_EMAIL": "assay@localhost",
    "GIT_COMMITTER_NAME": "assay",
    "GIT_COMMITTER_EMAIL": "assay@localhost",
}


def _top_of(path: Path) -> Path | None:
    """Return the folder around `path` that holds `.git`, or None."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)
