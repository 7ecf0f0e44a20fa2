"""Python: modules, packages, stubs and scripts, also those no current interpreter parses."""

from __future__ import annotations

from collections.abc import Collection

from assay.validators.changes.language_table import languages
from assay.validators.languages.language import Definition, Facts, Resolver, Scan, Sources
from assay.validators.languages.python import definitions, facts
from assay.validators.languages.python.imports import scan_imports
from assay.validators.languages.python.modules import SUFFIXES, PythonModules


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
        return PythonModules(sources)

    def definitions(self, path: str, source: str) -> list[Definition]:
        """Return the definitions by Python's parser, or line by line for a broken file."""
        return definitions.definitions(path, source)

    def facts(self, content: bytes, path: str) -> Facts:
        """Return the facts by Python's parser, or line by line for a broken file."""
        return facts.facts(content, path)

    def quiet_lines(self, path: str, source: str) -> Collection[int]:
        """Return comments, docstrings, blank lines, imports, and code that runs only as a script."""
        return definitions.quiet_lines(path, source)
