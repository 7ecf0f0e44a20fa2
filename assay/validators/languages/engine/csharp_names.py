"""Types of C# by their namespaces, as the files declare them and as far as their project sees.

Rules: https://learn.microsoft.com/dotnet/csharp/language-reference/language-specification/basic-concepts#78-namespace-and-type-names:
a type of the namespaces around, from the inside outwards, an alias, one of the namespaces in use. Several files may
declare parts of one type. Types with other numbers of type parameters are others.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from assay.validators.languages.engine.csharp_projects import Projects
from assay.validators.languages.engine.names import ByNames, NameIndex
from assay.validators.languages.engine.rows import CSHARP
from assay.validators.languages.language import Import, Origin, Resolution, Sources

_PLAIN = frozenset(
    f"System{name}"
    for name in (
        " .Collections .Collections.Concurrent .Collections.Generic .Collections.ObjectModel .ComponentModel "
        ".Diagnostics .Diagnostics.CodeAnalysis .Globalization .IO .Linq .Net.Http .Reflection "
        ".Runtime.CompilerServices .Runtime.Serialization .Text .Text.RegularExpressions .Threading .Threading.Tasks"
    ).split(" ")
)
"""Namespaces of .NET whose types are in `CSHARP.known`, and whose functions extend no type from elsewhere."""
_OUTSIDE = ("System", "Microsoft", "Windows")
"""First names of namespaces that are outside, even if the tree adds types to them."""
MOST_PARTS = 10
MOST_NAMESPACES = 20
"""Maximum namespaces of one file, and maximum parts of a namespace or full name."""


class _Scope(NamedTuple):
    """What a file may name: the namespaces around it, innermost first, its aliases, and the namespaces in use."""

    around: tuple[str, ...]
    aliases: dict[str, str]
    used: tuple[str, ...]


_Found = list[tuple[str, str, int]]
"""(File, name there, number of parts) of each type that a name may mean."""


class CsharpNames(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._projects = Projects(sources)
        self._plain = NameIndex()
        """Names without the numbers of their type parameters."""
        self._namespaces: set[str] = {""}
        self._nested: set[str] = set()
        self._stems: set[str] = set()
        self._globals: dict[str | None, list[Import]] = {}
        self._scope, self._own = cache(self._find_scope), cache(self._find_own)
        for path in sources.paths:
            if path.endswith(".cs"):
                self._add(path)
            else:
                self._stems.add(posixpath.basename(path).partition(".")[0].lower())

    def _add(self, path: str) -> None:
        scan = self._sources.scan(path)
        plain = dict.fromkeys(name.partition("`")[0] for name in scan.declares)
        for namespace in _namespaces(scan.namespace):
            self._index.add(namespace, path, scan.declares)
            self._plain.add(namespace, path, plain)
            parts = namespace.split(".")
            self._namespaces.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
        self._nested.update(name.rpartition(".")[2] for name in plain if "." in name[1:])
        project = self._projects.of(posixpath.dirname(path))
        self._globals.setdefault(project, []).extend(one for one in scan.imports if one.kind == "global")

    def _find_own(self, path: str) -> frozenset[str]:
        """Return the types of a file by their simple names, those inside others too."""
        return frozenset(name.rpartition(".")[2] for name in self._sources.scan(path).declares if name[:1] != ".")

    def _find_scope(self, path: str) -> _Scope:
        scan = self._sources.scan(path)
        project = self._projects.of(posixpath.dirname(path))
        items = [*scan.imports, *self._globals.get(project, ()), *self._projects.usings(project)]
        around: dict[str, None] = {}
        for namespace in _namespaces(scan.namespace):
            parts = namespace.split(".")
            around |= dict.fromkeys(".".join(parts[:end]) for end in range(len(parts), 0, -1))
        aliases = {one.alias: _written(one) for one in items if one.alias}
        return _Scope((*around, ""), aliases, tuple(dict.fromkeys(_written(one) for one in items if not one.alias)))

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the files of a type that is used as a whole or under another name; names lead to the others."""
        target = _written(item)
        is_namespace = not item.alias and target in self._namespaces
        found = [] if is_namespace else self._full(path, target, self._plain)
        return Resolution(tuple(dict.fromkeys(file for file, _, _ in found)))

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        first, _, rest = mention.partition(".")
        if first and first not in self._own(path):
            plain, _, kind = first.partition("`")
            several = (f"{plain}Attribute", plain) if kind == "Attribute" else (first,)
            found = next(filter(None, (self._types(path, one, self._index) for one in several)), [])
            yield from (file for file, _, _ in found or (self._full(path, mention, self._index) if rest else ()))

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:  # noqa: ARG002
        """Return whether a mention may name what no file of the tree declares."""
        name = mention.partition(".")[0].partition("`")[0]
        is_known = not name or name in CSHARP.known or f"{name}Attribute" in CSHARP.known or name in self._nested
        is_other = name in self._scope(path).aliases or name.lower() in self._stems
        return is_known or is_other or self._uses_others(path)

    def _uses_others(self, path: str) -> bool:
        """Return whether a file uses a namespace from outside of which little is known."""
        used = self._scope(path).used
        outside = (one for one in used if one not in self._namespaces or one.partition(".")[0] in _OUTSIDE)
        return any(one not in _PLAIN for one in outside)

    def parts(self, path: str) -> Iterator[str]:
        """Return the other files of the project that declare parts of its types."""
        scan = self._sources.scan(path)
        project = self._projects.of(posixpath.dirname(path))
        for namespace in _namespaces(scan.namespace):
            for name in scan.declares:
                several = self._index.files(namespace, name) if not name.startswith(".") else ()
                yield from (one for one in several if self._projects.of(posixpath.dirname(one)) == project)

    def extending(self, path: str, name: str) -> Iterator[str]:
        """Yield the files with a function of this name that code may call as a member of any value."""
        if known := self._plain.where(f".{name}"):
            scope = self._scope(path)
            places = (known.get(namespace, ()) for namespace in dict.fromkeys((*scope.around, *scope.used)))
            yield from (file for files in places for file in files if self._projects.sees(path, file))

    def may_extend(self, path: str, name: str) -> bool:
        """Return whether a member of this name may be a function from elsewhere."""
        return bool(self._plain.where(f".{name}")) or self._uses_others(path)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of a type, of a type by its full name, or of a static member in use."""
        is_own = any(name.partition("`")[0] == names[0] for name in self._own(path))
        for name in self._sources.scan(path).declares if is_own else ():
            if name.partition("`")[0].endswith(f".{names[0]}"):
                yield Origin(path, name.partition("`")[0]), names[1:]
        found = self._types(path, names[0], self._plain) or self._full(path, ".".join(names), self._plain)
        for file, name, end in found:
            yield Origin(file, name), names[end:]
        for target in self._scope(path).used if not found else ():
            for file, name, _ in self._full(path, target, self._plain) if target not in self._namespaces else ():
                yield Origin(file, f"{name}.{names[0]}"), names[1:]

    def _types(self, path: str, name: str, index: NameIndex) -> _Found:
        """Return the types of a simple name."""
        scope, known = self._scope(path), index.where(name)
        for namespace in scope.around if known else ():  # most names are of a library
            if namespace in known and (found := self._files(path, namespace, name, index)):
                return found
        if name in scope.aliases:
            return [(file, there, 1) for file, there, _ in self._full(path, scope.aliases[name], self._plain)]
        used = (one for one in scope.used if one in known) if known else ()
        return [one for namespace in used for one in self._files(path, namespace, name, index)]

    def _full(self, path: str, full: str, index: NameIndex) -> _Found:
        """Return the types that the longest beginning of a full name means, from the namespaces around."""
        parts = full.split(".")
        around = self._scope(path).around if len(parts) <= MOST_PARTS else ()
        for outer in around:
            if f"{outer}.{parts[0]}".lstrip(".") not in self._namespaces and len(parts) > 1:
                continue
            for end in range(len(parts), 0, -1):
                for start in range(end - 1, -1, -1):
                    namespace = ".".join((outer, *parts[:start])).strip(".")
                    name = ".".join(parts[start:end])
                    if found := self._files(path, namespace, name, index) if namespace in self._namespaces else None:
                        return [(file, there, end) for file, there, _ in found]
        return []

    def _files(self, path: str, namespace: str, name: str, index: NameIndex) -> _Found:
        files = index.files(namespace, name)
        return [(file, name.partition("`")[0], 1) for file in files if self._projects.sees(path, file)]


def _namespaces(written: str) -> list[str]:
    """Return the namespaces of a file: "" for the global one; none that is longer than real ones."""
    found = written.split()[:MOST_NAMESPACES] or [""]
    return [one for one in found if one.count(".") < MOST_PARTS]


def _written(item: Import) -> str:
    """Return the target of an import without the arguments of its type."""
    return "".join(item.target.partition("<")[0].removeprefix("global::").split())
