"""Path aliases: `compilerOptions.paths` and `baseUrl` of tsconfig.json and jsconfig.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.validators.configuration.settings_files import strings, table
from assay.validators.languages.javascript.packages import Packages
from assay.validators.languages.javascript.paths import AboveTop, folders_above, joined
from assay.validators.languages.javascript.settings import json_object, matched
from assay.validators.languages.language import Sources

DEEPEST_EXTENDS = 20
_CONFIG = re.compile(r"(?:^|/)(?:ts|js)config(?:\.[^/]*)?\.json$|(?:^|/)tsconfig[^/]*\.json$")
_FIRST = ("tsconfig.json", "jsconfig.json")


@dataclass(frozen=True, slots=True)
class Aliases:
    """Aliases of one configuration file and those it extends. Folders are relative to the top of the tree."""

    file: str
    paths: tuple[tuple[str, tuple[str, ...]], ...]
    paths_folder: str
    base_folder: str | None
    root_folders: tuple[str, ...]

    def candidates(self, name: str) -> tuple[str, ...]:
        """Return the possible paths of a name, by the most exact pattern only, as in TypeScript."""
        best: tuple[bool, int] = (False, -1)
        found: tuple[str, ...] = ()
        for pattern, targets in self.paths:
            star = matched(pattern, name)
            if star is not None:
                rank = ("*" not in pattern, pattern.find("*"))
                if rank > best:
                    best, found = rank, tuple(_placed(self.paths_folder, targets, star))
        return found

    def covers(self, name: str) -> bool:
        """Return whether a name is a project's alias: no catch-all pattern, and no installed package."""
        return any(
            pattern != "*"
            and matched(pattern, name) is not None
            and not any("node_modules" in target for target in targets)
            for pattern, targets in self.paths
        )


class AliasTable:
    """Aliases for a folder, of the nearest configuration first."""

    def __init__(self, sources: Sources, packages: Packages) -> None:
        self._sources = sources
        self._packages = packages
        self._files: dict[str, list[str]] = {}
        for path in sources.paths:
            if path.endswith(".json") and _CONFIG.search(path) and "node_modules/" not in path:
                self._files.setdefault(path.rpartition("/")[0], []).append(path)
        self.around = cache(self._around)
        self._config = cache(lambda path: json_object(sources.read(path)))
        self._read = cache(self._read_one)
        self.candidates = cache(Aliases.candidates)

    def _around(self, folder: str) -> tuple[Aliases, ...]:
        """Return the configuration files that editors and compilers read implicitly, nearest first, then the others."""
        main = [path for above in folders_above(folder) for path in self._main(above)]
        others = [path for above in folders_above(folder) for path in sorted(self._files.get(above, ()))]
        found = (self._read(path) for path in dict.fromkeys([*main, *others]))
        return tuple(aliases for aliases in found if aliases is not None)

    def _main(self, folder: str) -> Iterator[str]:
        for name in _FIRST:
            path = joined(folder, name)
            if path in self._files.get(folder, ()):
                yield path
                yield from self._references(path)

    def _references(self, path: str) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        references = self._config(path).get("references")
        for reference in references if isinstance(references, list) else []:
            target = table(reference).get("path")
            if isinstance(target, str):
                found = self._config_at(folder, target)
                # A project in another folder has its own aliases.
                if found is not None and found.rpartition("/")[0] == folder:
                    yield found

    def _read_one(self, path: str) -> Aliases | None:
        options = self._options(path, ())
        paths, base, roots = options.get("paths"), options.get("baseUrl"), options.get("rootDirs")
        if paths is None and base is None and roots is None:
            return None
        base_folder = base[1] if base is not None else None
        pairs = ((pattern, tuple(strings(targets))) for pattern, targets in table(paths[0] if paths else None).items())
        return Aliases(
            file=path,
            paths=tuple(pair for pair in pairs if pair[1]),
            paths_folder=base_folder if base_folder is not None else paths[1] if paths else "",
            base_folder=base_folder,
            root_folders=tuple(_placed(roots[1], tuple(strings(roots[0])), "")) if roots else (),
        )

    def _options(self, path: str, seen: tuple[str, ...]) -> dict[str, tuple[Any, str]]:
        """Return option -> (value, its base folder), nearest definition first; a loop of `extends` ends."""
        if path in seen or len(seen) > DEEPEST_EXTENDS:
            return {}
        config = self._config(path)
        folder = path.rpartition("/")[0]
        found: dict[str, tuple[Any, str]] = {}
        for parent in strings(config.get("extends")):
            extended = self._config_at(folder, parent)
            if extended is not None:
                found.update(self._options(extended, (*seen, path)))
        options = table(config.get("compilerOptions"))
        for name in ("paths", "rootDirs"):
            if name in options:
                found[name] = (options[name], folder)
        base = options.get("baseUrl")
        if isinstance(base, str):
            for placed in _placed(folder, (base,), ""):
                found["baseUrl"] = (base, placed)
        return found

    def _config_at(self, folder: str, target: str) -> str | None:
        """Return the configuration file named by `extends` or `references`."""
        try:
            if target.startswith("."):
                path = joined(folder, target)
            else:
                member = self._packages.member(target, folder)
                if member is None:
                    return None
                path = joined(member[0], member[1])
        except AboveTop:
            return None
        for candidate in (path, f"{path}.json", joined(path, "tsconfig.json")):
            if candidate in self._sources:
                return candidate
        return None


def _placed(folder: str, targets: tuple[str, ...], star: str) -> Iterator[str]:
    for target in targets:
        # `${configDir}` is the folder of the file being read, a good approximation for an extended one.
        path = target.replace("${configDir}", ".").replace("*", star, 1)
        try:
            yield joined(folder, path)
        except AboveTop:
            continue
