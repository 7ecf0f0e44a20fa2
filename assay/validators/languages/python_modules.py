"""Which file a Python import means: modules, packages, and the file that supplies a re-exported name."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from assay.validators.languages.language import EVERYTHING, Import, Origin, Resolution, Sources
from assay.validators.languages.python_names import exported_names
from assay.validators.languages.python_roots import Roots

MOST_STEPS = 200
"""Re-exports followed for one name; more is a loop or a joke."""


class PythonResolver:
    """Resolves the imports of one tree's Python files; see `Roots` for where absolute ones begin."""

    def __init__(self, sources: Sources, suffixes: frozenset[str]) -> None:
        self._sources = sources
        paths = [path for path in sources.paths if path.rpartition(".")[2] in suffixes]
        self._roots = Roots(sources, paths)
        self._found: dict[tuple[str, str, bool, bool], _Place] = {}
        self._suppliers: dict[tuple[str, str], Origin] = {}
        self._exports: dict[str, frozenset[str]] = {}

    def resolve(self, path: str, item: Import) -> Resolution:
        """The module's file, and for a re-exported name the file that supplies it as well."""
        place = self.place(path, item.target)
        if not item.names:
            return Resolution((place.file,) if place.file else (), place.why)
        files: list[str] = []
        missing: list[str] = []
        for name, _ in item.names:
            module = self._submodule(path, place, name)
            if module is not None:
                files.append(module)
            elif place.file is not None:
                files += [place.file, self.supplier(place.file, name).file]
            elif place.folder is not None and name != EVERYTHING:
                missing.append(name)
        if place.why is not None:
            return Resolution((place.file,) if place.file else (), place.why)
        why = f"no module or name {', '.join(missing)} in {place.folder}/" if missing else None
        return Resolution(tuple(dict.fromkeys(files)), why)

    def origins(self, path: str, item: Import) -> Iterator[tuple[str, Origin]]:
        """(what it is called here, where it comes from) of each name an import binds."""
        place = self.place(path, item.target)
        if not item.names:
            if place.file and place.why is None:
                yield item.alias or item.target, Origin(place.file, "")
            return
        for name, local in item.names:
            origin = self._origin(path, place, name)
            if origin is not None:
                yield local, origin

    def named(self, path: str, item: Import) -> str | None:
        """The file of the module an import names, without following what it takes from it."""
        return self.place(path, item.target).file

    def place(self, path: str, target: str) -> _Place:
        """What a module's name, as it stands in a file, leads to."""
        folder = path.rpartition("/")[0]
        scan = self._sources.scan(path)
        is_script = scan is not None and scan.is_script
        key = (folder, target, path.endswith(".pyi"), is_script)
        found = self._found.get(key)
        if found is None:
            relative = target.startswith(".")
            found = self._found[key] = self._relative(*key[:3]) if relative else self._absolute(*key)
        return found

    def _origin(self, path: str, place: _Place, name: str) -> Origin | None:
        module = self._submodule(path, place, name)
        if module is not None:
            return Origin(module, "")
        return None if place.file is None else self.supplier(place.file, name)

    def _submodule(self, path: str, place: _Place, name: str) -> str | None:
        """The file of a package's module `name`, unless it is the importing file itself (an `__init__` asks for its own name)."""
        if name == EVERYTHING or place.folder is None:
            return None
        module = self._roots.module(f"{place.folder}/{name}".lstrip("/"), path.endswith(".pyi"))
        return module if module != path else None

    def supplier(self, file: str, name: str) -> Origin:
        """Where a module's name really comes from, through re-exports and star imports; the module itself where none is seen."""
        if name == EVERYTHING:
            return Origin(file, name)
        key = (file, name)
        if key not in self._suppliers:
            self._suppliers[key] = self._follow(file, name)
        return self._suppliers[key]

    def _follow(self, file: str, name: str) -> Origin:
        seen = {(file, name)}
        for _ in range(MOST_STEPS):
            following = self._next(file, name)
            if following is None or not following.name:
                return following or Origin(file, name)
            if (following.file, following.name) in seen:
                break
            file, name = following.file, following.name
            seen.add((file, name))
        return Origin(file, name)

    def _next(self, file: str, name: str) -> Origin | None:
        """One step from where a name is asked for to where that file took it from."""
        scan = self._sources.scan(file)
        if scan is None:
            return None
        for item in sorted(scan.imports, key=lambda item: not item.is_top):
            for original, local in item.names:
                if local == name:
                    return self._step(file, item, original)
            if not item.names and item.alias == name:
                place = self.place(file, item.target)
                return Origin(place.file, "") if place.file and place.why is None else None
        stars = [item for item in scan.imports if item.names[:1] == ((EVERYTHING, ""),)]
        if stars and name not in self._own_names(file):
            for item in reversed(stars):
                target = self.place(file, item.target).file
                if target is not None and target != file and self._offers(target, name, {file}):
                    return Origin(target, name)
        return None

    def _step(self, file: str, item: Import, name: str) -> Origin | None:
        place = self.place(file, item.target)
        module = self._submodule(file, place, name)
        if module is not None:
            return Origin(module, "")
        return Origin(place.file, name) if place.file else None

    def _offers(self, file: str, name: str, seen: set[str]) -> bool:
        """Whether `from file import *` brings a name, through further star imports too."""
        if name in self._own_names(file):
            return True
        seen.add(file)
        scan = self._sources.scan(file)
        for item in scan.imports if scan else ():
            if any(local == name for _, local in item.names):
                return True
            if item.names[:1] == ((EVERYTHING, ""),):
                target = self.place(file, item.target).file
                if (
                    target is not None
                    and target not in seen
                    and len(seen) < MOST_STEPS
                    and self._offers(target, name, seen)
                ):
                    return True
        return False

    def _own_names(self, file: str) -> frozenset[str]:
        if file not in self._exports:
            self._exports[file] = exported_names(self._sources.read(file) or b"")
        return self._exports[file]

    def _relative(self, folder: str, target: str, is_stub: bool) -> _Place:
        module = target.lstrip(".")
        for _ in range(len(target) - len(module) - 1):
            if not folder:
                return _Place(None, None, f"{target} leads above the repository")
            folder = folder.rpartition("/")[0]
        path = "/".join([*filter(None, [folder]), *filter(None, module.split("."))])
        found = self._at(path, is_stub)
        if found is not None:
            return found
        return self._deepest(folder, module, is_stub) or _Place(None, None, f"there is no {path}.py and no {path}/")

    def _absolute(self, folder: str, target: str, is_stub: bool, is_script: bool) -> _Place:
        first = target.partition(".")[0]
        if first in sys.builtin_module_names:
            return _NOWHERE
        path = target.replace(".", "/")
        roots = (*self._roots.around(folder), *self._roots.elsewhere(folder, first))
        if is_script and self._roots.is_package(folder) and first not in sys.stdlib_module_names:
            roots = (*roots, folder)
        whole, partly, namespace = None, None, None
        for root in roots:
            start = f"{root}/" if root else ""
            is_regular = self._roots.module(start + first) is not None
            found = self._at(start + path, is_stub)
            if found is not None and (is_regular or found.file is None or "." in target):
                if is_regular and found.file is not None:
                    whole = whole or found
                else:
                    namespace = namespace or found
            elif is_regular:
                partly = partly or self._deepest(root, target, is_stub)
        best = whole or (namespace if namespace and namespace.file else None) or partly or namespace
        if best is None:
            return _NOWHERE
        return best

    def _at(self, path: str, is_stub: bool) -> _Place | None:
        file = self._roots.module(path, is_stub)
        folder = path if path in self._roots.folders else None
        if file is None and folder is None:
            return None
        return _Place(file, folder, None)

    def _deepest(self, root: str, target: str, is_stub: bool) -> _Place | None:
        """The part of a dotted name that is there, with the reason why the rest is not."""
        parts = target.split(".")
        for size in range(len(parts) - 1, 0, -1):
            path = "/".join([*filter(None, [root]), *parts[:size]])
            file = self._roots.module(path, is_stub)
            if file is not None:
                return _Place(file, path, f"{file} is there, but no {parts[size]} in it")
        return None


class _Place:
    """A module's file, the folder its submodules lie in, and why the name did not lead all the way."""

    __slots__ = ("file", "folder", "why")

    def __init__(self, file: str | None, folder: str | None, why: str | None) -> None:
        self.file = file
        self.folder = folder
        self.why = why


_NOWHERE = _Place(None, None, None)
