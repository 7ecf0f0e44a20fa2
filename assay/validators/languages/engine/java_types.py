"""Types of Java by their packages, as the files declare them; the folder of a file says nothing.

Rules: https://docs.oracle.com/javase/specs/jls/se21/html/jls-6.html: a type imported by name, one of the own package in
any source root, one of a package imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Scan, Sources

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
_OTHERS = (".kt", ".scala", ".groovy", ".clj", ".xtend")


class JavaTypes(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._nested: set[str] = set()
        """Names of types inside others, which a child of the outer one may use."""
        self._stems: set[str] = set()
        """Names of files of other languages in lower case, which may define or generate a type of that name."""
        self._mixed: set[str] = set()
        """Last folders of files of other languages for the same machine."""
        for path in sources.paths:
            if path.endswith(".java"):
                scan = sources.scan(path)
                self._index.add(scan.namespace, path, scan.declares)
                self._nested.update(one.rpartition(".")[2] for one in scan.declares if "." in one)
            else:
                folder, _, base = path.rpartition("/")
                self._stems.add(base.partition(".")[0].lower())
                if path.endswith(_OTHERS):
                    self._mixed.add(folder.rpartition("/")[2])

    def resolve(self, path: str, item: Import) -> Resolution:  # noqa: ARG002 - one form for all languages
        """Return the files of an imported type, or of the type whose static member is imported."""
        files = tuple(dict.fromkeys(file for file, _, _ in self._named(item.target)))
        package = item.target.rpartition(".")[0]
        if files or item.is_star or package not in self._index:
            return Resolution(files)
        return Resolution((), f"package {package} of this tree has no such type: it may be generated")

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        scan = self._sources.scan(path)
        first, _, rest = mention.partition(".")
        if first and first not in scan.declares:
            files = [file for file, _ in self._type(scan, first)]
            yield from files or (file for file, _, _ in self._named(mention) if rest)

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        scan = self._sources.scan(path)
        name = mention.partition(".")[0]
        named = [item.target for item in scan.imports if item.target.rpartition(".")[2] == name]
        by_name = any(one.rpartition(".")[0] not in self._index and one not in before for one in named)
        on_demand = any(item.is_star and item.target not in self._index for item in scan.imports)
        is_common = not named and (name in _JAVA_LANG or _JAVA_LANG_THROWN.fullmatch(name) is not None)
        package = (named or [f"{scan.namespace}."])[0].rpartition(".")[0].rpartition(".")[2]
        is_elsewhere = name.lower() in self._stems or package in self._mixed
        return by_name or on_demand or is_common or is_elsewhere or name in self._nested

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of a type, of a type by its full name, or of a static import."""
        scan = self._sources.scan(path)
        own = [name for name in scan.declares if name.endswith(f".{names[0]}")]
        for name in own:
            yield Origin(path, name), names[1:]
        found = list(self._type(scan, names[0]))
        for file, name in found:
            yield Origin(file, name), names[1:]
        for item in scan.imports:
            if (names[0], names[0]) in item.names:
                for file, name, _ in self._named(item.target):
                    yield Origin(file, f"{name}.{names[0]}"), names[1:]
        if not found and not own:
            for file, name, end in self._named(".".join(names)):
                yield Origin(file, name), names[end:]

    def _type(self, scan: Scan, name: str) -> Iterator[tuple[str, str]]:
        """Yield (file, name there) of a type by its simple name."""
        for item in scan.imports:
            if not item.names and item.target.rpartition(".")[2] == name:
                yield from ((file, there) for file, there, _ in self._named(item.target))
                return
        near = self._index.files(scan.namespace, name)
        if near:
            yield from ((file, name) for file in near)
            return
        for item in scan.imports:
            if item.is_star:
                yield from ((file, name) for file in self._index.files(item.target, name))
                for file, outer, _ in self._named(item.target):
                    if f"{outer}.{name}" in self._sources.scan(file).declares:
                        yield file, f"{outer}.{name}"

    def _named(self, full: str) -> list[tuple[str, str, int]]:
        """Return (file, name there, number of parts) of the longest beginning of a full name that is a type."""
        parts = full.split(".")
        if len(parts) > MOST_PARTS:
            return []
        for end in range(len(parts), 0, -1):
            for start in range(end - 1, -1, -1):
                package, name = ".".join(parts[:start]), ".".join(parts[start:end])
                files = self._index.files(package, name) if package in self._index else ()
                if files:
                    return [(file, name, end) for file in files]
        return []
