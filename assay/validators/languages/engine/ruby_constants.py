"""Constants of Ruby by their full names, as the files declare them, and files by what `require` says.

Rules: https://docs.ruby-lang.org/en/master/syntax/modules_and_classes_rdoc.html#label-Constants: the types around a
name, then the ancestors, then the top level. Where several files declare a name, the one counts whose path says it, as
zeitwerk loads it, whatever its roots and inflections are: `Shop::HTMLPage` in `…/shop/html_page.rb`.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Scan, Sources

_REQUIRE = re.compile(
    r"(?P<how>require_relative|require_dependency|require|load|autoload)[\s(]+(?::\w+\s*,\s*)?(?P<what>[^\n]+)"
)
_LITERAL = re.compile(r"(?P<quote>['\"])(?P<path>[^'\"#\n]{1,300})(?P=quote)\s*\)?\s*")
_HERE = re.compile(r"__dir__|File\.dirname\(\s*__FILE__\s*\)|__FILE__")
_WORDS = re.compile(r"['\"](?:#\{__dir__\})?/?([^'\"#\n]{1,300})['\"]")
_ROOT_FILE = re.compile(r"(?:^|/)(?:[^/]*\.gemspec|Gemfile|gems\.rb|Rakefile|config/application\.rb)$")
_REQUIRE_PATHS = re.compile(r"require_paths?\s*=\s*\[?([^\]\n]{0,300})")
_CORE = frozenset(
    "ArgumentError Array BasicObject BigDecimal Binding Class Comparable Complex CSV Data Date DateTime Digest Dir "
    "ENV Encoding Enumerable Enumerator ERB Errno Etc Exception FalseClass Fiber File FileUtils Find FloatDomainError "
    "Float Forwardable FrozenError GC Hash IO IOError IndexError Integer Interrupt JSON Kernel KeyError LoadError "
    "Logger Marshal MatchData Math Method Module Monitor Mutex NameError Net NilClass NoMethodError "
    "NotImplementedError Numeric Object ObjectSpace Observable OpenSSL OpenStruct OptionParser PP Pathname Proc "
    "Process Psych Queue Ractor Random Range RangeError Rational Regexp RuntimeError Ripper SecureRandom Set "
    "Shellwords Signal Singleton SizedQueue Socket StandardError StopIteration String StringIO StringScanner Struct "
    "Symbol SyntaxError SystemCallError SystemExit TCPSocket Tempfile Test Thread Time Timeout TracePoint TrueClass "
    "TypeError URI UnboundMethod VERSION WeakRef YAML ZeroDivisionError Zlib".split()
)
"""Constants of Ruby and its library, by which a name may go on without the tree's own."""
MOST_ROOTS = 500
MOST_SCOPES = 100
"""Maximum types of a file in which its names are looked for, the innermost first."""
MOST_PARTS = 20
"""Maximum files that declare one name in part, and maximum parts of a name."""
DEEPEST = 10
"""Maximum ancestors followed."""


class RubyConstants(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._declared: dict[str, list[str]] = defaultdict(list)
        self._held: dict[str, list[str]] = defaultdict(list)
        """Type -> the files that only name it around others."""
        self._known: set[str] = set()
        self._parents: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """Type -> its parents and modules as they are written, each with its file."""
        self._lasts: set[str] = set()
        """Last names of what is known."""
        self._scopes: dict[str, list[str]] = {}
        self._ancestors, self._below_roots = cache(self._find_ancestors), cache(self._find_below_roots)
        for path in sources.paths:
            scan = sources.scan(path)
            if path.endswith(".rb") or scan.declares:
                self._add(path, scan)
        self._lasts.update(one.rpartition(".")[2] for one in self._known)
        self._roots = _load_roots(sources)

    def _add(self, path: str, scan: Scan) -> None:
        for name in scan.declares:
            full = name.rstrip(".")
            (self._held if name.endswith(".") else self._declared)[full].append(path)
            while full and full not in self._known:
                self._known.add(full)
                full = full.rpartition(".")[0]
        for name, parent in scan.parents:
            self._parents[name].append((parent, path))

    # Files

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the file that is required by a literal name: next to the file, or below a folder of the load path."""
        match = _REQUIRE.match(item.target)
        name, is_near = _required(match["how"], match["what"]) if match is not None else ("", False)
        if not name:
            return Resolution()
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        found = self._at(place) if is_near else self._below_roots(name)
        near = sorted(found, key=lambda one: (-len(posixpath.commonprefix((one, path))), one))
        is_inside = is_near and not place.startswith("..")
        why = "no such file in this tree: it may be built" if is_inside and not near else None
        return Resolution(tuple(near[:1]), why)

    def _find_below_roots(self, name: str) -> set[str]:
        return {one for root in self._roots for one in self._at(posixpath.normpath(posixpath.join(root, name)))}

    def _at(self, stem: str) -> Iterator[str]:
        return (one for one in (f"{stem}.rb", stem) if one in self._sources and not one.startswith(".."))

    # Constants

    def implied(self, path: str) -> Iterable[str]:
        """Return the files that declare the constants a file mentions, or what comes before the last name of one."""
        declares = self._sources.scan(path).declares
        for mention in self._sources.scan(path).mentions:
            if mention not in declares:
                yield from self._found(path, mention.split("."))[0]

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare the very constant that a file mentions."""
        files, _, rest = self._found(path, mention.split("."))
        yield from files if not rest else ()

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:  # noqa: ARG002 - one form
        """Return whether a mention may name what no file of the tree declares."""
        names = mention.strip(".").split(".")
        if not names[0][:1].isupper() or names[-1] in _CORE or names[0] in _CORE:
            return True
        return "." not in mention and any(self._has_outside(one) for one in self._around(path))

    def parts(self, path: str) -> Iterable[str]:
        """Return further files that define members of the types of a file."""
        for name in self._sources.scan(path).declares:
            files = self._declared.get(name, ())
            if len(files) <= MOST_PARTS and name[:1].isupper():
                yield from (file for file in files if file != path)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the origins of a constant, or of a method at the top of the file itself."""
        if names[0][:1].islower() or names[0][:1] == "_":
            if names[0] in self._sources.scan(path).declares:
                yield Origin(path, names[0]), names[1:]
            return
        files, full, rest = self._found(path, names)
        yield from ((Origin(file, full), rest) for file in files)

    def _found(self, path: str, names: Sequence[str]) -> tuple[list[str], str, Sequence[str]]:
        """Return the files of the longest beginning of a name that the tree declares, its full name, and the rest."""
        if len(names) > MOST_PARTS or not (names[0] or names[-1])[:1].isupper():
            return [], "", names
        full, rest = ("", list(names[1:])) if not names[0] else (self._first(path, names[0]), list(names[1:]))
        if not full and names[0]:
            return [], "", names
        while rest:
            inner = self._member(full, rest[0]) if full else rest[0] if rest[0] in self._known else ""
            if not inner:
                break
            full = inner
            rest.pop(0)
        return self._files(path, full), full, rest

    def _first(self, path: str, name: str) -> str:
        """Return the full name of a constant without anything before it; "" if the tree declares none."""
        around = self._around(path) if name in self._lasts else ()
        for one in around:
            if f"{one}.{name}" in self._known:
                return f"{one}.{name}"
        inherited = (found for one in around if (found := self._member(one, name)))
        return next(inherited, name if name in self._known else "")

    def _member(self, owner: str, name: str) -> str:
        """Return the full name of a constant of a type or one of its ancestors; "" without one."""
        if name not in self._lasts:
            return ""
        names = (f"{one}.{name}" for one in (owner, *self._ancestors(owner)))
        return next((one for one in names if one in self._known), "")

    def _find_ancestors(self, owner: str) -> tuple[str, ...]:
        """Return the ancestors of a type, each parent before the next one; none twice."""
        found: dict[str, None] = {}
        left = [(owner, 0)]
        while left:
            one, depth = left.pop()
            if one in found or depth > DEEPEST:
                continue
            found[one] = None
            parents = (self._of_parent(one, parent) for parent, _ in self._parents.get(one, ())[:MOST_PARTS])
            left += reversed([(parent, depth + 1) for parent in parents if parent])
        return tuple(found)[1:]

    def _of_parent(self, owner: str, parent: str) -> str:
        """Return the full name of a parent as it is written at a type; "" if it is from outside."""
        if parent.startswith("."):
            return parent[1:] if parent[1:] in self._known else ""
        around = owner.rpartition(".")[0]
        while around:
            if f"{around}.{parent}" in self._known:
                return f"{around}.{parent}"
            around = around.rpartition(".")[0]
        return parent if parent in self._known else ""

    def _has_outside(self, owner: str) -> bool:
        """Return whether a type has an ancestor from outside, other than one of Ruby itself."""
        seen: set[str] = set()
        left = [owner]
        while left and len(seen) < MOST_SCOPES:
            one = left.pop()
            for parent, _ in self._parents.get(one, ()) if one not in seen else ():
                found = self._of_parent(one, parent)
                if not found and parent.strip(".") not in _CORE:
                    return True
                left += [found] if found else []
            seen.add(one)
        return False

    def _around(self, path: str) -> list[str]:
        """Return the types of a file, the innermost first."""
        if path not in self._scopes:
            scan = self._sources.scan(path)
            names = {one.rstrip(".") for one in scan.declares if one[:1].isupper()}
            kinds = {*(one.rpartition(".")[0] for one in names), *(one for one, _ in scan.parents)}
            types = (one for one in names if one in kinds or one in self._held or not _is_constant(one))
            self._scopes[path] = sorted(types, key=lambda one: (-one.count("."), one))[:MOST_SCOPES]
        return self._scopes[path]

    def _files(self, path: str, full: str) -> list[str]:
        """Return the files of a constant: of several that declare it the one whose path says so."""
        files = self._declared.get(full, ()) or self._held.get(full, ())
        if len(files) < 2 or path in files:
            return [path] if path in files else list(files)
        said = [one for one in files if _says(one, full)]
        near = sorted(said, key=lambda one: (-len(posixpath.commonprefix((one, path))), one))
        return near[:1] or (list(files) if full in self._declared and len(files) <= MOST_PARTS else [])


def _required(how: str, what: str) -> tuple[str, bool]:
    """Return the path that `require` is given, "" if it is not literal, and whether it begins at the file's folder."""
    literal = _LITERAL.fullmatch(what)
    if literal is not None:
        return literal["path"], how == "require_relative"
    if not _HERE.search(what):
        return "", False
    joined = "/".join(_WORDS.findall(what))
    # `expand_path` takes the file itself for a folder.
    return (joined.removeprefix("../") if "__FILE__" in what and "dirname" not in what else joined), True


def _is_constant(name: str) -> bool:
    """Return whether a name is written as those of values are."""
    last = name.rpartition(".")[2]
    return len(last) > 1 and last.isupper()


def _says(path: str, full: str) -> bool:
    """Return whether the path of a file says the full name of a constant."""
    wanted = full.replace(".", "/").replace("_", "").lower()
    stem = path.removesuffix(".rb").replace("_", "").replace("-", "/").lower()
    return stem == wanted or stem.endswith(f"/{wanted}")


def _load_roots(sources: Sources) -> list[str]:
    """Return the folders below which `require` looks: those of each gem and application, and the top."""
    found: dict[str, None] = {}
    for path in [one for one in sources.paths if _ROOT_FILE.search(one)][:MOST_ROOTS]:
        home = posixpath.dirname(path.removesuffix("/application.rb"))
        text = (sources.read(path) or b"").decode("utf-8", "replace") if path.endswith(".gemspec") else ""
        said = _REQUIRE_PATHS.search(text)
        named = _WORDS.findall(said[1]) if said is not None else []
        found.update(dict.fromkeys(posixpath.join(home, one) for one in (*named, "lib", "test", "spec", "")))
    return [*found, *(one for one in ("lib", "test", "spec", "") if one not in found)]
