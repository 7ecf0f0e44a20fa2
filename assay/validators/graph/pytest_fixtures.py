"""Fixtures of pytest as a test sees them: its own file's, imported ones, those of `conftest.py` above, of plugins."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.kept_facts import KeptFacts
from assay.validators.languages.language import Origin


class Fixtures:
    """Fixtures of the loaded files; `facts` returns those of a path, `origin` the place of a name in a file."""

    def __init__(
        self, facts: Callable[[str], KeptFacts], graph: ImportGraph, origin: Callable[[str, str], Origin | None]
    ) -> None:
        self._facts = facts
        self._graph = graph
        self._origin = origin
        self._defined = cache(self._define)
        self._around = cache(lambda path: tuple(self._find_around(path)))

    def named(self, path: str, name: str, apart: Origin | None = None) -> Origin | None:
        """Return the fixture that a parameter in the file at `path` means, nearest first, but not `apart`."""
        imported = self._origin(path, name)
        if imported is not None and imported != apart and imported.name in self._defined(imported.file).values():
            return imported
        for file in (path, *self._around(path)):
            local = self._defined(file).get(name)
            if local is not None and Origin(file, local) != apart:
                return Origin(file, local)
        return None

    def _define(self, path: str) -> dict[str, str]:
        """Return the public name of each fixture of a file with its function."""
        return {one.entry or one.name: one.name for one in self._facts(path).symbols if one.kind == "fixture"}

    def _find_around(self, path: str) -> list[str]:
        """Return the `conftest.py` files above a file, nearest first, each with the plugins it imports."""
        folders = path.split("/")[:-1]
        found: dict[str, None] = {}
        for depth in range(len(folders), -1, -1):
            conftest = "/".join((*folders[:depth], "conftest.py"))
            if conftest in self._graph.sources:
                found |= dict.fromkeys((conftest, *sorted(self._graph.imported_by(conftest))))
        return [file for file in found if file != path]
