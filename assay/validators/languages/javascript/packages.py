"""Packages of a JavaScript tree: workspaces, the exports of their package.json, and their source files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from assay.validators.configuration.settings_files import strings, table
from assay.validators.languages.javascript.paths import AboveTop, Paths, folders_above, joined
from assay.validators.languages.javascript.settings import json_object, matched, yaml_object
from assay.validators.languages.language import Sources

_ENTRIES = ("source", "svelte", "module", "jsnext:main", "esnext", "main", "browser", "types", "typings")
_CONDITIONS = tuple("source src development svelte import module require node browser default types".split())
_NO_SCRIPT = ("sass", "style", "css", "less", "stylus", "asset")
_CUSTOMARY_ENTRIES = (
    "src/index",
    "index",
    "src/main",
    "lib/index",
    "source/index",
    "src/public-api",
    "src/public_api",
    "mod",
    "main",
)
_LINKS = ("file:", "link:", "portal:", "workspace:")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


class Packages:
    """Packages of one tree."""

    def __init__(self, sources: Sources, paths: Paths) -> None:
        self._sources = sources
        self._paths = paths
        names = [path for path in sources.paths if path == "package.json" or path.endswith("/package.json")]
        self.folders = {path.rpartition("/")[0]: path for path in names if "node_modules/" not in path}
        self.manifest = cache(self._manifest)
        self._by_own_name = self._find_own_names()
        self._workspaces = self._find_workspaces()
        self._members = cache(self._find_members)

    def nearest(self, folder: str) -> str | None:
        """Return the folder of the package that contains `folder`."""
        return next((above for above in folders_above(folder) if above in self.folders), None)

    def member(self, name: str, folder: str) -> tuple[str, str] | None:
        """Return (package folder, rest of the name) of a package in the tree that a file in `folder` may import."""
        parts = name.split("/")
        size = 2 if name.startswith("@") else 1
        package, rest = "/".join(parts[:size]), "/".join(parts[size:])
        for found in self._by_name(package, folder):
            return found, rest
        return None

    def entry(self, folder: str, subpath: str) -> str | None:
        """Return the file that the package in `folder` exports as `subpath` ("" for the package itself)."""
        manifest = self.manifest(folder)
        targets = list(_exported(manifest.get("exports"), subpath))
        if not subpath:
            targets += [value for key in _ENTRIES for value in strings(manifest.get(key))]
        found = self._first(folder, targets)
        if found is None and subpath:
            places = [subpath, f"src/{subpath}", f"lib/{subpath}", f"source/{subpath}"]
            found = self._first_at(folder, places) or self._paths.written(folder, subpath)
        return found or (None if subpath else self._first_at(folder, _CUSTOMARY_ENTRIES))

    def internal(self, folder: str, name: str) -> str | None:
        """Return the file of `#name` by the `imports` of the package in `folder`."""
        return self._first(folder, list(_mapped(self.manifest(folder).get("imports"), name)))

    def declares_internal(self, folder: str, name: str) -> bool:
        """Return whether the package's `imports` has an entry for `#name`."""
        return bool(list(_mapped(self.manifest(folder).get("imports"), name)))

    def called(self, name: str) -> str | None:
        """Return the folder of the tree's only package with a name, in a workspace or not."""
        return self._by_own_name.get(name)

    def depends_on(self, folder: str, name: str) -> bool:
        """Return whether a package above `folder` has `name` as a dependency, and so takes it from a registry."""
        package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
        manifests = (self.manifest(above) for above in folders_above(folder) if above in self.folders)
        return any(package in table(manifest.get(key)) for manifest in manifests for key in _DEPENDENCIES)

    def _manifest(self, folder: str) -> dict[str, Any]:
        path = self.folders.get(folder)
        return json_object(self._sources.read(path)) if path is not None else {}

    def _first(self, folder: str, targets: list[str]) -> str | None:
        """Return the first target in the tree, else the first one built from a file in the tree."""
        own = [target for target in targets if not target.startswith(("node:", "http", "/"))]
        found = self._first_at(folder, own)
        if found is not None:
            return found
        for target in own:
            try:
                found = self._paths.written(folder, target)
            except AboveTop:
                continue
            if found is not None:
                return found
        return None

    def _first_at(self, folder: str, targets: Iterable[str]) -> str | None:
        return next((file for target in targets if (file := self._at(folder, target))), None)

    def _at(self, folder: str, target: str) -> str | None:
        try:
            path = joined(folder, target)
        except AboveTop:
            return None
        return self._paths.file(path) or self._paths.index(path)

    def _by_name(self, name: str, folder: str) -> Iterator[str]:
        own = self.nearest(folder)
        if own is not None:
            manifest = self.manifest(own)
            if manifest.get("name") == name:
                yield own
            yield from self._linked(own, manifest, name)
        for root in folders_above(folder):
            if root in self._workspaces and name in self._members(root):
                yield self._members(root)[name]
        for above in folders_above(folder):
            if joined(above, "node_modules", name, "package.json") in self._sources:
                yield joined(above, "node_modules", name)

    def _linked(self, folder: str, manifest: dict[str, Any], name: str) -> Iterator[str]:
        """Yield dependencies on folders of the tree: `file:../other`."""
        for key in _DEPENDENCIES:
            target = table(manifest.get(key)).get(name)
            if isinstance(target, str) and target.startswith(_LINKS):
                path = target.partition(":")[2]
                if path.startswith("."):
                    try:
                        found = joined(folder, path)
                    except AboveTop:
                        continue
                    if found in self.folders:
                        yield found

    def _find_own_names(self) -> dict[str, str]:
        folders: dict[str, list[str]] = {}
        for folder in self.folders:
            name = self.manifest(folder).get("name")
            if isinstance(name, str):
                folders.setdefault(name, []).append(folder)
        return {name: found[0] for name, found in folders.items() if len(found) == 1}

    def _find_workspaces(self) -> dict[str, list[str]]:
        """Return folder that declares workspaces -> the patterns of their folders."""
        found: dict[str, list[str]] = {}
        for folder in self.folders:
            declared = self.manifest(folder).get("workspaces")
            patterns = strings(table(declared).get("packages") if isinstance(declared, dict) else declared)
            if patterns:
                found.setdefault(folder, []).extend(patterns)
        for path in self._sources.paths:
            folder, _, name = path.rpartition("/")
            if name == "pnpm-workspace.yaml":
                found.setdefault(folder, []).extend(strings(yaml_object(self._sources.read(path)).get("packages")))
            elif name == "lerna.json":
                found.setdefault(folder, []).extend(strings(json_object(self._sources.read(path)).get("packages")))
            elif name == "rush.json":
                projects = json_object(self._sources.read(path)).get("projects")
                listed = [
                    table(project).get("projectFolder") for project in projects or [] if isinstance(projects, list)
                ]
                found.setdefault(folder, []).extend(strings(listed))
        return found

    def _find_members(self, root: str) -> dict[str, str]:
        """Return name -> folder of the packages in the workspaces of `root`, and of the root package."""
        found: dict[str, str] = {}
        for folder in sorted(self.folders, key=lambda folder: (folder.count("/"), folder)):
            if folder != root and not f"{folder}/".startswith(f"{root}/" if root else ""):
                continue
            inside = folder[len(root) :].strip("/")
            name = self.manifest(folder).get("name")
            if isinstance(name, str) and (not inside or _is_listed(inside, self._workspaces[root])):
                found.setdefault(name, folder)
        return found


def _is_listed(folder: str, patterns: list[str]) -> bool:
    listed = False
    for pattern in patterns:
        wanted = pattern.removeprefix("!").removeprefix("./").strip("/").split("/")
        if _fits(wanted, folder.split("/")):
            listed = not pattern.startswith("!")
    return listed


def _fits(pattern: list[str], parts: list[str]) -> bool:
    """Return whether a path matches a glob, part by part; `**` is any number of parts."""
    reachable = {0}
    for wanted in pattern:
        if wanted == "**":
            reachable = set(range(min(reachable, default=len(parts) + 1), len(parts) + 1))
        else:
            reachable = {at + 1 for at in reachable if at < len(parts) and matched(wanted, parts[at]) is not None}
    return len(parts) in reachable


def _exported(exports: object, subpath: str) -> Iterator[str]:
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        yield from _mapped(exports, f"./{subpath}" if subpath else ".")
    elif not subpath:
        yield from _leaves(exports)


def _mapped(targets: object, name: str) -> Iterator[str]:
    """Yield the targets of `name` in a table with `*` patterns: the exact key's, else the most exact pattern's."""
    entries = table(targets)
    if name in entries:
        yield from _leaves(entries[name])
        return
    for pattern in sorted(entries, key=lambda key: -len(key.partition("*")[0])):
        star = matched(pattern, name) if "*" in pattern else None
        if star is None and pattern.endswith("/") and name.startswith(pattern) and pattern != "./":
            yield from (target + name[len(pattern) :] for target in _leaves(entries[pattern]))
            return
        if star is not None:
            yield from (target.replace("*", star) for target in _leaves(entries[pattern]))
            return


def _leaves(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the targets below conditions, source files first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < 10:
        for item in value:
            yield from _leaves(item, depth + 1)
    elif isinstance(value, dict) and depth < 10:
        known = [key for key in _CONDITIONS if key in value]
        for key in [*known, *(key for key in value if key not in known and key not in _NO_SCRIPT)]:
            yield from _leaves(value[key], depth + 1)
