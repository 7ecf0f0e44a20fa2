"""Mapping of paths in a tool's output to files of the repository."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from assay.validators.tools.readers.tree_paths import TreePaths, is_ours, walk

LONGEST_PATH = 1000
"""Maximum characters of a path; longer ones are ignored."""

MOST_LINES = 300
"""Maximum lines of a stack trace that are searched."""

_NUMBER = re.compile(r"(?::|[\"']?, line |\()(\d{1,7})(?!\d)")
_FILE_NAME = re.compile(r"\w\.\w{1,6}$")


class Places:
    """Map from paths as a tool prints them to repository paths, for a run in `directory` of the tree at `root`."""

    def __init__(self, root: Path, directory: str = ".") -> None:
        self._roots = tuple(dict.fromkeys((str(root), os.path.realpath(root))))
        self._directory = directory
        self._known: dict[tuple[str, ...], str | None] = {}

    def file(self, reported: str, *folders: str) -> str | None:
        """Return a file's repository-relative path; None if it is outside, missing or in a package folder.

        A relative path is looked for in `folders`, where the command ran, at the root, and last by its ending.
        """
        key = (reported, *folders)
        if key not in self._known:
            self._known[key] = self._found(reported, folders)
        return self._known[key]

    def frames(self, text: str) -> Iterator[tuple[str, int]]:
        """Return the (file, line) repository places in a stack trace or error message, in order."""
        for line in text.split("\n", MOST_LINES)[:MOST_LINES]:
            for reported, number in _numbered(line[:LONGEST_PATH]):
                file = self.file(reported)
                if file is not None:
                    yield file, number

    @property
    def root(self) -> str:
        return self._roots[0]

    @property
    def roots(self) -> tuple[str, ...]:
        """The root as given, and with its links resolved."""
        return self._roots

    @property
    def directory(self) -> str:
        return self._directory

    @cached_property
    def _tree(self) -> TreePaths:
        return TreePaths(list(walk(Path(self.root))))

    def _found(self, reported: str, folders: tuple[str, ...]) -> str | None:
        path = reported.strip().strip("\"'`")
        if path.startswith("file://"):
            path = unquote(path.removeprefix("file://"))
        if not path or len(path) > LONGEST_PATH or "\0" in path or "\n" in path:
            return None
        if os.path.isabs(path):
            inside = next((path[len(root) + 1 :] for root in self._roots if path.startswith(root + "/")), None)
            return None if inside is None else self._existing(inside)
        for folder in (*folders, self._directory, "."):
            found = self._existing(os.path.join(folder, path))
            if found is not None:
                return found
        return None if path.startswith("..") else self._tree.match(path)

    def _existing(self, path: str) -> str | None:
        path = os.path.normpath(path)
        if path.startswith("..") or not is_ours(path.split("/")):
            return None
        try:
            mode = os.lstat(os.path.join(self.root, path)).st_mode
        except (OSError, ValueError):
            return None
        return path if stat.S_ISREG(mode) else None


def split_place(text: str) -> tuple[str, int] | None:
    """Return (path, line) of `path:line:column`, None for anything else."""
    path, line, column = ["", "", *text.strip().rstrip(":").rsplit(":", 2)][-3:]
    is_place = path and line.isdecimal() and column.isdecimal() and len(line) < 8
    return (path, int(line)) if is_place else None


def _numbered(line: str) -> Iterator[tuple[str, int]]:
    """Yield each match of `file:12`, `File "file", line 12` or `(Cart.java:12)` in a line."""
    for match in _NUMBER.finditer(line):
        before = line[: match.start()]
        if match[0][0] in "\"'":
            before = before[before.rfind(match[0][0]) + 1 :]
        else:
            before = before[max(before.rfind(char) for char in " \t\"'<>,;|") + 1 :]
            if before.startswith("("):
                before = before[1:]
            elif before.count("(") > before.count(")"):
                before = before[before.rfind("(") + 1 :]
        if _FILE_NAME.search(before[-20:]):
            yield before, int(match[1])
