"""Roots of a Python file's absolute imports: the folders on its module search path.

A tree does not record its search path. It has packages (folders with `__init__.py`, or whose files import
relatively) and folders that hold them. A file sees the non-package folders above it, nearest first (a script its own
folder first), the `src` and `lib` next to them, and last any other folder of the tree with a package of that name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath
from posixpath import commonpath

from assay.validators.languages.language import Import, Sources
from assay.validators.languages.python.settings import SOURCE_FOLDERS, declared_roots

_SET_APART = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|fixtures?|examples?|docs?|samples?|benchmarks?|templates?)(?=/|$)",
    re.IGNORECASE,
)
_VENDORED = re.compile(r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|extern|external|libs)$", re.IGNORECASE)


class Roots:
    """Roots of absolute imports in one tree, nearest first.

    `paths` are the tree's Python files; the key of a module is its path without suffix (`src/app/run`).
    """

    def __init__(self, sources: Sources, paths: Iterable[str]) -> None:
        self._modules: dict[str, str] = {}
        self._stubs: dict[str, str] = {}
        self._packages: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        self.folders: set[str] = set()
        """Every folder with Python files below it."""
        for path in paths:
            self._add(path)
        self._learn_from_imports(sources)
        self._by_name = self._top_level_names({"", *declared_roots(sources), *self._vendored()})
        self._above = cache(self._find_above)
        self._elsewhere = cache(self._find_elsewhere)
        self._anywhere = cache(self._find_anywhere)

    def module(self, path: str, for_stub: bool = False) -> str | None:
        """Return the file of a module, preferring stubs for a stub and code for any other file."""
        first, second = (self._stubs, self._modules) if for_stub else (self._modules, self._stubs)
        return first.get(path) or second.get(path)

    def of(self, folder: str, name: str, is_script: bool, moves_path: bool) -> Iterator[str]:
        """Yield the roots from which a file in `folder` may import the top-level `name`, likeliest first."""
        is_standard = name in sys.stdlib_module_names
        for root in self._above(folder):
            # A `types.py` in a folder that others import as a package does not hide the standard library's `types`.
            if not (is_standard and root == folder and self._is_imported(folder)):
                yield root
        if is_standard:
            return
        yield from self._elsewhere(folder, name)
        if is_script and folder in self._packages:
            yield folder
        if moves_path:
            yield from self._anywhere(name)

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        table = self._stubs if suffix == "pyi" else self._modules
        if stem == "__init__":
            table[folder] = path
            self._packages.add(folder)
        elif stem:
            table.setdefault(f"{folder}/{stem}" if folder else stem, path)
        while folder not in self.folders:
            self.folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _learn_from_imports(self, sources: Sources) -> None:
        """Find the packages that have no `__init__.py`.

        A folder whose files import relatively and find the target is a package, and so is each folder on the way.
        """
        for path in {*self._modules.values(), *self._stubs.values()}:
            for item in sources.scan(path).imports:
                if item.target.startswith("."):
                    self._add_package_of(path.rpartition("/")[0], item)
                elif "." in item.target:
                    self._pairs.update(pairwise(item.target.split(".")))

    def _add_package_of(self, folder: str, item: Import) -> None:
        module = item.target.lstrip(".")
        above = [folder]
        for _ in range(min(len(item.target) - len(module) - 1, 100)):
            above.append(above[-1].rpartition("/")[0])
        if self._packages.issuperset(filter(None, above)):
            return
        start = f"{above[-1]}/" if above[-1] else ""
        wanted = [module.replace(".", "/")] if module else [name for name, _ in item.names]
        if any(self.module(start + name) is not None for name in wanted):
            self._packages.update(filter(None, above))

    def _is_imported(self, folder: str) -> bool:
        """Return whether a file imports a module by this folder's name: `ns.plugin.…` for `src/ns/plugin`."""
        parts = folder.split("/")
        return len(parts) > 1 and (parts[-2], parts[-1]) in self._pairs

    def _vendored(self) -> Iterator[str]:
        return (folder for folder in self.folders if _VENDORED.search(folder))

    def _top_level_names(self, known: set[str]) -> dict[str, set[str]]:
        """Return first name -> the roots it may be imported from; a namespace package may be spread over several."""
        found: dict[str, set[str]] = {}
        for path in {*self._modules, *self._stubs, *self.folders}:
            folder, _, name = path.rpartition("/")
            if folder in known or (path in self._packages and folder not in self._packages):
                found.setdefault(name, set()).add(folder)
        return found

    def _find_above(self, folder: str) -> tuple[str, ...]:
        roots: list[str] = []
        while True:
            if folder not in self._packages:
                beside = (f"{folder}/{name}".lstrip("/") for name in SOURCE_FOLDERS)
                roots += [folder, *(path for path in beside if path in self.folders)]
            if not folder:
                return tuple(dict.fromkeys(roots or [""]))
            folder = folder.rpartition("/")[0]

    def _find_elsewhere(self, folder: str, name: str) -> tuple[str, ...]:
        above = set(self._above(folder))
        roots = [root for root in self._by_name.get(name, ()) if root not in above and _may_see(folder, root)]
        return tuple(
            sorted(
                roots,
                key=lambda root: (-len(PurePosixPath(commonpath([root, folder])).parts), root.count("/"), root),
            )
        )

    def _find_anywhere(self, name: str) -> tuple[str, ...]:
        """Return the only non-package folder that holds a module of this name, else none."""
        found = {path.rpartition("/")[0] for path in self._modules if path.rpartition("/")[2] == name} - self._packages
        return tuple(found) if len(found) == 1 else ()


def _may_see(folder: str, root: str) -> bool:
    """Return whether a folder may import from a root: source does not import from unrelated tests or examples."""
    apart = _SET_APART.search(root)
    return apart is None or f"{folder}/".startswith(root[: apart.end()] + "/")
