"""Texts in a private folder under generated names, for tools that only read files.

Of the repository's names only known suffixes are kept: no link, no `.gitignore`, no configuration file a tool would
obey.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath


@dataclass
class Export:
    """Private folder; `paths` maps its file names to the repository's paths."""

    folder: Path
    paths: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, content: bytes) -> str:
        """Write one file; return its name there (`000001.py`), whose order is that of adding."""
        suffix = PurePosixPath(path).suffix.lower()
        ending = suffix if suffix[1:].isalnum() and suffix.isascii() and len(suffix) < 12 else ".txt"
        name = f"{len(self.paths):06}{ending}"
        (self.folder / name).write_bytes(content)
        self.paths[name] = path
        return name

    def path_of(self, name: object) -> str | None:
        """Return the repository's path of a file named in a tool's output, in any folder."""
        # jscpd appends the part of a component file: `000001.vue:typescript`.
        return self.paths.get(PurePosixPath(name).name.partition(":")[0]) if isinstance(name, str) else None


@contextmanager
def exported(files: Iterable[tuple[str, bytes]]) -> Iterator[Export]:
    """Yield a folder with these (path, content), removed at the end."""
    with tempfile.TemporaryDirectory(prefix="assay-export-", ignore_cleanup_errors=True) as folder:
        export = Export(Path(folder))
        for path, content in files:
            export.add(path, content)
        yield export
