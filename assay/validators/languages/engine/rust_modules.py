"""Modules of Rust: files that `mod` declares below the root of a crate, and the names that lead to them.

Rules: https://doc.rust-lang.org/reference/items/modules.html and https://doc.rust-lang.org/reference/names/name-resolution.html.
Code of every `cfg` counts. A file that no crate reaches is a separate root.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from assay.validators.languages.engine.cargo import crates_of
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Sources

MOST_PLACES = 3
"""Maximum crates in which the names of one file are looked for."""
DEEPEST = 20
"""Maximum imports of imports that are followed for a name, and maximum parts of a path."""
_ROOTS = ("lib.rs", "main.rs", "mod.rs")
_RELATIVE = ("crate", "self", "super")
_ITEM_MACRO = re.compile(
    rb"^(?:\w{1,80}::)?(?!macro_rules|assert|debug_assert|e?print|write|panic|vec|format)\w{1,80}!\s{0,9}(?:\w{1,80}\s?)?[{(\[]",
    re.MULTILINE,
)
_PRELUDE = frozenset(
    "AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From "
    "FromIterator Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String "
    "Sync ToOwned ToString TryFrom TryInto Unpin Vec core std alloc".split()
)


class _Module(NamedTuple):
    """Module by the root file of its crate, and its path there."""

    crate: str
    path: tuple[str, ...] = ()


class _Found(NamedTuple):
    """End of a path: the file, the name that it declares, "" for a module itself, and the names left."""

    module: _Module
    file: str
    name: str
    rest: tuple[str, ...] = ()


class _Use(NamedTuple):
    """Import of a file in one of its inline modules; `local` is "*" for all names."""

    scope: tuple[str, ...]
    local: str
    names: tuple[str, ...]


class RustModules(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._externs = crates_of(sources)
        self._files: dict[_Module, list[str]] = {}
        """Module -> its files, several where `cfg` chooses one."""
        self._places: dict[str, list[_Module]] = {}
        self._homes: dict[str, str] = {}
        """File -> the folder of the modules that it declares."""
        self._uses: dict[str, list[_Use]] = {}
        self._visited: set[str] = set()
        """Files in which the last names were looked for."""
        self._asked: set[tuple[_Module, str]] = set()
        """Names of modules that were looked for on the way of the last one: globs may lead back to each other."""
        others = [path for path in sources.paths if path.endswith(".rs") and path not in self._externs]
        others.sort(key=lambda path: path.rpartition("/")[2] not in _ROOTS)
        for root in (*self._externs, *others):
            if root not in self._places:
                self._walk(root)

    def _walk(self, root: str) -> None:
        """Add the modules of a crate."""
        left = [(_Module(root), root, posixpath.dirname(root))]
        while left:
            module, file, home = left.pop()
            if file in self._files.get(module, ()) or len(module.path) > DEEPEST:
                continue
            self._files.setdefault(module, []).append(file)
            self._homes.setdefault(file, home)
            self._places.setdefault(file, []).append(module)
            self._index.add(root, file, (one for one in self._sources.scan(file).declares if one.endswith("!")))
            for item in self._sources.scan(file).imports:
                child = self._child(file, home, item)
                *inside, name = (*_parts(item.target)[:-1], item.alias or _parts(item.target)[-1])
                if child is not None and child.endswith(".rs") and (item.alias or "." not in name):
                    base = child.rpartition("/")[2]
                    own = posixpath.dirname(child) if base == "mod.rs" or item.alias else child.removesuffix(".rs")
                    left.append((_Module(root, (*module.path, *inside, name)), child, own))

    def _child(self, file: str, home: str, item: Import) -> str | None:
        """Return the file of a declared module, or one that is included by its path."""
        if item.kind != "path":
            return None
        *inside, name = _parts(item.target)
        if not item.alias and item.target in self._placed(file):
            return None
        if item.alias or "." in item.target:
            names = [posixpath.join(home if inside else posixpath.dirname(file), *inside, name)]
        else:
            folder = posixpath.join(home, *inside)
            names = [posixpath.join(folder, f"{name}.rs"), posixpath.join(folder, name, "mod.rs")]
        return next((one for one in map(posixpath.normpath, names) if one in self._sources), None)

    def _placed(self, file: str) -> set[str]:
        """Return the modules whose files the declarations name."""
        return {item.alias for item in self._sources.scan(file).imports if item.kind == "path" and item.is_top}

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the file of a module, or the one that declares an imported name."""
        if item.kind == "path":
            child = self._child(path, self._homes.get(path, ""), item)
            if child is not None or "." in item.target or item.target in self._placed(path):
                return Resolution((child,) if child is not None else ())
            return Resolution((), "no file of this module: it may be generated")
        use = self._use(path, item, item.names[0][1] if item.names else "")
        self._visited = set()
        for module in self._places.get(path, ())[:MOST_PLACES]:
            found = self._of_use(module, use, 0)
            if found is not None and item.is_star and not found.name:
                return Resolution()
            if found is not None:
                return Resolution(tuple(self._variants(found)))
        is_ours = use.names[0] in _RELATIVE and not self._is_open(path, use)
        why = "nothing of this crate declares it: a macro may" if is_ours else None
        return Resolution((), why)

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        if mention not in self._sources.scan(path).declares:
            found = self._find(path, mention.split("."))
            if found is not None and found.name:
                yield from self._variants(found)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the origin of a name or path."""
        found = self._find(path, names)
        for file in self._variants(found) if found is not None else ():
            yield Origin(file, found.name if found is not None else ""), found.rest if found is not None else ()

    def trail(self, file: str, name: str) -> Sequence[Origin]:
        """Return the name, and what it is there if the file only re-exports it."""
        found = None if name in self._sources.scan(file).declares else self._find(file, (name,))
        return (Origin(file, name), *([Origin(found.file, found.name)] if found is not None else []))

    def parts(self, path: str) -> Iterable[str]:
        """Return the files with further `impl` of the types of a file."""
        return self._impls.get(path, ())

    @cached_property
    def _impls(self) -> dict[str, dict[str, None]]:
        """File of a type -> other files with an `impl` of it."""
        found: dict[str, dict[str, None]] = {}
        for path in self._places:
            for one in self._sources.scan(path).declares:
                if one.endswith("."):
                    for file in self.named(path, one.rstrip(".")):
                        found.setdefault(file, {})[path] = None
        return found

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:  # noqa: ARG002 - no releases
        """Return whether a mention may name what no file of the tree declares."""
        name = mention.rpartition(".")[2]
        self._visited = {path}
        if path not in self._places or mention in _PRELUDE or self._find(path, mention.split(".")) is not None:
            return True
        first = mention.partition(".")[0]
        for use in self._all_uses(path):
            module = self._places[path][0]
            is_ours = use.names[0] in (*_RELATIVE, *self._externs.get(module.crate, ()))
            is_ours = is_ours or self._of_use(module, use, 0) is not None
            if (use.local == first or (use.local == "*" and first == name)) and not is_ours:
                return True
        return self._is_open(path, self._scoped(path, "", mention.split(".")))

    def may_be_foreign_import(self, path: str, item: Import, before: Collection[str]) -> bool:
        """Return whether an import may name what no file of the tree declares; a module that it declares may not."""
        return item.kind != "path" and self.may_be_foreign(path, ".".join(_parts(item.target)), before)

    def _is_open(self, path: str, asked: _Use) -> bool:
        """Return whether a macro or another crate may give a name to a file in which it was looked for last."""
        name = asked.names[-1].encode("utf-8", "surrogateescape")
        for file in sorted(self._visited):
            text = self._sources.read(file) or b""
            is_rewritten = file != path and name in text and _ITEM_MACRO.search(text) is not None
            outer = (use for use in self._all_uses(file) if use.local in ("*", *asked.names) and use != asked)
            # What is imported from the crate itself under the same name is as gone.
            others = (use for use in outer if use.local != asked.names[-1] or use.names[0] not in _RELATIVE)
            is_handed_on = any(self._of_use(self._places[file][0], use, 0) is None for use in others)
            if b"include!" in text or is_rewritten or is_handed_on:
                return True
        return False

    def exposes(self, path: str, name: str) -> bool:
        """Return whether other crates may use a public name of a file: by its public modules, or by a re-export."""
        for module in self._places.get(path, ()):
            around = [_Module(module.crate, module.path[:end]) for end in range(len(module.path))]
            pairs = ((self._files.get(one, ()), module.path[len(one.path)]) for one in around)
            is_public = all(
                any(
                    re.search(
                        rb"\bpub\s+mod\s+(?:r#)?%s\b" % re.escape(child.encode("utf-8", "surrogateescape")),
                        self._sources.read(file) or b"",
                    )
                    for file in files
                )
                for files, child in pairs
            )
            if module.crate in self._libraries and (is_public or {(path, name), (path, "*")} & self._handed):
                return True
        return False

    @cached_property
    def _libraries(self) -> set[str]:
        return {root for names in self._externs.values() for root in names.values()} | {
            root for root in self._externs if root.endswith("lib.rs")
        }

    @cached_property
    def _handed(self) -> set[tuple[str, str]]:
        """Names of files that a `pub use` hands on, "*" for all of a file."""
        found: set[tuple[str, str]] = set()
        for path, places in self._places.items():
            for item in self._sources.scan(path).imports:
                use = self._use(path, item, "") if item.kind == "export" else None
                end = self._of_use(places[0], use, 0) if use is not None else None
                if end is not None:
                    found.add((end.file, end.name.partition(".")[0] or "*"))
        return found

    # Names

    def _variants(self, found: _Found) -> Iterator[str]:
        """Yield the file of what a path leads to, and those that declare it for another `cfg`."""
        yield found.file
        for place in self._places[found.file] if found.name else ():
            for file in self._files[place]:
                if file != found.file and found.name in self._sources.scan(file).declares:
                    yield file

    def _find(self, path: str, names: Sequence[str]) -> _Found | None:
        """Return the end of a path that code of a file mentions."""
        for module in self._places.get(path, ())[:MOST_PLACES]:
            found = self._of_use(module, self._scoped(path, "", names), 0, is_inside=True)
            if found is not None:
                return found
        return None

    def _of_use(self, module: _Module, use: _Use, depth: int, *, is_inside: bool = False) -> _Found | None:
        """Return the end of an import of a module: from the inline module around it, or from the file's own."""
        self._asked = self._asked if depth else set()
        scope = _Module(module.crate, (*module.path, *use.scope))
        found = self._follow(scope, use.names, depth, is_first=True, is_inside=is_inside)
        if found is None and use.scope and use.names[0] not in _RELATIVE:
            found = self._follow(module, use.names, depth, is_first=True, is_inside=is_inside)
        return found

    def _follow(
        self, module: _Module, names: Sequence[str], depth: int, *, is_first: bool = False, is_inside: bool = False
    ) -> _Found | None:
        """Return where a path leads from a module; `is_inside`: it is code of the file and sees all imports."""
        if depth > DEEPEST or len(names) > DEEPEST:
            return None
        left = list(names)
        while left and left[0] in (*_RELATIVE, "$crate"):
            first = left.pop(0)
            is_first = is_inside = False
            module = module if first == "self" else _Module(module.crate, module.path[:-1] if first == "super" else ())
        file, inline = self._file_of(module, left[0] if left else "")
        if file is None:
            return None
        self._visited.add(file)
        if not left:
            return _Found(module, file, ".".join(inline))
        child = _Module(module.crate, (*module.path, left[0]))
        if child in self._files:
            return self._follow(child, left[1:], depth + 1)
        declares = self._sources.scan(file).declares
        full, rest = ".".join((*inline, left[0])), left[1:]
        if full in declares:
            while rest and f"{full}.{rest[0]}" in declares:
                full = f"{full}.{rest.pop(0)}"
            inner = _Module(module.crate, (*module.path, *full.split(".")[len(inline) :]))
            if rest and _Module(module.crate, (*inner.path, rest[0])) in self._files:
                return self._follow(_Module(module.crate, (*inner.path, rest[0])), rest[1:], depth + 1)
            handed = self._handed_on(inner, file, rest, depth, False) if rest else None
            return handed or _Found(inner, file, full, tuple(rest))
        found = self._handed_on(module, file, left, depth, is_inside)
        outer = self._externs.get(module.crate, {}).get(left[0]) if found is None and is_first else None
        if outer is not None:
            return self._follow(_Module(outer), left[1:], depth + 1)
        macros = self._index.files(module.crate, f"{left[0]}!") if is_inside or not module.path else ()
        return _Found(module, macros[0], left[0]) if found is None and macros else found

    def _handed_on(
        self, module: _Module, file: str, names: Sequence[str], depth: int, is_inside: bool
    ) -> _Found | None:
        """Return what a module imports under a name: by the name, else with all names of another module."""
        if (module, names[0]) in self._asked:
            return None
        self._asked.add((module, names[0]))
        own = next((one for one in self._places[file] if one.crate == module.crate), self._places[file][0])
        scope = module.path[len(own.path) :]
        seen = [use for use in self._all_uses(file) if is_inside or use.scope == scope]
        for use in sorted(seen, key=lambda one: one.local == "*"):
            if use.local == names[0]:
                found = self._of_use(own, use, depth + 1)
                if found is not None:
                    return self._go_on(found, names[1:], depth)
            elif use.local == "*" and use.names != tuple(names[:1]):
                target = self._of_use(own, use, depth + 2)
                # Which variants an enum has is not known here.
                is_module = target is not None and (not target.name or target.module in self._files)
                found = self._follow(target.module, names, depth + 2) if target is not None and is_module else None
                if found is not None:
                    return found
        return None

    def _go_on(self, found: _Found, names: Sequence[str], depth: int) -> _Found | None:
        """Return where names lead from the end of another path."""
        if not names:
            return found
        if (
            found.name
            and found.module not in self._files
            and f"{found.name}.{names[0]}" not in self._sources.scan(found.file).declares
        ):
            return found._replace(rest=(*found.rest, *names))
        return self._follow(found.module, names, depth + 1)

    def _file_of(self, module: _Module, name: str) -> tuple[str | None, tuple[str, ...]]:
        """Return the file of a module, of several the one that declares a name, and its path inside it."""
        for end in range(len(module.path), -1, -1):
            files = self._files.get(_Module(module.crate, module.path[:end]))
            if files:
                inline = module.path[end:]
                wanted = ".".join((*inline, name))
                there = [one for one in files if not inline or ".".join(inline) in self._sources.scan(one).declares]
                declaring = (one for one in there if wanted in self._sources.scan(one).declares)
                return next((one for several in (declaring, there) for one in several), None), inline
        return None, ()

    def _all_uses(self, path: str) -> list[_Use]:
        """Return the imports of a file."""
        found = self._uses.get(path)
        if found is None:
            items = [item for item in self._sources.scan(path).imports if item.kind != "path"]
            found = self._uses[path] = [
                self._use(path, item, local or "*") for item in items for _, local in item.names
            ]
        return found

    def _use(self, path: str, item: Import, local: str) -> _Use:
        return self._scoped(path, local, _parts(item.target))

    def _scoped(self, path: str, local: str, names: Sequence[str]) -> _Use:
        """Return an import with the inline modules around it apart."""
        declares, end = self._sources.scan(path).declares, 0
        while end < len(names) - 1 and names[end].islower() and ".".join(names[: end + 1]) in declares:
            end += 1
        return _Use(tuple(names[:end]), local, tuple(names[end:]))


def _parts(target: str) -> list[str]:
    """Return the parts of a path."""
    return [part.removeprefix("r#").strip() for part in target.split("::") if part.strip()] or [""]
