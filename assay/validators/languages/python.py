"""Python: modules and packages, stubs, scripts; also what no interpreter would parse."""

from __future__ import annotations

from assay.validators.languages.language import Resolver, Scan, Sources
from assay.validators.languages.python_imports import scan_imports
from assay.validators.languages.python_modules import PythonResolver

SUFFIXES = frozenset("py pyi pyw pyx".split())


class Python:
    """The member of the register."""

    name = "python"

    def dialect(self, path: str) -> str | None:
        return "python" if path.rpartition(".")[2] in SUFFIXES else None

    def scan(self, content: bytes, dialect: str) -> Scan:  # noqa: ARG002 - one dialect
        return scan_imports(content)

    def resolver(self, sources: Sources) -> Resolver:
        return PythonResolver(sources, SUFFIXES)
