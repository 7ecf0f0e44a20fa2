"""Commands that packages install: `[project.scripts]` of pyproject.toml, `bin` of package.json."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Any

from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_values import SymbolValues
from assay.validators.io.structured_files import Unreadable, toml
from assay.validators.languages.language import Origin
from assay.validators.languages.python.module_files import files_of

MOST_MANIFESTS = 200
LARGEST_MANIFEST = 256 * 1024
_NAMES = ("pyproject.toml", "package.json")


def scripts_of(graph: ImportGraph, values: SymbolValues) -> dict[Origin, tuple[str, ...]]:
    """Return function, or top level of a script, -> the commands that run it (`script NAME`)."""
    paths = [path for path in graph.sources.paths if path.rpartition("/")[2] in _NAMES and "node_modules/" not in path]
    found: dict[Origin, tuple[str, ...]] = {}
    for path, content in graph.sources.tree.read_many(paths[:MOST_MANIFESTS], LARGEST_MANIFEST):
        folder = path.rpartition("/")[0]
        for name, target in _declared(path, content or b""):
            place = _place(graph, values, folder, target)
            if place is not None:
                found[place] = (*found.get(place, ()), f"script {name[:100]}")
    return found


def _declared(path: str, content: bytes) -> Iterator[tuple[str, str]]:
    """Yield (command, target) of a manifest."""
    try:
        is_python = path.endswith(".toml")
        data: Any = toml(content.decode()) if is_python else json.loads(content)
        tool = data.get("tool", {}).get("poetry", {}) if is_python else data
        scripts = (
            {**tool.get("scripts", {}), **data.get("project", {}).get("scripts", {})} if is_python else data["bin"]
        )
        if isinstance(scripts, str):
            scripts = {str(data["name"]): scripts}
        yield from ((str(name), target) for name, target in scripts.items() if isinstance(target, str))
    except (Unreadable, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return


def _place(graph: ImportGraph, values: SymbolValues, folder: str, target: str) -> Origin | None:
    module, colon, function = target.partition(":")
    if not colon:
        path = posixpath.normpath(posixpath.join(folder, target))
        return Origin(path, "") if path in values.loaded else None
    parts = module.strip().split(".")
    for root in ("", "src"):
        start = posixpath.join(folder, root, *parts)
        for path in files_of(start):
            if path in graph.sources:
                name = function.strip()
                return Origin(path, name) if name in values.symbols(path) else values.origin(path, name)
    return None
