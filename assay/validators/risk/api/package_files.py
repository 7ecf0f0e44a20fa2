"""Files of a Python package that must be read together to compare the interface of some."""

from __future__ import annotations

from collections.abc import Iterable

from assay.validators.change import SourceTree, decoded
from assay.validators.language_table import suffixes
from assay.validators.risk.api.difference import MOST_FILES
from assay.validators.risk.api.published import Package
from assay.validators.risk.api.python_interface import base_names, defines_class
from assay.validators.risk.signal import RiskContext


def with_bases(context: RiskContext, package: Package, paths: list[str]) -> list[str]:
    """Return these files and those that define the bases of their classes, recursively."""
    found = dict.fromkeys(paths)
    queue = list(paths)
    while queue and len(found) < MOST_FILES and not context.deadline.passed:
        path = queue.pop(0)
        wanted = base_names(_text(context.change.head, path)) | base_names(_text(context.change.base, path))
        near = context.head_graph.imported_by(path) - found.keys() if wanted else set()
        for other in sorted(
            one for one in near if one.startswith(f"{package.path}/") and one.endswith(suffixes("python"))
        ):
            if defines_class(_text(context.change.head, other), wanted):
                found[other] = None
                queue.append(other)
    return list(found)[:MOST_FILES]


def _text(tree: SourceTree, path: str) -> str:
    return decoded((tree.read(path) if path in tree else None) or b"")


def above(package: Package, paths: Iterable[str]) -> list[str]:
    """Return the `__init__` files of every folder from the package down to these files."""
    folders = {package.path}
    for path in paths:
        folder = path.rpartition("/")[0]
        while len(folder) > len(package.path):
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return [f"{folder}/__init__{suffix}" for folder in sorted(folders) for suffix in suffixes("python")]
