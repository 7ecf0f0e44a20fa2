"""Packages of Go: a folder below the nearest go.mod, whose files see each other's names.

Rules: https://go.dev/ref/mod and https://go.dev/ref/spec#Packages. Copies below `vendor` are
outside; files of every build tag are kept. Only tests see what tests declare.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Scan, Sources

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACE = re.compile(r"^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}/\S*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_VERSION = re.compile(r"/v\d+$")
_OUTSIDE = re.compile(r"(?:^|/)vendor/")
MOST_MODULES = 2000
_PREDECLARED = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint "
    "uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make "
    "max min new panic print println real recover".split()
)


class GoPackages(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._modules: dict[str, str] = {}
        self._replaced: dict[str, str] = {}
        self._find_modules()
        self._imports: dict[str, dict[str, list[str]]] = {}
        self._files: dict[str, list[str]] = {}
        """Package -> its files without tests."""
        for path in sources.paths:
            if path.endswith(".go") and not _OUTSIDE.search(path):
                scan = sources.scan(path)
                package = self._package(path, scan)
                self._index.add(package, path, scan.declares)
                if not path.endswith("_test.go"):
                    self._files.setdefault(package, []).append(path)

    def resolve(self, path: str, item: Import) -> Resolution:  # noqa: ARG002 - one form for all languages
        """Return the files of a package that is imported for its effects; names lead to the others."""
        package = self._folder_of(item.target)
        if package is None:
            return Resolution()
        if package not in self._index:
            return Resolution((), "no such package in this tree")
        return Resolution(tuple(self._files.get(package, ())) if item.alias == "_" else ())

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        if mention not in self._sources.scan(path).declares:
            yield from (origin.file for origin, rest in self.origins(path, mention.split(".")) if not rest)

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        imports = self._sources.scan(path).imports
        qualifier, dot, _ = mention.partition(".")
        if dot:
            if qualifier in self._imported(path):
                return any(self._may_be_release(path, folder) for folder in self._imported(path)[qualifier])
            gone = {item.alias or _VERSION.sub("", item.target).rpartition("/")[2]: item.target for item in imports}
            return gone.get(qualifier) not in before
        return qualifier in _PREDECLARED or any(
            (item.alias == "." and not self._is_here(item.target))
            or qualifier == item.alias
            or (not item.alias and qualifier in _WORD.findall(item.target))
            for item in imports
        )

    def _may_be_release(self, path: str, folder: str) -> bool:
        """Return whether a file of another module may take a package from a release, not from this tree."""
        homes = self._modules.values()
        if "go.work" in self._sources.paths or self._replaced or not homes:
            return False
        return _home(path, homes) != _home(f"{folder}/", homes)

    def _is_here(self, target: str) -> bool:
        folder = self._folder_of(target)
        return folder is not None and folder in self._index

    def parts(self, path: str) -> Iterable[str]:
        """Return the files of its package that define methods of its types."""
        scan = self._sources.scan(path)
        package = self._package(path, scan)
        return dict.fromkeys(file for name in scan.declares for file in self._seen(path, package, f"{name}."))

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of `Name` in the own package, or of `package.Name`."""
        imported = self._imported(path)
        own = (self._package(path, self._sources.scan(path)), *imported.get(".", ()))
        places = [(package, names[0], names[1:]) for package in own]
        if len(names) > 1:
            places += [(package, names[1], names[2:]) for package in imported.get(names[0], ())]
        for package, name, rest in places:
            yield from ((Origin(file, name), rest) for file in self._seen(path, package, name))

    def _seen(self, path: str, package: str, name: str) -> Iterator[str]:
        """Yield the files of a package that declare a name; tests are seen by tests of their folder alone."""
        is_test, folder = path.endswith("_test.go"), posixpath.dirname(path)
        for file in self._index.files(package, name):
            if not file.endswith("_test.go") or (is_test and posixpath.dirname(file) == folder):
                yield file

    def _package(self, path: str, scan: Scan) -> str:
        """Return the folder of a file, marked if it is in the package `x_test` of outside tests."""
        is_outside = path.endswith("_test.go") and scan.namespace.endswith("_test")
        return f"{posixpath.dirname(path)}{' test' if is_outside else ''}"

    def _imported(self, path: str) -> dict[str, list[str]]:
        """Return local name -> the folders of the packages of this tree that it may mean."""
        found = self._imports.get(path)
        if found is None:
            found = self._imports[path] = {}
            for item in self._sources.scan(path).imports:
                folder = self._folder_of(item.target)
                if folder is not None and folder in self._index:
                    files = self._files.get(folder)
                    usual = self._sources.scan(files[0]).namespace if files else ""
                    usual = usual or _VERSION.sub("", item.target).rpartition("/")[2]
                    found.setdefault(item.alias or usual, []).append(folder)
        return found

    def _folder_of(self, target: str) -> str | None:
        """Return the folder of an imported package, below the nearest module; None if it is from outside the tree."""
        for known in (self._replaced, self._modules):
            module = target
            while module and module not in known:
                module = module.rpartition("/")[0]
            if module:
                folder = posixpath.normpath(posixpath.join(known[module], target[len(module) + 1 :]))
                return "" if folder == "." else folder
        return None

    def _find_modules(self) -> None:
        """Find the module of each go.mod, and those that it takes from a folder of this tree."""
        paths = [path for path in self._sources.paths if path.rpartition("/")[2] == "go.mod"][:MOST_MODULES]
        for path in paths:
            content = self._sources.read(path)
            if content is None or _OUTSIDE.search(path):
                continue
            home, text = posixpath.dirname(path), content.decode("utf-8", "replace")
            named = _MODULE.search(text)
            if named is not None:
                self._modules[named[1]] = home
            for module, place in _REPLACE.findall(text):
                where = posixpath.normpath(posixpath.join(home, place))
                if not where.startswith(".."):
                    self._replaced[module] = "" if where == "." else where


def _home(path: str, homes: Iterable[str]) -> str:
    """Return the folder of the nearest module around a path."""
    return max((home for home in homes if not home or path.startswith(f"{home}/")), key=len, default="")
