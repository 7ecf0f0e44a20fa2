"""A real git repository, built file by file for one test."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

FIRST_COMMIT_AT = datetime(2024, 1, 1, 12, 0, tzinfo=UTC)
AUTHOR = "Ada Author"
AUTHOR_EMAIL = "ada@example.org"
_QUICKLY = {"core.fsync": "none", "maintenance.auto": "false"}
"""Settings of every git here: no machine loses power during a test, and nothing lives long enough to be tidied up."""


class RealRepository:
    """A git repository in a folder of the test's own, on branch `main`.

    The same steps give the same commit ids everywhere: each commit is a minute after the one before it, by one author,
    and the machine's own git configuration is not read.

        repository.write("app.py", "x = 1\n")
        base = repository.commit("Start")
        repository.write("app.py", "x = 2\n")
        head = repository.commit("Change x")
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._num_commits = 0
        path.mkdir(parents=True, exist_ok=True)
        if (path / ".git").exists():
            self.git("init", "--quiet")
        else:
            _begin(path)

    def write(self, name: str | bytes, content: str | bytes = "", *, executable: bool = False) -> Path:
        """Write one file, making its folders. Text is dedented, so that it may stand indented in a test."""
        path = self._at(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = dedent(content).encode("utf-8", "surrogateescape")
        path.write_bytes(content)
        if executable:
            path.chmod(0o755)
        return path

    def write_all(self, files: Mapping[str, str | bytes]) -> None:
        """Write many files, name to content."""
        for name, content in files.items():
            self.write(name, content)

    def link(self, name: str, target: str) -> Path:
        """Make a symbolic link to `target`, which need not exist."""
        path = self._at(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        return path

    def remove(self, name: str) -> None:
        """Delete one file or a whole folder."""
        path = self._at(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def rename(self, old: str, new: str) -> None:
        """Move a file."""
        target = self._at(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._at(old).rename(target)

    def commit(
        self, message: str = "A change", files: Mapping[str, str | bytes] | None = None, *, author: str = AUTHOR
    ) -> str:
        """Commit everything as it lies in the folder, after writing `files`; gives the full commit id."""
        self.write_all(files or {})
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", message, author=author)
        self._num_commits += 1
        return self.head

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch at `start` and go there."""
        self.git("switch", "--quiet", "--create", name, start)

    def switch(self, name: str) -> None:
        """Go to a branch, or to a commit without a branch."""
        self.git("switch", "--quiet", "--detach" if name not in self._branches() else "--no-guess", name)

    def merge(self, name: str, message: str = "Merge") -> str:
        """Merge a branch with a commit of its own; gives the full commit id."""
        self.git("merge", "--quiet", "--no-ff", "--no-edit", "--message", message, name)
        self._num_commits += 1
        return self.head

    @property
    def head(self) -> str:
        """The full id of the commit that is checked out."""
        return loose_ref(self.path / ".git", "HEAD") or self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str | bytes, author: str = AUTHOR, data: bytes | None = None) -> str:
        """Run git here and give what it printed; a failing git fails the test with git's own words."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=self._environment(author),
            input=data,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode("utf-8", "surrogateescape")

    def _at(self, name: str | bytes) -> Path:
        return self.path / os.fsdecode(name)

    def _branches(self) -> list[str]:
        return self.git("branch", "--format=%(refname:short)").split("\n")

    def _environment(self, author: str) -> dict[str, str]:
        when = (FIRST_COMMIT_AT + timedelta(minutes=self._num_commits)).isoformat()
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_COUNT": str(len(_QUICKLY)),
            **{f"GIT_CONFIG_KEY_{place}": name for place, name in enumerate(_QUICKLY)},
            **{f"GIT_CONFIG_VALUE_{place}": value for place, value in enumerate(_QUICKLY.values())},
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": AUTHOR_EMAIL,
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL,
            "GIT_COMMITTER_DATE": when,
        }


def loose_ref(git_dir: Path, name: str) -> str | None:
    """The commit a name stands for, read without a process where it has a file of its own; None where it has not."""
    try:
        text = (git_dir / name).read_text("ascii").strip()
        if text.startswith("ref: "):
            text = (git_dir / text.removeprefix("ref: ")).read_text("ascii").strip()
    except (OSError, UnicodeError):
        return None
    return text if len(text) in (40, 64) else None


def _begin(path: Path) -> None:
    """What `git init` makes, without its process."""
    for name, content in _empty_repository():
        if content is None:
            (path / name).mkdir()
        else:
            (path / name).write_bytes(content)


@cache
def _empty_repository() -> tuple[tuple[str, bytes | None], ...]:
    """Names and contents below a folder after `git init` (None for a folder), but for the samples of hooks."""
    with TemporaryDirectory() as folder:
        quiet = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", folder], env=quiet, check=True)
        made = sorted(path for path in Path(folder).rglob("*") if path.suffix != ".sample")
        return tuple((str(path.relative_to(folder)), None if path.is_dir() else path.read_bytes()) for path in made)
