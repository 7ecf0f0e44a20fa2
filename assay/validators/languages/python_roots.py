"""Where a Python file's absolute imports may begin: the folders Python would find on its path.

A tree does not say what its path is. What it shows: packages (folders with `__init__.py`, or whose files import relatively) and
the folders that hold them. A file sees the first folder above it that is no package (its project's root, or its own folder for
a script), the folders above that one, `src` and `lib` beside them, and, last, wherever in the tree a package of that name lies.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache

from assay.validators.languages.language import Import, Sources

SOURCE_FOLDERS = ("src", "lib", "python", "Lib")
"""Folders that by custom hold packages and are none themselves."""

_PROJECT_FILES = frozenset("pyproject.toml setup.py setup.cfg".split())
_SET_APART = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|fixtures?|examples?|docs?|samples?|benchmarks?|templates?)(?:/|$)",
    re.IGNORECASE,
)
_VENDORED = re.compile(r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|extern|external|libs)$", re.IGNORECASE)


class Roots:
    """The folders of one tree from which absolute imports may begin, nearest first."""

    def __init__(self, sources: Sources, paths: Iterable[str]) -> None:
        self.modules: dict[str, str] = {}
        """`src/app/run` -> `src/app/run.py` or `src/app/run/__init__.py`."""
        self.stubs: dict[str, str] = {}
        self.folders: set[str] = set()
        """Every folder that has Python below it."""
        self.packages: set[str] = set()
        for path in paths:
            self._add(path)
        self._add_packages_without_init(sources)
        self._known = sorted(self._known_roots(sources))
        self._by_name = self._top_level_names()
        self.names = frozenset(self._by_name)
        """The first names of everything that may be imported from a root: the tree's own top-level packages and modules."""
        self._above = cache(self._find_above)
        self._elsewhere = cache(self._find_elsewhere)

    def around(self, folder: str) -> tuple[str, ...]:
        """The roots above a file in `folder`, nearest first."""
        return self._above(folder)

    def elsewhere(self, folder: str, name: str) -> tuple[str, ...]:
        """The other roots that have a top-level `name`, nearest to `folder` first; none for the standard library's names."""
        return () if name in sys.stdlib_module_names else self._elsewhere(folder, name)

    def module(self, dotted_path: str, for_stub: bool = False) -> str | None:
        """The file of a module by its path without suffix; a stub importer sees stubs first."""
        first, second = (self.stubs, self.modules) if for_stub else (self.modules, self.stubs)
        return first.get(dotted_path) or second.get(dotted_path)

    def is_package(self, folder: str) -> bool:
        """Whether a folder is imported as a package rather than searched for modules."""
        return folder in self.packages

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        if not stem:
            return
        table = self.stubs if suffix == "pyi" else self.modules
        if stem == "__init__":
            table[folder] = path
            self.packages.add(folder)
        else:
            table.setdefault(f"{folder}/{stem}" if folder else stem, path)
        while folder not in self.folders:
            self.folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _add_packages_without_init(self, sources: Sources) -> None:
        """A folder whose files import relatively, and find what they want, is a package; so is each folder on the way."""
        for path in {*self.modules.values(), *self.stubs.values()}:
            scan = sources.scan(path)
            for item in scan.imports if scan is not None else ():
                if item.target.startswith("."):
                    self._add_package_of(path.rpartition("/")[0], item)

    def _add_package_of(self, folder: str, item: Import) -> None:
        module = item.target.lstrip(".")
        above = [folder]
        for _ in range(len(item.target) - len(module) - 1):
            above.append(above[-1].rpartition("/")[0])
        start = f"{above[-1]}/" if above[-1] else ""
        wanted = [module.replace(".", "/")] if module else [name for name, _ in item.names]
        if any(self.module(start + name) is not None for name in wanted):
            self.packages.update(filter(None, above))

    def _known_roots(self, sources: Sources) -> Iterator[str]:
        yield ""
        for path in sources.paths:
            folder, _, name = path.rpartition("/")
            if name in _PROJECT_FILES:
                yield from (folder, *(f"{folder}/{inner}" if folder else inner for inner in SOURCE_FOLDERS))
        for folder in self.folders:
            if _VENDORED.search(folder):
                yield folder

    def _top_level_names(self) -> dict[str, set[str]]:
        """First name -> the roots it may be imported from."""
        found: dict[str, set[str]] = {}
        known = set(self._known)
        for path in {*self.modules, *self.stubs}:
            folder, _, name = path.rpartition("/")
            if folder in known or (path in self.packages and folder not in self.packages):
                found.setdefault(name, set()).add(folder)
        return found

    def _find_above(self, folder: str) -> tuple[str, ...]:
        roots: list[str] = []
        while True:
            if not self.is_package(folder):
                roots.append(folder)
                roots.extend(
                    inner for name in SOURCE_FOLDERS if (inner := f"{folder}/{name}".lstrip("/")) in self.folders
                )
            if not folder:
                return tuple(dict.fromkeys(roots or [""]))
            folder = folder.rpartition("/")[0]

    def _find_elsewhere(self, folder: str, name: str) -> tuple[str, ...]:
        around = set(self.around(folder))
        roots = [root for root in self._by_name.get(name, ()) if root not in around and self._may_see(folder, root)]
        return tuple(sorted(roots, key=lambda root: (-_num_shared(root, folder), root.count("/"), root)))

    @staticmethod
    def _may_see(folder: str, root: str) -> bool:
        """Source does not import from tests, examples or fixtures set apart from it."""
        apart = _SET_APART.search(root)
        return apart is None or f"{folder}/".startswith(
            root[: apart.start()] + "/" if apart.start() else root[: apart.end()].strip("/") + "/"
        )


def _num_shared(one: str, other: str) -> int:
    shared = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        shared += 1
    return shared
