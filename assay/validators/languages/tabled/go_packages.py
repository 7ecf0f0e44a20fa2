"""Packages of Go: a folder below the nearest go.mod, whose files see each other's names.

Rules: https://go.dev/ref/mod and https://go.dev/ref/spec#Packages. Copies below `vendor` are
outside; files of every build tag are kept. Only tests see what tests declare.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from assay.validators.languages.language import Import, Origin, Resolution, Scan, Sources
from assay.validators.languages.tabled.names import NameIndex, origins_in

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


class GoPackages:
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._modules = dict(self._find_modules())
        self._replaced = dict(self._find_replaced())
        self._imports: dict[str, dict[str, list[str]]] = {}
        self._index = NameIndex()
        self._clauses: dict[str, str] = {}
        for path in sources.paths:
            if path.endswith(".go") and not _OUTSIDE.search(path):
                scan = sources.scan(path)
                package = self._package(path, scan)
                self._index.add(package, path, scan.declares)
                if not path.endswith("_test.go"):
                    self._clauses.setdefault(package, scan.namespace)

    def resolve(self, path: str, item: Import) -> Resolution:  # noqa: ARG002 - one form for all languages
        """Return the files of a package that is imported for its effects; names lead to the others."""
        package = self._folder_of(item.target)
        if package is None:
            return Resolution()
        if package not in self._index:
            return Resolution((), "no such package in this tree")
        if item.alias != "_":
            return Resolution()
        folder = package + "/" if package else ""
        files = (one for one in self._sources.paths if one.startswith(folder) and "/" not in one[len(folder) :])
        return Resolution(tuple(one for one in files if one.endswith(".go") and not one.endswith("_test.go")))

    def implied(self, path: str) -> Iterable[str]:
        """Return the files whose names a file mentions."""
        scan = self._sources.scan(path)
        return (file for mention in scan.mentions for file in self.named(path, mention))

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        scan = self._sources.scan(path)
        qualifier, dot, name = mention.partition(".")
        if dot:
            packages: Iterable[str] = self._imported(path).get(qualifier, ())
        elif qualifier in scan.declares:
            return
        else:
            name, packages = qualifier, (self._package(path, scan), *self._imported(path).get(".", ()))
        for package in packages:
            yield from self._seen(path, package, name)

    def may_be_foreign(self, path: str, mention: str) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        qualifier, dot, _ = mention.partition(".")
        if dot:
            return qualifier not in self._imported(path)
        imports = self._sources.scan(path).imports
        return qualifier in _PREDECLARED or any(
            (item.alias == "." and not self._is_here(item.target))
            or qualifier == item.alias
            or (not item.alias and qualifier in _WORD.findall(item.target))
            for item in imports
        )

    def _is_here(self, target: str) -> bool:
        folder = self._folder_of(target)
        return folder is not None and folder in self._index

    def parts(self, path: str) -> Iterable[str]:
        """Return the files of its package that define methods of its types."""
        scan = self._sources.scan(path)
        package = self._package(path, scan)
        return dict.fromkeys(file for name in scan.declares for file in self._seen(path, package, f"{name}."))

    def trail(self, file: str, name: str) -> Sequence[Origin]:
        """Return the name itself: Go re-exports nothing."""
        return (Origin(file, name),)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of `Name` in the own package, or of `package.Name`."""
        scan = self._sources.scan(path)
        yield from origins_in(self._seen(path, self._package(path, scan), names[0]), names[0], names[1:])
        imported = self._imported(path)
        for package in imported.get(".", ()):
            yield from origins_in(self._seen(path, package, names[0]), names[0], names[1:])
        for package in imported.get(names[0], ()) if len(names) > 1 else ():
            yield from origins_in(self._seen(path, package, names[1]), names[1], names[2:])

    def _seen(self, path: str, package: str, name: str) -> Iterator[str]:
        return self._visible(path, self._index.files(package, name))

    def _visible(self, path: str, files: Iterable[str]) -> Iterator[str]:
        """Yield the files that a file sees: tests only from tests of their folder."""
        is_test, folder = path.endswith("_test.go"), posixpath.dirname(path)
        for file in files:
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
                    usual = self._clauses.get(folder) or _VERSION.sub("", item.target).rpartition("/")[2]
                    found.setdefault(item.alias or usual, []).append(folder)
        return found

    def _folder_of(self, target: str) -> str | None:
        """Return the folder of an imported package; None if it is from outside the tree."""
        for known in (self._replaced, self._modules):
            for module, home in known.items():
                if target == module or target.startswith(f"{module}/"):
                    folder = posixpath.normpath(posixpath.join(home, target[len(module) + 1 :]))
                    return "" if folder == "." else folder
        return None

    def _manifests(self) -> Iterator[tuple[str, str]]:
        paths = [path for path in self._sources.paths if path.rpartition("/")[2] == "go.mod"][:MOST_MODULES]
        for path in paths:
            content = self._sources.read(path)
            if content is not None and not _OUTSIDE.search(path):
                yield posixpath.dirname(path), content.decode("utf-8", "replace")

    def _find_modules(self) -> Iterator[tuple[str, str]]:
        """Yield (module, folder), the longest module first: it is the nearest one."""
        found = [(match[1], folder) for folder, text in self._manifests() if (match := _MODULE.search(text))]
        yield from sorted(found, key=lambda one: -len(one[0]))

    def _find_replaced(self) -> Iterator[tuple[str, str]]:
        """Yield (module, folder) of modules that a go.mod takes from a folder of this tree."""
        for folder, text in self._manifests():
            for module, place in _REPLACE.findall(text):
                where = posixpath.normpath(posixpath.join(folder, place))
                if not where.startswith(".."):
                    yield module, "" if where == "." else where
