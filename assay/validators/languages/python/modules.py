"""Resolution of Python imports: modules, packages, and the files behind re-exported names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from assay.validators.changes.language_table import bare_suffixes
from assay.validators.languages.language import EVERYTHING, Import, Origin, Resolution, Sources
from assay.validators.languages.python.names import ModuleNames
from assay.validators.languages.python.roots import Roots

SUFFIXES = bare_suffixes("python", "cython")
"""Cython's imports are followed like Python's; `cimport` is not, so Cython is not covered."""

MOST_STEPS = 100
"""Maximum re-exports followed for one name; more is a loop."""

_TEST = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
DEEPEST = 50
"""Maximum folders searched for a module."""


@dataclass(frozen=True, slots=True)
class ModuleLookup:
    """Result of a module lookup: its file, the folders of its submodules, and why the lookup ended early."""

    file: str | None = None
    folders: tuple[str, ...] = ()
    why: str | None = None


class PythonModules:
    """Modules of one tree; `Roots` has the roots of absolute imports."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._roots = Roots(sources, [path for path in sources.paths if path.rpartition(".")[2] in SUFFIXES])
        self._place = cache(self._find_place)
        self.trail = cache(self._trail)
        self.bound = cache(self._bound)
        self.stars = cache(self._stars)
        self.names = cache(self._names)
        self._dotted = cache(self._find_dotted)

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the module's file and, for a re-exported name, also the file that defines it."""
        place = self.place(path, item.target)
        if item.kind == "call":
            # Code that imports by a call is usually prepared for a missing module.
            return Resolution((place.file,) if place.file else ())
        if not item.names or place.why is not None:
            return Resolution((place.file,) if place.file else (), place.why)
        files: list[str] = []
        missing: list[str] = []
        for name, _ in item.names:
            module = self.submodule(path, place, name)
            if module is not None:
                files.append(module)
            elif place.file is not None:
                files += [place.file, self.trail(place.file, name)[-1].file]
            else:
                missing.append(name)
        # A folder without `__init__` may share the name of an installed package, so its missing names do not count.
        is_known = item.target.startswith(".") and place.folders and missing != [EVERYTHING]
        why = f"no module {', '.join(missing)} in {place.folders[0]}/" if missing and is_known else None
        return Resolution(tuple(dict.fromkeys(files)), why)

    def parts(self, path: str) -> Iterable[str]:  # noqa: ARG002 - a class is in one file
        """Return nothing: a class is in one file."""
        return ()

    def implied(self, path: str) -> Iterator[str]:
        """Yield the `conftest.py` files above a test, nearest first."""
        if _TEST.fullmatch(path.rpartition("/")[2]):
            for folder in PurePosixPath(path).parents:
                conftest = str(folder / "conftest.py")
                if conftest in self.sources and conftest != path:
                    yield conftest

    def place(self, path: str, target: str) -> ModuleLookup:
        """Return the lookup of a module's name as written in a file."""
        scan = self.sources.scan(path)
        return self._place(path.rpartition("/")[0], target, path.endswith(".pyi"), scan.is_script, scan.moves_path)

    def submodule(self, path: str, place: ModuleLookup, name: str) -> str | None:
        """Return the file of a package's module `name`, unless it is the file at `path`."""
        for folder in place.folders if name != EVERYTHING else ():
            module = self._roots.module(f"{folder}/{name}" if folder else name, path.endswith(".pyi"))
            if module is not None and module != path:
                return module
        return None

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the origin of `a.b.c` in a file, through imports, submodules and re-exports."""
        origin, rest = self.trail(path, names[0])[-1], names[1:]
        if origin == Origin(path, names[0]):
            sizes = range(len(names), 0, -1)
            known = self._dotted(path)
            size = next((size for size in sizes if ".".join(names[:size]) in known), 0)
            if not size:
                return
            origin, rest = Origin(known[".".join(names[:size])], ""), names[size:]
        while not origin.name and rest:
            module = self.child(origin.file, rest[0])
            following = self.trail(origin.file, rest[0])[-1]
            is_module = module is not None and following == Origin(origin.file, rest[0])
            origin, rest = Origin(module, "") if is_module and module is not None else following, rest[1:]
        yield origin, rest

    def _find_dotted(self, path: str) -> dict[str, str]:
        """Return the names of `import a.b` in a file with their modules, those of the packages included."""
        found: dict[str, str] = {}
        for item in self.sources.scan(path).imports:
            if item.names or item.alias or item.kind == "call":
                continue
            parts = item.target.split(".")[:DEEPEST]
            for size in range(len(parts), 0, -1):
                name = ".".join(parts[:size])
                file = self.place(path, name).file
                if file is not None:
                    found.setdefault(name, file)
        return found

    def child(self, file: str, name: str) -> str | None:
        """Return the file of module `name` in the package whose `__init__` is `file`."""
        folder, _, base = file.rpartition("/")
        if not base.startswith("__init__."):
            return None
        return self._roots.module(f"{folder}/{name}" if folder else name)

    def _trail(self, file: str, name: str) -> tuple[Origin, ...]:
        """Return the path of a name from the imported module through re-exports and star imports to its origin."""
        trail = [Origin(file, name)]
        while len(trail) < MOST_STEPS and trail[-1].name not in ("", EVERYTHING):
            following = self._next(trail[-1])
            if following is None or following in trail:
                break
            trail.append(following)
        return tuple(trail)

    def _bound(self, file: str) -> dict[str, tuple[Import, str]]:
        """Return name -> (import that binds it in a file, its name there), top-level imports first."""
        table: dict[str, tuple[Import, str]] = {}
        for item in sorted(self.sources.scan(file).imports, key=lambda item: not item.is_top):
            if item.alias and not item.names:
                table.setdefault(item.alias, (item, ""))
            for name, local in item.names:
                table.setdefault(local, (item, name))
        return table

    def _stars(self, file: str) -> tuple[str, ...]:
        """Return the star-imported modules of a file, last first."""
        items = [item for item in reversed(self.sources.scan(file).imports) if item.is_star]
        found = (self.place(file, item.target).file for item in items)
        return tuple(target for target in found if target is not None and target != file)

    def _names(self, file: str) -> ModuleNames:
        """Return the names a module defines itself."""
        return ModuleNames(self.sources.read(file) or b"")

    def _next(self, origin: Origin) -> Origin | None:
        """Return the next file on the way from a re-export to its origin."""
        file, name = origin.file, origin.name
        item, original = self.bound(file).get(name, (None, ""))
        if item is not None and (item.is_top or not self.names(file).defines(name)):
            place = self.place(file, item.target)
            module = self.submodule(file, place, original) if item.names else None
            if module is not None:
                return Origin(module, "")
            return Origin(place.file, original) if place.file is not None and place.file != file else None
        stars = self.stars(file)
        if stars and not self.names(file).defines(name):
            return next((Origin(star, name) for star in stars if self._offers(star, name, {file})), None)
        return None

    def _offers(self, file: str, name: str, seen: set[str]) -> bool:
        """Return whether `from file import *` binds a name, also through further star imports."""
        own = self.names(file)
        if name in self.bound(file) or own.defines(name):
            return own.offers(name)
        seen.add(file)
        stars = [star for star in self.stars(file) if star not in seen] if len(seen) < MOST_STEPS else []
        return any(self._offers(star, name, seen) for star in stars)

    def _find_place(self, folder: str, target: str, is_stub: bool, is_script: bool, moves_path: bool) -> ModuleLookup:
        if target.startswith("."):
            return self._relative(folder, target, is_stub)
        return self._absolute(folder, target, is_stub, is_script, moves_path)

    def _relative(self, folder: str, target: str, is_stub: bool) -> ModuleLookup:
        module = target.lstrip(".")
        for _ in range(len(target) - len(module) - 1):
            if not folder:
                return ModuleLookup(why=f"{target} leads above the repository")
            folder = folder.rpartition("/")[0]
        path = "/".join(filter(None, (folder, *module.split("."))))
        return self._below(folder, module, is_stub) or ModuleLookup(why=f"there is no {path}.py and no {path}/")

    def _absolute(self, folder: str, target: str, is_stub: bool, is_script: bool, moves_path: bool) -> ModuleLookup:
        """Return a module by its full name: from a complete package, else folders without `__init__`, else in part."""
        first = target.partition(".")[0]
        partly: ModuleLookup | None = None
        spaces: list[ModuleLookup] = []
        known = first not in sys.builtin_module_names
        for root in self._roots.of(folder, first, is_script, moves_path) if known else ():
            found = self._below(root, target, is_stub)
            is_package = self._roots.module(f"{root}/{first}" if root else first, is_stub) is not None
            if found is not None and found.why is None:
                if is_package and (found.file is not None or "." in target):
                    return found
                spaces.append(found)
            elif is_package:
                partly = partly or found
        file = next((space.file for space in spaces if space.file is not None), None)
        if file is None and partly is not None:
            return partly
        return ModuleLookup(file, tuple(folder for space in spaces for folder in space.folders))

    def _below(self, root: str, target: str, is_stub: bool) -> ModuleLookup | None:
        """Return a module below a folder, or its existing part with the reason why the rest is missing."""
        parts = target.split(".")
        for size in range(min(len(parts), DEEPEST), 0, -1):
            path = "/".join(filter(None, (root, *parts[:size])))
            file = self._roots.module(path, is_stub)
            if size == len(parts) and (file is not None or path in self._roots.folders):
                return ModuleLookup(file, (path,) if path in self._roots.folders else ())
            if size < len(parts) and file is not None:
                return ModuleLookup(file, (path,), f"{file} is there, but no {parts[size]} in it")
        return None
