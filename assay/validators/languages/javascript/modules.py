"""Resolution of JavaScript and TypeScript imports to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from assay.validators.languages.engine.reading import reading_of
from assay.validators.languages.engine.rows import script_row
from assay.validators.languages.javascript.aliases import AliasTable
from assay.validators.languages.javascript.imports import scan_imports
from assay.validators.languages.javascript.packages import Packages
from assay.validators.languages.javascript.paths import Paths, joined
from assay.validators.languages.language import EVERYTHING, Import, Origin, Resolution, Sources

_CUSTOMARY = {"@/": "", "~/": "", "@@/": "", "~~/": "", "$lib/": "lib"}
"""Aliases for the source folder that bundlers define by convention, without a tsconfig."""

_NOTHING = Resolution()
MOST_STEPS = 500
"""Maximum files searched for one re-exported name; real barrels stay far below."""


class JavaScriptModules:
    """JavaScript and TypeScript files of one tree, and the names they export to each other."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.paths = Paths(sources.paths)
        self.packages = Packages(sources, self.paths)
        self.aliases = AliasTable(sources, self.packages)
        self._resolved = cache(self._resolve)
        self.trail = cache(self._trail)
        self.exports = cache(self._exports)

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the file an import means; all of them if there is one per platform."""
        found = self._resolved(path.rpartition("/")[0], item.target)
        # A path that is passed on may be a folder, and SvelteKit generates `./$types` at run time.
        is_excused = found.why is not None and (item.kind == "path" or item.target.endswith("/$types"))
        return _NOTHING if is_excused else found

    def parts(self, path: str) -> Iterable[str]:  # noqa: ARG002 - a class is in one file
        """Return nothing: a class is in one file."""
        return ()

    def implied(self, path: str) -> Iterable[str]:  # noqa: ARG002 - setup files are named in settings
        """Return nothing: runners name their setup files in settings that are code."""
        return ()

    def _trail(self, file: str, name: str) -> tuple[Origin, ...]:
        """Return every possible origin of a file's name, the file itself first; all star exports are followed."""
        found: dict[Origin, None] = {Origin(file, name): None}
        left = list(found)
        while left and len(found) < MOST_STEPS:
            for following in self._next(left.pop()):
                if following not in found:
                    found[following] = None
                    left.append(following)
        return tuple(found)

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of `a.b.c` in a file, through its imports and re-exports."""
        for item in self.sources.scan(path).imports:
            for name, local in item.names:
                if local != names[0] or item.kind == "export":
                    continue
                for file in self.resolve(path, item).files:
                    rest = names[1:]
                    if name == EVERYTHING:
                        if not rest:
                            yield Origin(file, ""), ()
                        if rest:
                            name, rest = rest[0], rest[1:]  # noqa: PLW2901 - the member of the namespace
                        elif item.kind == "call":
                            name = "default"  # noqa: PLW2901 - what `module.exports` is set to
                        else:
                            continue
                    for origin in self.trail(file, name):
                        yield origin, rest

    def _next(self, origin: Origin) -> Iterator[Origin]:
        for item in self.sources.scan(origin.file).imports:
            for name, local in item.names:
                is_star = item.kind == "export" and name == EVERYTHING and not local and origin.name != "default"
                is_named = local == origin.name and name != EVERYTHING
                # `import { x } from …; export { x }` re-exports a name; an import alone does not.
                if is_star or (is_named and (item.kind == "export" or origin.name in self.exports(origin.file))):
                    for file in self.resolve(origin.file, item).files:
                        yield Origin(file, origin.name if is_star else name)

    def _exports(self, file: str) -> dict[str, str]:
        content = self.sources.read(file)
        return reading_of(script_row(file), content, scan_imports).exports if content is not None else {}

    def _resolve(self, folder: str, target: str) -> Resolution:
        for name in _spellings(target):
            if name.startswith((".", "/")):
                found = self._relative(folder, name)
            elif name.startswith("#"):
                found = self._internal(folder, name)
            else:
                found = self._named(folder, name)
            if found.files:
                return found
        return found

    def _relative(self, folder: str, name: str) -> Resolution:
        if name.startswith("/"):
            folder = self.packages.nearest(folder) or ""
            found = (self._at(joined(folder, place)) for place in (name[1:], f"public{name}", f"src{name}"))
            return Resolution(next(filter(None, found), ()))
        path = joined(folder, name)
        if path is None:
            return Resolution(why=f"{name} leads above the repository")
        files = self._at(path, is_folder=name.endswith(("/", "/.", "/..")) or name in (".", ".."))
        why = f"there is no {path}, with any known ending or as a folder with an index"
        return Resolution(files) if files else Resolution(why=why)

    def _internal(self, folder: str, name: str) -> Resolution:
        package = self.packages.nearest(folder)
        found, is_declared = self.packages.internal(package, name) if package is not None else (None, False)
        if found is not None:
            return Resolution((found,))
        named = self._named(folder, name)
        if is_declared and not named.files and named.why is None:
            return Resolution(why=f"{joined(package, 'package.json')} maps {name} to a file that is not in the tree")
        return named

    def _named(self, folder: str, name: str) -> Resolution:
        around = self.aliases.around(folder)
        places = (place for aliases in around for place in aliases.candidates(name))
        member = self.packages.member(name, folder)
        found = next(filter(None, map(self._at, places)), ())
        if not found and member is not None and (entry := self.packages.entry(*member)):
            found = (entry,)
        found = found or self._customary(folder, name)
        covering = next((aliases for aliases in around if aliases.covers(name)), None)
        if found:
            return Resolution(found)
        if covering is None or self.packages.depends_on(folder, name):
            return _NOTHING if member is None else Resolution(why=_no_entry(member[0], name))
        # An alias for build output (`dist/lib`) of a package outside the workspaces.
        package = self.packages.called(name)
        entry = self.packages.entry(package, "") if package is not None else None
        if entry is not None:
            return Resolution((entry,))
        return Resolution(why=f"{covering.file} maps {name} to what is not in the tree")

    def _customary(self, folder: str, name: str) -> tuple[str, ...]:
        package = self.packages.nearest(folder) or ""
        starts = [start for start in _CUSTOMARY if name.startswith(start)]
        places = (
            joined(package, inner, _CUSTOMARY[start], name.removeprefix(start))
            for start in starts
            for inner in ("src", "", "app")
        )
        return next(filter(None, map(self._at, places)), ())

    def _at(self, path: str | None, is_folder: bool = False) -> tuple[str, ...]:
        """Return the file at a path, or the file of the package or index in that folder."""
        found = None if is_folder else self.paths.file(path)
        if found is None and path in self.packages.folders:
            found = self.packages.entry(path, "")
        found = found or self.paths.index(path)
        return (found,) if found is not None else tuple(self.paths.platform_files(path))


def _no_entry(package: str, name: str) -> str:
    return f"the package in {package or 'the top folder'}/ offers no file for {name} that is in the tree"


def _spellings(target: str) -> list[str]:
    """Return an import's spellings: as written, and without bundler syntax (`loader!./x`, `./x?raw`)."""
    inner = target.rpartition("!")[2]
    return [name for name in dict.fromkeys((target, inner, inner.partition("?")[0])) if name] or [target]
