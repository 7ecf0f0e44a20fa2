"""Relation of a file with dangerous code to product code."""

from __future__ import annotations

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.changes.classify import EXAMPLES_FOLDER, Nature, plain_nature
from assay.validators.changes.language_table import is_in, languages
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.policy.natures import ASIDE


def is_code(file: ChangedFile) -> bool:
    """Return whether a file holds code of any purpose; notebook cells are code."""
    return Nature.source in (file.nature, plain_nature(file.path)) or is_in(file.path, languages("notebook"))


def is_aside(file: ChangedFile) -> bool:
    """Return whether a file is a test, documentation or an example, in which dangers may be legitimate."""
    return file.nature in ASIDE or file.is_example


def loading_product(change: ChangeSet, graph: ImportGraph, path: str) -> list[str]:
    """Return the product files that import a file, directly or indirectly."""
    return [reached.path for reached in graph.dependents([path]) if _is_product(change, reached.path)]


def _is_product(change: ChangeSet, path: str) -> bool:
    file = change.by_path.get(path)
    if file is not None:
        return file.nature is Nature.source and not file.is_example
    return change.nature_of(path) is Nature.source and EXAMPLES_FOLDER.search(path) is None
