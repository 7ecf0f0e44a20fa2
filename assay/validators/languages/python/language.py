"""Python: modules, packages, stubs and scripts, also those no current interpreter parses."""

from __future__ import annotations

from collections.abc import Collection

from assay.validators.language_table import languages, suffixes
from assay.validators.languages.language import Definition, Import, Resolution, Resolver, Scan, Sources, WantedNames
from assay.validators.languages.python import definitions
from assay.validators.languages.python.imports import scan_imports
from assay.validators.languages.python.modules import PythonModules
from assay.validators.languages.python.uses import passes_on, used_names

SUFFIXES = frozenset(suffix[1:] for suffix in suffixes("python", "cython"))
"""Cython's imports are followed like Python's; `cimport` is not, so Cython is not covered."""


class Python:
    """Entry of the language register."""

    name = "python"
    covers = languages("python")

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """Return the dialect by suffix, or for a file without one by its first line: `#!/usr/bin/env python3`."""
        if path.rpartition(".")[2] in SUFFIXES:
            return "python"
        return "python" if first_bytes.startswith(b"#!") and b"python" in first_bytes.partition(b"\n")[0] else None

    def scan(self, content: bytes, dialect: str) -> Scan:  # noqa: ARG002 - there is one dialect
        """Return the imports, by `scan_imports`."""
        return scan_imports(content)

    def resolver(self, sources: Sources) -> Resolver:
        """Return the resolver over the modules and packages of the tree."""
        return PythonTree(sources)

    def definitions(self, path: str, source: str) -> list[Definition]:
        """Return the definitions by Python's parser, or line by line for a broken file."""
        return definitions.definitions(path, source)

    def quiet_lines(self, path: str, source: str) -> Collection[int]:
        """Return comments, docstrings, blank lines, imports, and code that runs only as a script."""
        return definitions.quiet_lines(path, source)


class PythonTree:
    """Resolver over the `modules` of one tree."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        paths = [path for path in sources.paths if path.rpartition(".")[2] in SUFFIXES]
        self.modules = PythonModules(sources, paths)

    def resolve(self, path: str, item: Import) -> Resolution:
        return self.modules.resolve(path, item)

    def uses(self, path: str, content: bytes, wanted: WantedNames) -> set[tuple[str, str]]:
        return used_names(self.modules, path, content, self._imports(path), wanted)

    def passes_on(self, path: str, content: bytes, wanted: WantedNames) -> bool:  # noqa: ARG002 - imports tell it all
        return passes_on(self.modules, path, self._imports(path), wanted)

    def _imports(self, path: str) -> tuple[Import, ...]:
        scan = self._sources.scan(path)
        return scan.imports if scan is not None else ()
