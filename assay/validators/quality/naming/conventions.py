"""Naming conventions of a repository.

Names are counted in the base tree, nearest folder first, until there are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from assay.validators.changes.change import NatureOf, SourceTree, decoded
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.quality.inputs.definitions import Language, NameKind, definitions
from assay.validators.quality.naming.casing import Casing, casing_of

MOST_FILES_PER_FOLDER = 60
"""Maximum files read per folder and language: conventions show early, and a tree may be very large."""

LARGEST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Convention:
    """Convention: `support` of `total` significant names below `folder` ("" is everywhere) follow it."""

    casing: Casing
    support: int
    total: int
    folder: str

    @property
    def where(self) -> str:
        return f"in {self.folder}/" if self.folder else "in this repository"


@dataclass
class Conventions:
    """Conventions of one tree, cached."""

    tree: SourceTree
    min_samples: int
    agreement: float
    nature_of: NatureOf = field(default=nature_of, repr=False)
    _names: dict[tuple[str, str, Nature], Counter[tuple[NameKind, Casing]]] = field(default_factory=dict)

    def of_names(self, language: Language, kind: NameKind, path: str, nature: Nature) -> Convention | None:
        """Return the convention for names of this kind near `path`; None if unclear."""
        for folder in _upwards(path):
            counts = self._counted(language, folder, nature)
            counter = Counter({casing: count for (each, casing), count in counts.items() if each is kind})
            if sum(counter.values()) >= self.min_samples:
                return self._clear(counter, folder)
        return None

    def of_files(self, path: str, nature: Nature) -> Convention | None:
        """Return the convention for file names with the same suffix and nature, in or above the folder of `path`."""
        suffix = PurePosixPath(path).suffix
        for folder in _upwards(path):
            counter = self._file_names(folder, suffix, nature)
            if counter.total() >= self.min_samples:
                return self._clear(counter, folder)
        return None

    def _file_names(self, folder: str, suffix: str, nature: Nature) -> Counter[Casing]:
        key = (folder, suffix, nature)
        if key not in self._files:
            alike = (path for path in self._below(folder) if path.endswith(suffix) and self._nature(path) is nature)
            casings = (casing_of(stem_of(path)) for path in alike)
            self._files[key] = Counter(casing for casing in casings if casing is not None)
        return self._files[key]

    def _nature(self, path: str) -> Nature:
        if path not in self._natures:
            self._natures[path] = self.nature_of(path, b"")
        return self._natures[path]

    def _clear(self, counter: Counter[Casing], folder: str) -> Convention | None:
        total = sum(counter.values())
        casing, support = counter.most_common(1)[0]
        return Convention(casing, support, total, folder) if support / total >= self.agreement else None

    def _counted(self, language: Language, folder: str, nature: Nature) -> Counter[tuple[NameKind, Casing]]:
        key = (language.name, folder, nature)
        if key not in self._names:
            sample = self._sample(language, folder, nature)
            # A file counts for every folder around it.
            for path, content in self.tree.read_many(
                [one for one in sample if one not in self._casings], LARGEST_BYTES
            ):
                named = ((one.kind, casing_of(one.name)) for one in definitions(decoded(content or b""), language))
                self._casings[path] = Counter((kind, casing) for kind, casing in named if casing is not None)
            self._names[key] = sum((self._casings[path] for path in sample), Counter())
        return self._names[key]

    def _sample(self, language: Language, folder: str, nature: Nature) -> list[str]:
        """Return files of the language below a folder, evenly spread if there are many."""
        paths = [
            path
            for path in self._below(folder)
            if path.lower().endswith(language.suffixes) and self._nature(path) is nature
        ]
        step = max(1, -(-len(paths) // MOST_FILES_PER_FOLDER))
        return paths[::step]

    def _below(self, folder: str) -> Sequence[str]:
        if folder not in self._folders:
            prefix = f"{folder}/" if folder else ""
            self._folders[folder] = [path for path in self.tree.paths if path.startswith(prefix)]
        return self._folders[folder]

    _files: dict[tuple[str, str, Nature], Counter[Casing]] = field(default_factory=dict)
    _natures: dict[str, Nature] = field(default_factory=dict)
    _casings: dict[str, Counter[tuple[NameKind, Casing]]] = field(default_factory=dict)
    _folders: dict[str, Sequence[str]] = field(default_factory=dict)


def stem_of(path: str) -> str:
    """Return a file name without suffixes (`.spec.ts`) and test marks (`test_`, `_test`)."""
    stem = PurePosixPath(path).name.partition(".")[0]
    return stem.removeprefix("test_").removesuffix("_test")


def _upwards(path: str) -> Iterator[str]:
    """Yield the folder of a path, then its parents, then "" for the whole tree."""
    folder = PurePosixPath(path).parent
    while str(folder) != ".":
        yield str(folder)
        folder = folder.parent
    yield ""
