"""Packages of a JavaScript tree: workspaces, the exports of their package.json, and their source files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from assay.validators.configuration.settings_files import strings, table
from assay.validators.languages.javascript.paths import Paths, folders_above, joined
from assay.validators.languages.javascript.settings import json_object, matched, yaml_object
from assay.validators.languages.language import Sources

_ENTRIES = ("source", "svelte", "module", "jsnext:main", "esnext", "main", "browser", "types", "typings")
_CONDITIONS = tuple("source src development svelte import module require node browser default types".split())
_NO_SCRIPT = ("sass", "style", "css", "less", "stylus", "asset")
_CUSTOMARY = tuple("src/index index src/main lib/index source/index src/public-api src/public_api mod main".split())
_LINKS = ("file:", "link:", "portal:", "workspace:")
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
DEEPEST_TARGET = 10


class Packages:
    """Packages of one tree."""

    def __init__(self, sources: Sources, paths: Paths) -> None:
        self._sources = sources
        self._paths = paths
        names = [path for path in sources.paths if path == "package.json" or path.endswith("/package.json")]
        self.folders = {path.rpartition("/")[0]: path for path in names if "node_modules/" not in path}
        self.manifest = cache(self._manifest)
        self._members = cache(self._find_members)
        self._named: dict[str, list[str]] = {}
        """Name -> folders, nearest to the top first."""
        self._workspaces: dict[str, list[str]] = {}
        """Folder that declares workspaces -> the patterns of their folders."""
        for folder in sorted(self.folders, key=lambda folder: (folder.count("/"), folder)):
            manifest = self.manifest(folder)
            declared = manifest.get("workspaces")
            self._declare(folder, table(declared).get("packages") if isinstance(declared, dict) else declared)
            if isinstance(manifest.get("name"), str):
                self._named.setdefault(manifest["name"], []).append(folder)
        for path in sources.paths:
            folder, _, name = path.rpartition("/")
            if name in ("pnpm-workspace.yaml", "lerna.json"):
                read = yaml_object if name.endswith(".yaml") else json_object
                self._declare(folder, read(sources.read(path)).get("packages"))

    def nearest(self, folder: str) -> str | None:
        """Return the folder of the package that contains `folder`."""
        return next((above for above in folders_above(folder) if above in self.folders), None)

    def member(self, name: str, folder: str) -> tuple[str, str] | None:
        """Return (package folder, rest of the name) of a package in the tree that a file in `folder` may import."""
        package, rest = _split(name)
        found = next(self._by_name(package, folder), None)
        return (found, rest) if found is not None else None

    def entry(self, folder: str, subpath: str) -> str | None:
        """Return the file that the package in `folder` exports as `subpath` ("" for the package itself)."""
        manifest = self.manifest(folder)
        targets = list(_exported(manifest.get("exports"), subpath))
        if subpath:
            places = [subpath, f"src/{subpath}", f"lib/{subpath}", f"source/{subpath}"]
            found = self._first(folder, targets) or self._first_at(folder, places)
            return found or self._paths.written(folder, subpath)
        targets += [value for key in _ENTRIES for value in strings(manifest.get(key))]
        return self._first(folder, targets) or self._first_at(folder, _CUSTOMARY)

    def internal(self, folder: str, name: str) -> tuple[str | None, bool]:
        """Return the file of `#name` by the `imports` of the package in `folder`, and whether it has an entry."""
        targets = list(_mapped(self.manifest(folder).get("imports"), name))
        return self._first(folder, targets), bool(targets)

    def called(self, name: str) -> str | None:
        """Return the folder of the tree's only package with a name, in a workspace or not."""
        found = self._named.get(name, [])
        return found[0] if len(found) == 1 else None

    def depends_on(self, folder: str, name: str) -> bool:
        """Return whether a package above `folder` has `name` as a dependency, and so takes it from a registry."""
        manifests = (self.manifest(above) for above in folders_above(folder) if above in self.folders)
        return any(_split(name)[0] in table(manifest.get(key)) for manifest in manifests for key in _DEPENDENCIES)

    def _manifest(self, folder: str) -> dict[str, Any]:
        path = self.folders.get(folder)
        return json_object(self._sources.read(path)) if path is not None else {}

    def _declare(self, folder: str, patterns: object) -> None:
        if listed := strings(patterns):
            self._workspaces.setdefault(folder, []).extend(listed)

    def _first(self, folder: str, targets: list[str]) -> str | None:
        """Return the first target in the tree, else the first one built from a file in the tree."""
        own = [target for target in targets if not target.startswith(("node:", "http", "/"))]
        written = (self._paths.written(folder, target) for target in own)
        return self._first_at(folder, own) or next(filter(None, written), None)

    def _first_at(self, folder: str, targets: Iterable[str]) -> str | None:
        return next((file for target in targets if (file := self._paths.at(joined(folder, target)))), None)

    def _by_name(self, name: str, folder: str) -> Iterator[str]:
        own = self.nearest(folder)
        if own is not None:
            manifest = self.manifest(own)
            if manifest.get("name") == name:
                yield own
            for key in _DEPENDENCIES:
                target = table(manifest.get(key)).get(name)
                if isinstance(target, str) and target.startswith(_LINKS):
                    # A dependency on a folder of the tree: `file:../other`.
                    linked = joined(own, target.partition(":")[2])
                    if linked is not None and linked != own and linked in self.folders:
                        yield linked
        for root in folders_above(folder):
            if root in self._workspaces and name in self._members(root):
                yield self._members(root)[name]
        for above in folders_above(folder):
            installed = f"{above}/node_modules/{name}".lstrip("/")
            if f"{installed}/package.json" in self._sources:
                yield installed

    def _find_members(self, root: str) -> dict[str, str]:
        """Return name -> folder of the packages in the workspaces of `root`, and of the root package."""
        start = f"{root}/" if root else ""
        found: dict[str, str] = {}
        for name, folders in self._named.items():
            for folder in folders:
                is_inside = folder.startswith(start) and folder != root
                if folder == root or (is_inside and _is_listed(folder.removeprefix(start), self._workspaces[root])):
                    found.setdefault(name, folder)
        return found


def _is_listed(folder: str, patterns: list[str]) -> bool:
    fitting = [one for one in patterns if _fits(one.removeprefix("!").removeprefix("./").strip("/"), folder)]
    return bool(fitting) and not fitting[-1].startswith("!")


def _fits(pattern: str, path: str) -> bool:
    """Return whether a path matches a glob, part by part; `**` is any number of parts."""
    parts = path.split("/")
    reachable = {0}
    for wanted in pattern.split("/"):
        if wanted == "**":
            reachable = set(range(min(reachable, default=len(parts) + 1), len(parts) + 1))
        else:
            reachable = {at + 1 for at in reachable if at < len(parts) and matched(wanted, parts[at]) is not None}
    return len(parts) in reachable


def _split(name: str) -> tuple[str, str]:
    """Return the package and the rest of a name: `@scope/package`, `file`."""
    parts = name.split("/")
    size = 2 if name.startswith("@") else 1
    return "/".join(parts[:size]), "/".join(parts[size:])


def _exported(exports: object, subpath: str) -> Iterator[str]:
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        yield from _mapped(exports, f"./{subpath}" if subpath else ".")
    elif not subpath:
        yield from _leaves(exports)


def _mapped(targets: object, name: str) -> Iterator[str]:
    """Yield the targets of `name` in a table with `*` patterns: the exact key's, else the most exact pattern's."""
    entries = table(targets)
    for pattern in sorted(entries, key=lambda key: (key != name, -len(key.partition("*")[0]))):
        is_folder = pattern.endswith("/") and pattern != "./"
        star = matched(f"{pattern}*" if is_folder else pattern, name)
        if star is not None:
            leaves = _leaves(entries[pattern])
            yield from (leaf + star if is_folder else leaf.replace("*", star) for leaf in leaves)
            return


def _leaves(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the targets below conditions, source files first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)) and depth < DEEPEST_TARGET:
        keys = sorted(value, key=_condition_rank) if isinstance(value, dict) else range(len(value))
        for key in keys:
            if key not in _NO_SCRIPT:
                yield from _leaves(value[key], depth + 1)


def _condition_rank(key: str) -> int:
    return _CONDITIONS.index(key) if key in _CONDITIONS else len(_CONDITIONS)
