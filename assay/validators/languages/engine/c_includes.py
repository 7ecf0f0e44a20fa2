"""Includes of C and C++, and the files that define what a header only declares.

An include is looked for in the own folder, then in the folders of `compile_commands.json`, CMake and Makefiles, then as
the only file of the tree whose path ends like it. No condition of the preprocessor is evaluated.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Sources

MOST_BUILD_FILES = 200
MOST_FOLDERS = 100
MOST_AROUND = 20
"""Maximum files that include one, whose names it may see."""
MOST_KEPT = 500
_OURS = suffixes("c", "c-header", "cpp")
_HEADERS = (*suffixes("c-header"), ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp")
_INCLUDED = re.compile(r"(?:^|[\s\"])-(?:I|isystem)[ ]?([\w./-]{1,200})")
_CMAKE = re.compile(r"\b(?:target_)?include_directories\s*\(([^()]{0,2000})", re.IGNORECASE)
_HERE = re.compile(
    r"\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR|CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}/?|\$<BUILD_INTERFACE:"
)
_STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype "
    "arpa/inet dirent dlfcn fcntl fnmatch glob grp libgen net/if netdb netinet/in netinet/tcp poll pthread pwd regex "
    "sched semaphore strings sys/ipc sys/mman sys/resource sys/select sys/socket sys/stat sys/time sys/types sys/uio "
    "sys/un sys/utsname sys/wait syslog termios unistd utime "
    "io malloc mstcpip mswsock process sys/param windows winsock2 ws2tcpip xlocale".split()
)
"""Headers of C, POSIX and Windows: https://pubs.opengroup.org/onlinepubs/9799919799/idx/headers.html."""
_PLAIN = re.compile(
    r"[a-z0-9]+|[A-Z0-9_]+|\w*_t|_\w*|(?:aio|aligned|atomic|at|call|clock|cnd|dl|explicit|fe|if|in|int|max|memory|mq|mtx"
    r"|posix|pthread|ptr|quick|sa|sched|sem|shm|sig|size|st|sys|timer|tm|thrd|tss|tv|uint|va|wchar)_\w*"
)
"""Names that a standard library or a compiler flag may give."""


class CIncludes(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._files = [path for path in sources.paths if path.lower().endswith(_OURS)]
        self._names = {path.rpartition("/")[2] for path in sources.paths}
        self._found = cache(self._find)
        self._ends: dict[str, list[str]] = {}
        self._included: dict[str, list[str]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._views: dict[str, frozenset[str]] = {}
        for path in self._files:
            self._ends.setdefault(path.rpartition("/")[2], []).append(path)
            declares = sources.scan(path).declares
            self._index.add("=", path, (one[:-1] for one in declares if one.endswith("=")))
            self._index.add(".", path, (one[:-1] for one in declares if one.endswith(".")))
            self._index.add("", path, (one for one in declares if one[-1:] not in "=.!"))

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the file of an include."""
        target = item.target.replace("\\", "/")
        if target.rpartition("/")[2] not in self._names:
            return Resolution()
        return self._found(posixpath.dirname(path), target)

    def _find(self, folder: str, target: str) -> Resolution:
        places = [folder, *self._folders]
        found = next((one for one in (_joined(place, target) for place in places) if one in self._sources), None)
        ends = [] if found is not None else self._ends.get(target.rpartition("/")[2], [])
        ends = [one for one in ends if one.endswith(f"/{target.lstrip('./')}") or one == target]
        is_standard = "." not in target or target.removesuffix(".h") in _STANDARD
        if found is None and len(ends) == 1 and not is_standard:
            found = ends[0]
        if found is not None:
            return Resolution((found,))
        return Resolution((), "several files of this tree end like it" if len(ends) > 1 and not is_standard else None)

    def implied(self, path: str) -> Iterable[str]:
        """Return the files that define what this one mentions and a header that it includes declares."""
        declares, mark = set(self._sources.scan(path).declares), "=" if path.endswith(_HEADERS) else ""
        for mention in self._sources.scan(path).mentions:
            if f"{mention}{mark}" not in declares:
                yield from self._defining(path, mention)

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare or define what a mention in a file names."""
        name = mention.partition(".")[0]
        if mention not in self._sources.scan(path).declares:
            yield from (file for file in self._index.files("", name) if file in self._seen(path))
            yield from self._defining(path, mention)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the origin of a name: the only file that defines it, else those that declare it."""
        for start in range(min(3, len(names))):  # namespaces come before a name
            name, rest = names[start], names[start + 1 :]
            defined = (
                list(self._defining(path, name)) or self._visible(path, "=", name) or self._visible(path, "", name)
            )
            for file in defined:
                yield Origin(file, name), rest
            if defined:
                return

    def parts(self, path: str) -> Iterable[str]:
        """Return the files that define members of the classes of a header."""
        if not path.endswith(_HEADERS):
            return ()
        declares = self._sources.scan(path).declares
        several = (self._index.files(".", name) for name in declares if name[-1:] not in "=.!")
        return dict.fromkeys(file for files in several for file in files if path in self._closure(file))

    def declaring(self, name: str) -> Sequence[str]:
        """Return the files that declare a name, or the class of a member."""
        return self._index.files("", name.partition(".")[0])

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:  # noqa: ARG002 - no packages
        """Return whether a mention may name what no file of the tree declares: one of a library or of a macro."""
        name = mention.encode("utf-8", "surrogateescape")
        if _PLAIN.fullmatch(mention) or "." in mention or path.endswith(_HEADERS):
            return True
        for file in self._seen(path):
            text = self._sources.read(file) or b""
            is_left = file != path and file.endswith(_HEADERS) and name in text
            is_here = _is_pasted(mention, text) or b"using namespace" in text or is_left
            if is_here or any(self._is_outside(file, item) for item in self._sources.scan(file).imports):
                return True
        return False

    def may_be_foreign_import(self, path: str, item: Import, before: Collection[str]) -> bool:  # noqa: ARG002 - no packages
        """Return whether an included file may be outside the tree: one in angle brackets, or one that is made."""
        return "/" not in item.target and self._is_made(item.target)

    def _is_outside(self, path: str, item: Import) -> bool:
        """Return whether an include leads to a file whose names are not known."""
        stem, dot, _ = item.target.partition(".")
        is_known = stem in _STANDARD if dot else "/" not in item.target
        return not is_known and not self.resolve(path, item).files

    def _is_made(self, target: str) -> bool:
        """Return whether the tree has a file from which another one of this name may be made."""
        stem = target.rpartition("/")[2].partition(".")[0]
        return any(path.rpartition("/")[2].startswith(f"{stem}.") for path in self._sources.paths)

    # What a file sees

    def _defining(self, path: str, mention: str) -> Iterator[str]:
        """Yield the only source file that defines a name which a header declares for the file at `path`."""
        *_, owner, name = ("", *mention.split("."))
        is_member = owner and self._index.files("", owner)  # else it is a namespace
        files = self._index.files("=", f"{owner}.{name}" if is_member else name)
        is_elsewhere = len(files) == 1 and files[0] != path and not files[0].endswith(_HEADERS)
        declaring = self._index.files("", owner if is_member else name) if is_elsewhere else ()
        if any(file.endswith(_HEADERS) and file in self._seen(path) for file in declaring):
            yield files[0]

    def _visible(self, path: str, kind: str, name: str) -> list[str]:
        return [file for file in self._index.files(kind, name) if file in self._seen(path)]

    def _seen(self, path: str) -> frozenset[str]:
        """Return the files whose names a file sees; one that others include sees what they include before it."""
        if path not in self._views:
            around, left = {path}, [path]
            while left and len(around) < MOST_AROUND:
                for one in self._includers.get(left.pop(), ()):
                    if one not in around:
                        around.add(one)
                        left.append(one)
            if len(self._views) > MOST_KEPT:
                self._views.clear()
            self._views[path] = frozenset().union(*map(self._closure, around))
        return self._views[path]

    @cached_property
    def _includers(self) -> dict[str, list[str]]:
        """File -> the files that include it directly."""
        found: dict[str, list[str]] = {}
        for path in self._files:
            for target in self._direct(path):
                found.setdefault(target, []).append(path)
        return found

    def _closure(self, path: str) -> frozenset[str]:
        """Return a file with all that it includes."""
        if path not in self._closures:
            seen, left = {path}, [path]
            while left:
                for target in self._direct(left.pop()):
                    if target not in seen:
                        seen.add(target)
                        left.append(target)
            if len(self._closures) > MOST_KEPT:
                self._closures.clear()
            self._closures[path] = frozenset(seen)
        return self._closures[path]

    def _direct(self, path: str) -> list[str]:
        if path not in self._included:
            items = self._sources.scan(path).imports
            self._included[path] = [file for item in items for file in self.resolve(path, item).files]
        return self._included[path]

    @cached_property
    def _folders(self) -> list[str]:
        """Folders in which an include is looked for after the own one."""
        found: dict[str, None] = {}
        names = ("compile_commands.json", "CMakeLists.txt", "Makefile", "Makefile.am", "GNUmakefile", "meson.build")
        paths = [path for path in self._sources.paths if path.rpartition("/")[2] in names][:MOST_BUILD_FILES]
        for path in sorted(paths, key=lambda one: one.count("/")):
            folder, text = posixpath.dirname(path), (self._sources.read(path) or b"").decode("utf-8", "replace")
            if path.endswith(".json"):
                written = _commands(text)
            else:
                written = [
                    *_INCLUDED.findall(text),
                    *(_HERE.sub("", one) for part in _CMAKE.findall(text) for one in part.split()),
                ]
            for one in written:
                place = _joined(folder, one.strip("\"'>"))
                if re.fullmatch(r"[\w./+-]*", place) and not place.startswith((".", "/")) and len(found) < MOST_FOLDERS:
                    found[place] = None
        return list(found)


def _is_pasted(name: str, content: bytes) -> bool:
    """Return whether a macro may put a name together."""
    for line in re.findall(rb"#[ \t]*define[^\n]*(?:\\\n[^\n]*)*", content) if b"##" in content else ():
        text = line.decode("utf-8", "replace")
        given = set(re.findall(r"\w+", text.partition("(")[2].partition(")")[0]))
        for left, right in re.findall(r"(\w{0,80})\s{0,9}##\s{0,9}(\w{0,80})", text):
            if (left in given or name.startswith(left)) and (right in given or name.endswith(right)):
                return True
    return False


def _commands(text: str) -> list[str]:
    """Return the include folders of a compilation database."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    for entry in entries if isinstance(entries, list) else []:
        given = entry.get("arguments", entry.get("command", "")) if isinstance(entry, dict) else ""
        found += _INCLUDED.findall(" ".join(map(str, given)) if isinstance(given, list) else str(given))
    return list(dict.fromkeys(found))


def _joined(folder: str, target: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, target))
    return "" if joined == "." else joined
