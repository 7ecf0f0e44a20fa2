"""Packages that no public registry has to know: a repository's own ones, and those from another source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, SourceTree, decoded
from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.registries import Package
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable, json_document, toml
from assay.validators.risk.dependencies.supply_facts.registries import ecosystem_of_source, sets_source

MOST_FILES = 400
_NAMED_IN = ("package.json", "pyproject.toml", "Cargo.toml")


@dataclass(frozen=True)
class OwnPackages:
    """Own packages of a tree, and the file that names another source of an ecosystem's packages."""

    names: frozenset[str]
    sources: dict[str, str]

    @staticmethod
    def of(change: ChangeSet) -> OwnPackages:
        """Return those of a change: its names after it, its sources before it."""
        return OwnPackages(frozenset(_names(change.head)), dict(_sources(change.base)))

    def why_absent(self, package: Package) -> str:
        """Return why the public registry need not have a package, or ""."""
        if package.name in self.names:
            return "a package of this repository"
        source = self.sources.get(package.ecosystem)
        return f"not in the public registry, and {source} names another source" if source else ""


def _names(tree: SourceTree) -> Iterator[str]:
    paths = [path for path in tree.paths if path.rpartition("/")[2] in _NAMED_IN][:MOST_FILES]
    for path, content in tree.read_many(paths, LIMIT_CHARACTERS):
        text = decoded(content or b"")
        try:
            document = json_document(text) if path.endswith(".json") else toml(text)
        except Unreadable:
            continue
        for holder in (
            document,
            table(document, "project"),
            table(document, "package"),
            table(document, "tool", "poetry"),
        ):
            name = holder.get("name") if isinstance(holder, dict) else None
            if isinstance(name, str):
                yield name


def _sources(tree: SourceTree) -> Iterator[tuple[str, str]]:
    paths = {path: ecosystem for path in tree.paths if (ecosystem := ecosystem_of_source(path)) is not None}
    for path, content in tree.read_many([*paths][:MOST_FILES], LIMIT_CHARACTERS):
        if content is not None and sets_source(path, decoded(content)):
            yield paths[path], path
