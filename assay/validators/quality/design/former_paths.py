"""Paths that the files of a change had in the base: renamed, moved with a folder, or split from another file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import ChangedFile, ChangeSet, FileStatus, text_at
from assay.validators.languages.python.module_files import files_of, is_package

LEAST_MOVED = 2
"""Renamed files from which a folder counts as moved: the others moved with it, however much they changed."""
SPLIT_SHARE = 0.5
"""Share of a new file's lines that another file lost, from which the new file was a part of that one."""


@dataclass(frozen=True)
class FormerPaths:
    """Paths of the head and of the base for the same files."""

    change: ChangeSet

    def in_base(self, path: str) -> str:
        """Return the path that a file of the head had in the base; its own if it did not move."""
        return self._moved.get(path, path)

    def in_head(self, path: str) -> str:
        """Return the path that a file of the base has in the head; its own if it did not move."""
        return self._moved_to.get(path, path)

    def part_of(self, path: str) -> str:
        """Return the path that a file, or the file it was split from, had in the base."""
        former = self.in_base(path)
        file = self.change.by_path.get(path)
        if former in self.change.base or file is None:
            return former
        return self._split_from(file) or former

    @cached_property
    def _moved(self) -> Mapping[str, str]:
        found = {
            file.path: file.base_path
            for file in self.change.files
            if file.status is FileStatus.renamed and file.base_path is not None
        }
        found.update(self._modules_turned_packages())
        folders = Counter(filter(None, (_moved_folder(path, before) for path, before in found.items())))
        for (old, new), num in folders.items():
            if num < LEAST_MOVED:
                continue
            for file in self.change.files:
                before = f"{old}{file.path.removeprefix(new)}"
                is_inside = file.exists and file.path.startswith(new) and file.path not in found
                if is_inside and file.base_path is None and before in self.change.base:
                    found[file.path] = before
        return found

    @cached_property
    def _moved_to(self) -> Mapping[str, str]:
        return {before: path for path, before in self._moved.items()}

    def _modules_turned_packages(self) -> dict[str, str]:
        """Return `x/__init__.py` -> `x.py` for modules that became packages."""
        added = [file.path for file in self.change.files if file.exists and file.base_path is None]
        pairs = ((path, files_of(path.rpartition("/")[0])[0]) for path in added if is_package(path))
        return {path: module for path, module in pairs if module in self.change.base and module not in self.change.head}

    def _split_from(self, file: ChangedFile) -> str | None:
        """Return the file that lost most of a new file's lines; None if none lost half of them."""
        lines = _telling(text_at(self.change.head, file.path).splitlines())
        best, share = None, SPLIT_SHARE
        for other in self.change.files:
            if other.base_path is None or not other.removed or not lines:
                continue
            common = sum((lines & _telling(other.removed.values())).values()) / sum(lines.values())
            if common >= share:
                best, share = other.base_path, common
        return best


def _telling(lines: Iterable[str]) -> Counter[str]:
    return Counter(line.strip() for line in lines if len(line.strip()) > 3)


def _moved_folder(path: str, before: str) -> tuple[str, str] | None:
    """Return the folders (old, new), each with `/` or "", that differ between two paths with the same end."""
    new, old = path.split("/"), before.split("/")
    while new and old and new[-1] == old[-1]:
        new.pop()
        old.pop()
    if new == path.split("/"):
        return None
    return "".join(f"{part}/" for part in old), "".join(f"{part}/" for part in new)
