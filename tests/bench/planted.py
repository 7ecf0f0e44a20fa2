"""What a planted break is, and a repository to plant it in."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.validators.changes.change import READ_LIMIT, ChangeSet, decoded
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository


@dataclass(frozen=True)
class Plant:
    """One break: its kind, the file and symbol it is made in, and new texts by path (None deletes the file)."""

    kind: str
    path: str
    symbol: str
    edits: Mapping[str, str | None]


class Garden:
    """A clone of a repository; breaks are committed on top of its newest commit, one at a time."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-tags", source, folder], check=True)
        self.base = self._git("rev-parse", "HEAD").strip()

    def sources(self, suffixes: tuple[str, ...]) -> dict[str, str]:
        """The texts of the newest commit."""
        with Repository(self.folder) as repository:
            tree = read_change(repository, self.base, self.base).head
            wanted = [path for path in tree.paths if path.endswith(suffixes)]
            return {path: decoded(text) for path, text in tree.read_many(wanted, READ_LIMIT) if text is not None}

    @contextmanager
    def planted(self, plant: Plant) -> Iterator[ChangeSet]:
        """The change that plants one break."""
        for path, text in plant.edits.items():
            if text is None:
                (self.folder / path).unlink()
            else:
                (self.folder / path).write_text(text, "utf-8", "surrogateescape", newline="")
        author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        self._git(*author, "commit", "--quiet", "--no-verify", "--all", "--message", f"{plant.kind} {plant.symbol}")
        try:
            with Repository(self.folder) as repository:
                yield read_change(repository, self.base, self._git("rev-parse", "HEAD").strip())
        finally:
            self._git("reset", "--quiet", "--hard", self.base)

    def _git(self, *arguments: str) -> str:
        return subprocess.run(["git", "-C", self.folder, *arguments], check=True, capture_output=True, text=True).stdout
