"""Export of both sides of the changed files to a private folder, under generated names.

Only a known suffix of the repository's names is kept, so no exported file can configure a scanner (`.semgrepignore`,
`.bandit`, `pyproject.toml`). Workflows and actions keep their path, because scanners recognise them by it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from assay.validators.changes.change import (
    SOURCE_LIMIT,
    ChangedFile,
    ChangeSet,
    FileKind,
    SourceTree,
    decoded,
    lines_of,
    shown,
)
from assay.validators.changes.classify import Nature, plain_nature
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.scanners.silencing import added_silencers, awake, is_for_whole_file

_WORKFLOW = re.compile(r"(?:^|/)\.github/workflows/([\w.-]+\.ya?ml)$")
_ACTION = re.compile(r"(?:^|/)(action\.ya?ml)$")


@dataclass(frozen=True, slots=True)
class Exported:
    """A version of a file: `side` is "head" or "base", `path` the one on the head (the base's for a deleted file).

    `silencers` are the lines whose silencing comment only the change has; `lines` show it, the exported file does not.
    """

    side: str
    path: str
    name: str
    lines: Sequence[str]
    silencers: frozenset[int] = frozenset()

    def is_silenced(self, line: int, end_line: int) -> bool:
        """Return whether the change added a comment that silences scanners on these lines."""
        return any(
            line - 1 <= at <= end_line or is_for_whole_file(self.lines[at - 1])
            for at in self.silencers
            if at <= len(self.lines)
        )


@dataclass
class Export:
    """The files written below `folder`, by their names there."""

    folder: Path
    by_name: dict[str, Exported] = field(default_factory=dict)
    too_large: list[str] = field(default_factory=list)
    left_out: list[NotChecked] = field(default_factory=list)

    def of(self, files: Iterable[ChangedFile]) -> list[str]:
        """Return the names of these files, both sides."""
        paths = {file.path for file in files}
        return [name for name, exported in self.by_name.items() if exported.path in paths]

    def at(self, name: object) -> Exported | None:
        """Return the file with a name a scanner printed, relative or absolute."""
        if not isinstance(name, str):
            return None
        relative = os.path.relpath(name, self.folder) if os.path.isabs(name) else os.path.normpath(name)
        return self.by_name.get(relative)

    def not_checked(self) -> list[NotChecked]:
        """Return what was left out for its size, or because there is too much of its kind."""
        why = f"over {SOURCE_LIMIT // 1_000_000} MB: not scanned"
        return [*(NotChecked(shown(path), why) for path in self.too_large), *self.left_out]


def write_export(change: ChangeSet, files: Iterable[ChangedFile], folder: Path) -> Export:
    """Write the head and base version of each file that can be read line by line."""
    export = Export(folder)
    for number, file in enumerate(files):
        if file.kind is not FileKind.text:
            continue
        if file.exists:
            _write(export, "head", change.head, file.path, file, number, added_silencers(change, file))
        if file.base_path is not None:
            _write(export, "base", change.base, file.base_path, file, number)
    return export


def _write(
    export: Export,
    side: str,
    tree: SourceTree,
    path: str,
    file: ChangedFile,
    number: int,
    silencers: frozenset[int] = frozenset(),
) -> None:
    if path not in tree:
        return
    content = tree.read(path, SOURCE_LIMIT)
    if content is None:
        if side == "head":
            export.too_large.append(path)
        return
    name = f"{side}/{_name_of(path + file.script_suffix, number)}"
    target = export.folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(_awake(content, silencers) if silencers else content)
    export.by_name[name] = Exported(side, file.path, name, lines_of(decoded(content)), silencers)


def _awake(content: bytes, silencers: frozenset[int]) -> bytes:
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    awoken = (awake(line) if number in silencers else line for number, line in enumerate(lines, 1))
    return "\n".join(awoken).encode("utf-8", "surrogateescape")


def _name_of(path: str, number: int) -> str:
    workflow, action = _WORKFLOW.search(path), _ACTION.search(path)
    if workflow:
        return f"{number:06}/.github/workflows/{workflow[1]}"
    if action:
        return f"{number:06}/{action[1]}"
    suffix = PurePosixPath(path).suffix.lower()
    is_plain = suffix[1:].isalnum() and suffix.isascii() and len(suffix) < 12
    # Prose and lock files are searched for secrets alone: no rule for a language reads a `.txt`.
    is_read = plain_nature(path) not in (Nature.docs, Nature.lock)
    return f"{number:06}{suffix if is_plain and is_read else '.txt'}"
