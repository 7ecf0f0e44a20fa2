"""Texts written to a private folder under names of our own, for tools that only read files.

Nothing of the repository's names gets there but a known ending: no link, no `.gitignore`, no configuration file a
tool would obey.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath


@dataclass
class Export:
    """The folder and what lies in it: `paths` maps our file names to the repository's paths."""

    folder: Path
    paths: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, content: bytes) -> str:
        """Write one file; its name there, `000001.py` and so on, so that names sort as files were added."""
        suffix = PurePosixPath(path).suffix.lower()
        ending = suffix if suffix[1:].isalnum() and suffix.isascii() and len(suffix) < 12 else ".txt"
        name = f"{len(self.paths):06}{ending}"
        (self.folder / name).write_bytes(content)
        self.paths[name] = path
        return name

    def path_of(self, name: object) -> str | None:
        """The repository's path of a file a tool speaks of, whatever folder it puts before the name."""
        # jscpd adds the part of a component file it means: `000001.vue:typescript`.
        return self.paths.get(PurePosixPath(name).name.partition(":")[0]) if isinstance(name, str) else None


@contextmanager
def exported(files: Iterable[tuple[str, bytes]]) -> Iterator[Export]:
    """A folder with these (path, content), removed on the way out."""
    with tempfile.TemporaryDirectory(prefix="assay-export-", ignore_cleanup_errors=True) as folder:
        export = Export(Path(folder))
        for path, content in files:
            export.add(path, content)
        yield export
