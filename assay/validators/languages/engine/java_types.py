"""Types of Java by their packages, as the files declare them; the folder of a file says nothing.

Rules: https://docs.oracle.com/javase/specs/jls/se21/html/jls-6.html: a type imported by name, one of the own package in
any source root, one of a package imported on demand. Types of Kotlin are among them, and the classes that its compiler
makes of top-level functions. Of a name that several modules declare, the own module's is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Sources

_JAVA_LANG = frozenset(
    "Appendable AutoCloseable Boolean Byte CharSequence Character Class ClassLoader ClassValue Cloneable Comparable "
    "Compiler Deprecated Double Enum Error Exception Float FunctionalInterface InheritableThreadLocal Integer Iterable "
    "Long Math Module ModuleLayer Number Object Override Package Process ProcessBuilder ProcessHandle Readable Record "
    "Runnable Runtime RuntimeException RuntimePermission SafeVarargs ScopedValue SecurityManager Short "
    "StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder StringTemplate SuppressWarnings System "
    "Thread ThreadGroup ThreadLocal Throwable Void".split()
)
_JAVA_LANG_THROWN = re.compile(
    r"(?:Arithmetic|ArrayIndexOutOfBounds|ArrayStore|ClassCast|ClassNotFound|CloneNotSupported|EnumConstantNotPresent"
    r"|Illegal(?:Access|Argument|Caller|MonitorState|State|ThreadState)|IndexOutOfBounds|Instantiation|Interrupted"
    r"|LayerInstantiation|Match|NegativeArraySize|NoSuch(?:Field|Method)|NullPointer|NumberFormat|ReflectiveOperation"
    r"|Security|StringIndexOutOfBounds|TypeNotPresent|UnsupportedOperation|WrongThread)Exception"
    r"|(?:AbstractMethod|Assertion|BootstrapMethod|ClassCircularity|ClassFormat|ExceptionInInitializer|IllegalAccess"
    r"|IncompatibleClassChange|Instantiation|Internal|Linkage|NoClassDefFound|NoSuch(?:Field|Method)|OutOfMemory"
    r"|StackOverflow|Unknown|UnsatisfiedLink|UnsupportedClassVersion|Verify|VirtualMachine)Error|ThreadDeath"
)
"""Types that need no import: https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/package-summary.html"""
MOST_PARTS = 50
"""Maximum parts of a full name; a longer one is not a name, and each beginning of each end is tried."""
_OTHERS = (".scala", ".groovy", ".clj", ".xtend")
_ROOT = re.compile(r"(?:^|.*?/)(?:clojure|groovy|java|kotlin|scala|xtend)/(.*)")
"""Folder of a package below a source root, with or without what all packages of the tree have in common."""
_READ = (".java", ".kt")
_BUILD = re.compile(r"(?:^|/)(?:pom\.xml|build\.gradle(?:\.kts)?)$")


class JavaTypes(ByNames):
    """Resolver of one tree."""

    own = ".java"

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._nested: set[str] = set()
        """Names of types inside others, which a child of the outer one may use."""
        self._stems: set[str] = set()
        """Names of files of other languages in lower case, which may define or generate a type of that name."""
        self._mixed: set[tuple[str, ...]] = set()
        """Last two folders below the source root of files of other languages for the same machine."""
        self._imported = cache(self._find_imported)
        self._modules = {path.rpartition("/")[0] for path in sources.paths if _BUILD.search(path)}
        for path in sources.paths:
            folder, _, base = path.rpartition("/")
            stem = base.partition(".")[0]
            if path.endswith(_READ):
                scan = sources.scan(path)
                facade = (f"{stem[:1].upper()}{stem[1:]}Kt.",) if path.endswith(".kt") else ()
                self._index.add(scan.namespace, path, (*scan.declares, *facade))
                self._nested.update(one.rpartition(".")[2] for one in scan.declares if "." in one[1:-1])
            if not path.endswith(self.own):
                self._stems.add(stem.lower())
            if path.endswith(_OTHERS):
                below = _ROOT.match(folder)
                self._mixed.add(tuple(below[1].split("/")[-2:] if below else folder.split("/")[-1:]))

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the files of an imported type, or of the type whose static member is imported."""
        files = tuple(dict.fromkeys(file for file, _, _ in self._named(path, item.target)))
        package = item.target.rpartition(".")[0]
        if files or item.is_star or package not in self._index:
            return Resolution(files)
        return Resolution((), f"package {package} of this tree has no such type: it may be generated")

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        scan = self._sources.scan(path)
        first, _, rest = mention.partition(".")
        if first and first not in scan.declares:
            files = [file for file, _ in self._type(path, first)]
            yield from files or (file for file, _, _ in self._named(path, mention) if rest)

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        scan = self._sources.scan(path)
        name = mention.partition(".")[0]
        named = [item.target for item in scan.imports if (item.alias or item.target.rpartition(".")[2]) == name]
        by_name = any(one.rpartition(".")[0] not in self._index and one not in before for one in named)
        on_demand = any(item.is_star and item.target not in self._index for item in scan.imports)
        is_common = not named and (name in _JAVA_LANG or _JAVA_LANG_THROWN.fullmatch(name) is not None)
        package = tuple((named or [f"{scan.namespace}."])[0].split(".")[:-1][-2:])
        is_elsewhere = name.lower() in self._stems or not self._mixed.isdisjoint((package, package[-1:]))
        return by_name or on_demand or is_common or is_elsewhere or name in self._nested

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of a type, of a type by its full name, or of a static import."""
        scan = self._sources.scan(path)
        own = [name for name in scan.declares if name.endswith(f".{names[0]}")]
        for name in own:
            yield Origin(path, name), names[1:]
        found = list(self._type(path, names[0]))
        for file, name in found:
            yield self._origin(file, name, names[1:])
        for item in scan.imports:
            if (names[0], names[0]) in item.names:
                for file, name, _ in self._named(path, item.target):
                    yield self._origin(file, name, names)
        if not found and not own:
            for file, name, end in self._named(path, ".".join(names)):
                yield self._origin(file, name, names[end:])

    def _origin(self, file: str, name: str, rest: Sequence[str]) -> tuple[Origin, Sequence[str]]:
        """Return the origin of a type, or of the function that is asked of a class which Kotlin's compiler makes."""
        if rest and file.endswith(".kt") and name not in self._sources.scan(file).declares:
            return Origin(file, rest[0]), rest[1:]
        return Origin(file, name), rest

    def _type(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield (file, name there) of a type by its simple name."""
        by_name, on_demand = self._imported(path)
        if name in by_name:
            yield from ((file, there) for file, there, _ in self._named(path, by_name[name]))
            return
        near = self._files(path, self._sources.scan(path).namespace, name)
        if near:
            yield from ((file, name) for file in near)
            return
        for target, outer in on_demand:
            yield from ((file, name) for file in self._files(path, target, name))
            for file, there, _ in outer:
                if f"{there}.{name}" in self._sources.scan(file).declares:
                    yield file, f"{there}.{name}"

    def _find_imported(self, path: str) -> tuple[dict[str, str], list[tuple[str, list[tuple[str, str, int]]]]]:
        """Return simple name -> type imported by name, and what is imported on demand with the types of that name."""
        imports = self._sources.scan(path).imports
        named = [(item.alias or item.target.rpartition(".")[2], item.target) for item in imports if not item.names]
        stars = dict.fromkeys(item.target for item in imports if item.is_star)
        return dict(reversed(named)), [(target, self._named(path, target)) for target in stars]

    def _files(self, path: str, package: str, name: str) -> Sequence[str]:
        """Return the files of a package that declare a name, those of the own module if there are any."""
        found = [file for file in self._index.files(package, name) if self.sees(file, name)]
        found = found or [*self._index.files(package, f"{name}.")]
        own = self._module(path) if len(found) > 1 else ""
        return [file for file in found if self._module(file) == own] or found

    def sees(self, file: str, name: str) -> bool:
        """Return whether code can name what a file declares: functions of Kotlin only through their class."""
        return file.endswith(".java") or not name[:1].islower()

    def _module(self, path: str) -> str:
        folder = path.rpartition("/")[0]
        while folder and folder not in self._modules:
            folder = folder.rpartition("/")[0]
        return folder

    def _named(self, path: str, full: str) -> list[tuple[str, str, int]]:
        """Return (file, name there, number of parts) of the longest beginning of a full name that is a type."""
        parts = full.split(".")
        is_known = any(self._index.where(one) or self._index.where(f"{one}.") for one in parts)
        if len(parts) > MOST_PARTS or not is_known:
            return []
        for end in range(len(parts), 0, -1):
            for start in range(end - 1, -1, -1):
                package, name = ".".join(parts[:start]), ".".join(parts[start:end])
                files = self._files(path, package, name) if package in self._index else ()
                if files:
                    return [(file, name, end) for file in files]
        return []
