"""JavaScript's manifests: package.json, and the catalogs of pnpm-workspace.yaml."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, is_called
from assay.validators.io.structured_files import Node, Unreadable, json_document, yaml_document

_SECTIONS = {
    "dependencies": Scope.runtime,
    "optionalDependencies": Scope.optional,
    "peerDependencies": Scope.peer,
    "devDependencies": Scope.dev,
}
_LOCAL = ("workspace:", "file:", "link:", "portal:", "./", "../")
"""Prefixes of a constraint on a package of the same repository."""


def _packages(path: str, text: str) -> Iterator[Declared]:
    if path.endswith("pnpm-workspace.yaml"):
        return _catalogs(yaml_document(text))
    return _package(json_document(text))


def _package(document: object) -> Iterator[Declared]:
    if not isinstance(document, dict):
        raise Unreadable("not an object")
    for section, scope in _SECTIONS.items():
        for name, version in table(document, section).items():
            if isinstance(version, str) and not version.startswith(_LOCAL):
                # A `catalog:` constraint refers to pnpm-workspace.yaml: it has a package name and no version.
                known = None if version in ("*", "", "latest") or version.startswith("catalog:") else version
                yield Declared("npm", name, known, scope)


def _catalogs(document: Node) -> Iterator[Declared]:
    for catalog in (document.at("catalog"), *document.at("catalogs").pairs.values()):
        for name, version in catalog.pairs.items():
            yield Declared("npm", name, version.text or None, Scope.dev)


JAVASCRIPT = Manifest("javascript", is_called("package.json", "pnpm-workspace.yaml"), _packages)
