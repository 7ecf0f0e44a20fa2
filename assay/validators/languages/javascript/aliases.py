"""Path aliases: `compilerOptions.paths` and `baseUrl` of tsconfig.json and jsconfig.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.validators.configuration.settings_files import strings, table
from assay.validators.languages.javascript.packages import Packages
from assay.validators.languages.javascript.paths import folders_above, joined
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

    def candidates(self, name: str) -> Iterator[str]:
        """Yield the possible paths of a name: by the most exact pattern only, as in TypeScript, and below the base."""
        found = [(pattern, targets) for pattern, targets in self.paths if matched(pattern, name) is not None]
        for pattern, targets in sorted(found, key=lambda one: ("*" in one[0], -one[0].find("*")))[:1]:
            yield from _placed(self.paths_folder, targets, matched(pattern, name) or "")
        if self.base_folder is not None:
            yield from _placed(self.base_folder, (name,))

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
        for path in sorted(sources.paths):
            if path.endswith(".json") and _CONFIG.search(path) and "node_modules/" not in path:
                self._files.setdefault(path.rpartition("/")[0], []).append(path)
        self.around = cache(self._around)
        self._config = cache(lambda path: json_object(sources.read(path)))
        self._read = cache(self._read_one)

    def _around(self, folder: str) -> tuple[Aliases, ...]:
        """Return the configuration files that editors and compilers read implicitly, nearest first, then the others."""
        above = [self._files.get(each, []) for each in folders_above(folder)]
        main = [one for files in above for each in self._main(files) for one in (each, *self._references(each))]
        others = [path for files in above for path in files]
        found = (self._read(path) for path in dict.fromkeys([*main, *others]))
        return tuple(aliases for aliases in found if aliases is not None)

    def _main(self, files: list[str]) -> list[str]:
        return [path for name in _FIRST for path in files if path.rpartition("/")[2] == name]

    def _references(self, path: str) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        references = self._config(path).get("references")
        for reference in references if isinstance(references, list) else []:
            found = self._config_at(folder, table(reference).get("path"))
            # A project in another folder has its own aliases.
            if found is not None and found.rpartition("/")[0] == folder:
                yield found

    def _read_one(self, path: str) -> Aliases | None:
        options = self._options(path, ())
        paths, folder = options.get("paths", ({}, ""))
        _, base = options.get("baseUrl", (None, None))
        pairs = tuple((pattern, targets) for pattern, each in table(paths).items() if (targets := tuple(strings(each))))
        return Aliases(path, pairs, folder if base is None else base, base) if pairs or base is not None else None

    def _options(self, path: str, seen: tuple[str, ...]) -> dict[str, tuple[Any, str]]:
        """Return option -> (value, its base folder), nearest definition first; a loop of `extends` ends."""
        if path in seen or len(seen) > DEEPEST_EXTENDS:
            return {}
        folder = path.rpartition("/")[0]
        found: dict[str, tuple[Any, str]] = {}
        for parent in strings(self._config(path).get("extends")):
            if (extended := self._config_at(folder, parent)) is not None:
                found.update(self._options(extended, (*seen, path)))
        options = table(self._config(path).get("compilerOptions"))
        if "paths" in options:
            found["paths"] = options["paths"], folder
        base = options.get("baseUrl")
        for placed in _placed(folder, (base,)) if isinstance(base, str) else ():
            found["baseUrl"] = base, placed
        return found

    def _config_at(self, folder: str, target: object) -> str | None:
        """Return the configuration file named by `extends` or `references`."""
        if not isinstance(target, str):
            return None
        member = None if target.startswith(".") else self._packages.member(target, folder)
        path = joined(*member) if member is not None else joined(folder, target) if target.startswith(".") else None
        places = (path, f"{path}.json", joined(path, "tsconfig.json")) if path is not None else ()
        return next((one for one in places if one in self._sources), None)


def _placed(folder: str, targets: tuple[str, ...], star: str = "") -> Iterator[str]:
    for target in targets:
        # `${configDir}` is the folder of the file being read, a good approximation for an extended one.
        path = joined(folder, target.replace("${configDir}", ".").replace("*", star, 1))
        if path is not None:
            yield path
