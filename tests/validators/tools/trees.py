"""Trees to read from, made of a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent

from assay.validators.vcs.trees import ObjectTree


def tree_of(files: Mapping[str, str | bytes], name: str = "head") -> ObjectTree:
    """A tree of objects that holds these files; text is dedented."""
    contents = {path: dedent(text).encode() if isinstance(text, str) else text for path, text in files.items()}

    def read(blobs: Sequence[str], limit: int) -> Iterator[bytes | None]:
        for blob in blobs:
            yield contents[blob] if len(contents[blob]) <= limit else None

    return ObjectTree(name, {path: path for path in contents}, read)
