"""Trees for tests of imports: written to a folder, read back as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.validators.graph.import_graph import ImportGraph, build_graph
from assay.validators.vcs.trees import FolderTree
from tests.conftest import ROOT
from tests.tables import read_yaml


def tree_of(files: Mapping[str, str | bytes], folder: Path) -> FolderTree:
    """These files as a tree, written below `folder`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
    return FolderTree("tree", str(folder), list(files))


def graph_of(files: Mapping[str, str | bytes], folder: Path) -> ImportGraph:
    """The import graph of these files."""
    return build_graph(tree_of(files, folder))


def edges_of(graph: ImportGraph) -> dict[str, list[str]]:
    """Importer -> what it imports, sorted; importers of nothing left out."""
    return {path: sorted(graph.imported_by(path)) for path in graph.files if graph.imported_by(path)}


def cases(name: str) -> list[dict[str, Any]]:
    """The trees of a table of cases."""
    found = read_yaml(ROOT / "tests" / "cases" / "languages" / f"{name}.yaml")
    assert isinstance(found, list)
    return found
