"""Changed files as the rules read them.

Both sides, split into code, comments and strings, with a size limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, decoded
from assay.validators.changes.classify import Nature
from assay.validators.languages.source_text import SourceText, split_source

LARGEST_BYTES = 1024 * 1024
"""Bytes; a larger text is not handwritten source, and the rules report it as not checked."""

WRITTEN_BY_HAND = (Nature.source, Nature.test, Nature.docs, Nature.config)


@dataclass(frozen=True)
class ReadFile:
    """Changed file with its two texts. A side is None if the file is absent there, or too large."""

    file: ChangedFile
    base_text: str | None
    head_text: str | None

    @property
    def has_base(self) -> bool:
        """Whether the base is known: it was read, or the file is new."""
        return self.base_text is not None or self.file.base_path is None

    @cached_property
    def head_lines(self) -> list[str]:
        """The head's lines."""
        return (self.head_text or "").split("\n")

    @cached_property
    def base_lines(self) -> list[str]:
        """The base's lines."""
        return (self.base_text or "").split("\n")

    @cached_property
    def head(self) -> SourceText:
        """The head's text, split; empty if there is none."""
        return split_source(self.head_text or "", self.file.path)

    @cached_property
    def base(self) -> SourceText:
        """The base's text, split; empty if there is none."""
        return split_source(self.base_text or "", self.file.base_path or self.file.path)


def read_files(change: ChangeSet, *natures: Nature, new_generated: bool = False) -> Iterator[ReadFile]:
    """Yield every changed text file of these natures, by default all but generated, vendored, lock and data files.

    With `new_generated`, new generated files are included.
    """
    wanted = natures or WRITTEN_BY_HAND
    files = [
        file
        for file in change.files
        if file.kind is FileKind.text
        and (file.nature in wanted or (new_generated and file.nature is Nature.generated and file.base_path is None))
    ]
    base_paths = [file.base_path for file in files if file.base_path is not None]
    head_paths = [file.path for file in files if file.exists]
    base = dict(change.base.read_many(base_paths, LARGEST_BYTES))
    head = dict(change.head.read_many(head_paths, LARGEST_BYTES))
    for file in files:
        before = base.get(file.base_path) if file.base_path is not None else None
        after = head.get(file.path) if file.exists else None
        yield ReadFile(file, None if before is None else decoded(before), None if after is None else decoded(after))
