"""Export changes of a JavaScript or TypeScript package, from its entry points through re-exports.

What these names stand for is compared by `script_shapes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, SourceTree
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.configuration.settings_files import json_of
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.javascript.modules import JavaScriptModules
from assay.validators.languages.language import Import
from assay.validators.languages.register import LANGUAGES
from assay.validators.risk.api.script_shapes import Difference, Shape, differences, shapes_of

SCRIPTS = suffixes("javascript", "jsx", "typescript", "tsx")
_ENTRY_NAMES = tuple(
    "index src/index public-api src/public-api public_api src/public_api src/main lib/index mod".split()
)
_ENTRY_SUFFIXES = (".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx", ".cjs", ".d.ts")
_SECONDARY = re.compile(r"(^|/)public[-_]api\.ts$")
MOST_FILES = 2000
"""Maximum files followed from the entry points of one package."""


@dataclass(frozen=True, slots=True)
class ScriptPackage:
    """Published package: its name and its folder ("" for the root)."""

    name: str
    folder: str


def script_package_of(tree: SourceTree, path: str) -> ScriptPackage | None:
    """Return the package of a script by the nearest package.json; None if it is private or missing.

    A private one that lists its `files`, or says how to publish, is published by a build that takes the mark away.
    """
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        manifest = f"{folder}/package.json" if folder else "package.json"
        if manifest in tree:
            said = json_of(tree, manifest)
            is_public = said.get("private") is not True or bool({"files", "publishConfig"} & said.keys())
            is_public &= isinstance(said.get("name"), str)
            return ScriptPackage(said["name"], folder) if is_public else None
    return None


def loses_names(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether a script of the base exported or re-exported something that it no longer does."""
    if file.base_path is None or file.kind is not FileKind.text or file.nature is not Nature.source:
        return False
    if not file.base_path.endswith(SCRIPTS):
        return False
    removed = " ".join(file.removed.values())
    moved = not file.exists or file.path != file.base_path
    return moved or "export" in removed or bool(_named(change.base, file.base_path) - _named(change.head, file.path))


def lost_names(package: ScriptPackage, base: ImportGraph, head: ImportGraph) -> Iterator[tuple[str, str]]:
    """Yield (name, file of the base that exported it) of every lost export of the package's entry points.

    A name is in the form users search for: `@scope/package.name`, `@scope/package/part.name`.
    """
    for entry, imported_as in entries(package, base.sources.tree).items():
        now = _Offer(head)
        kept = now.names(entry) if entry in head.sources.tree else set()
        if now.is_open:
            continue  # some exports come from an unreadable file
        was = _Offer(base)
        for name in sorted(was.names(entry) - kept):
            if not name.startswith(("_", "ɵ")):
                yield f"{imported_as}.{name}", was.origins.get(name, entry)


Altered = tuple[str, Shape, Difference]
"""(name, shape after the change, difference)."""


def altered(change: ChangeSet, file: ChangedFile) -> Iterator[Altered]:
    """Yield the differences of each definition that both sides of a script have."""
    if file.base_path is None or not file.exists or file.kind is not FileKind.text:
        return
    old, new = _shapes(change.base, file.base_path), _shapes(change.head, file.path)
    for name in [one for one in new if one in old and old[one] != new[one]]:
        yield from ((name, new[name], one) for one in differences(old[name], new[name]))


def _shapes(tree: SourceTree, path: str) -> dict[str, Shape]:
    reading = LANGUAGES["javascript"].reading(path, tree.read(path) or b"")
    return shapes_of(reading) if reading is not None else {}


def names_of(graph: ImportGraph, known: Mapping[str, str], file: str, local: str) -> Iterator[str]:
    """Yield the names under which the entry points in `known` export a definition of a file, nearest first."""
    left = [(file, name) for name, own in _exports(graph, file).items() if own == local]
    seen = set(left)
    for path, name in left:
        if path in known:
            yield f"{known[path]}.{name}"
        for importer in sorted(graph.importers([path]))[: MOST_FILES - len(left)]:
            for item in graph.imports_of(importer, path):
                found = {(importer, one) for one in _handed_on(graph, importer, item, name)} - seen
                left += found
                seen |= found


def exports_any(graph: ImportGraph, known: Mapping[str, str], file: str) -> bool:
    """Return whether an entry point in `known` exports a definition of a file."""
    return any(any(names_of(graph, known, file, local)) for local in set(_exports(graph, file).values()))


def _handed_on(graph: ImportGraph, importer: str, item: Import, name: str) -> Iterator[str]:
    """Yield the names under which an import of a file exports one of its names again."""
    for original, local in item.names:
        is_star = item.is_star and not local and name != "default"
        if item.kind == "export" and (is_star or original == name):
            yield name if is_star else local or name
        elif original == name and item.kind != "export":
            yield from (shown for shown, own in _exports(graph, importer).items() if own == local)


def _exports(graph: ImportGraph, path: str) -> Mapping[str, str]:
    return graph.resolver(JavaScriptModules).exports(path)


def entries(package: ScriptPackage, tree: SourceTree) -> dict[str, str]:
    """Return entry point -> its import path: by manifest or convention, and secondary ones by `public-api.ts`."""
    prefix = f"{package.folder}/" if package.folder else ""
    said = json_of(tree, f"{prefix}package.json")
    wanted = [*_targets(said.get("exports")), *(said.get(key) for key in ("main", "module", "types", "typings"))]
    targets = (target.removeprefix("./") for target in wanted if isinstance(target, str))
    found = [f"{prefix}{target}" for target in targets if target.endswith(SCRIPTS)]
    found += _sources(prefix, _ENTRY_NAMES)
    named = {path: _by_folder(package, path) for path in found if path in tree}
    exports = said.get("exports")
    for key in exports if isinstance(exports, dict) else ():
        # A target that is built has its source under the name of the entry point.
        part = str(key).removeprefix("./")
        if str(key).startswith("./") and "*" not in part:
            stems = [f"{folder}{part}{end}" for folder in ("src/", "") for end in ("", "/index")]
            named.update((path, f"{package.name}/{part}") for path in _sources(prefix, stems) if path in tree)
    secondary = [path for path in tree.paths if path.startswith(prefix) and _SECONDARY.search(path)]
    return {**{path: _by_folder(package, path) for path in secondary}, **named}


def _sources(prefix: str, stems: Iterable[str]) -> list[str]:
    return [f"{prefix}{stem}{suffix}" for stem in stems for suffix in _ENTRY_SUFFIXES]


def _by_folder(package: ScriptPackage, entry: str) -> str:
    """Return the import path of an entry point: the package, and the folder of a secondary one."""
    folder = entry.rpartition("/")[0][len(package.folder) :].strip("/")
    inside = [part for part in folder.split("/") if part not in ("", "src", "lib")]
    return "/".join([package.name, *inside])


def _targets(said: object) -> Iterator[str]:
    """Yield every file in an `exports` table, however nested."""
    left = [said]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)


@dataclass(slots=True)
class _Offer:
    """Exports of files; `origins` are the sources of names, `is_open`: a file could not be read."""

    graph: ImportGraph
    origins: dict[str, str] = field(default_factory=dict)
    is_open: bool = False
    _seen: set[str] = field(default_factory=set)

    def names(self, path: str) -> set[str]:
        """Return every name the file at `path` exports, re-exports included."""
        if path in self._seen:
            return set()
        self._seen.add(path)
        if len(self._seen) > MOST_FILES:
            self.is_open = True
            return set()
        found = _named(self.graph.sources.tree, path)
        for name in found:
            self.origins.setdefault(name, path)
        for item in self.graph.sources.scan(path).imports:
            if item.kind == "export":
                found |= self._passed_on(path, item)
        return found

    def _passed_on(self, path: str, item: Import) -> set[str]:
        if not item.is_star:
            named = {as_name or name for name, as_name in item.names} | ({item.alias} if item.alias else set())
            for name in named:
                self.origins.setdefault(name, path)
            return named
        files = self.graph.resolvers["javascript"].resolve(path, item).files
        if not files and item.target.startswith("."):
            self.is_open = True
        return set().union(*(self.names(file) - {"default"} for file in files))


def _named(tree: SourceTree, path: str) -> set[str]:
    content = tree.read(path) if path in tree else None
    reading = LANGUAGES["javascript"].reading(path, content) if content is not None else None
    return set(reading.exports) if reading is not None else set()


def packages_that_lose(change: ChangeSet, files: Iterable[ChangedFile]) -> list[ScriptPackage]:
    """Return the packages with a file that exports less than before."""
    found = [
        script_package_of(change.base, file.base_path)
        for file in files
        if file.base_path is not None and loses_names(change, file)
    ]
    return list(dict.fromkeys(package for package in found if package is not None))
