"""JavaScript and TypeScript, JSX included, and the scripts of Vue and Svelte components."""

from __future__ import annotations

import re

from assay.validators.languages.javascript_imports import scan_imports
from assay.validators.languages.javascript_modules import JavaScriptResolver
from assay.validators.languages.language import Import, Resolver, Scan, Sources

SUFFIXES = frozenset("js jsx mjs cjs ts tsx mts cts".split())
COMPONENTS = frozenset("vue svelte".split())
_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_SOURCE = re.compile(rb"<(?:script|template|style)\b[^>]*\ssrc\s*=\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')", re.IGNORECASE)


class JavaScript:
    """The member of the register."""

    name = "javascript"

    def dialect(self, path: str) -> str | None:
        suffix = path.rpartition(".")[2]
        if suffix in SUFFIXES:
            return "javascript"
        return "component" if suffix in COMPONENTS else None

    def scan(self, content: bytes, dialect: str) -> Scan:
        if dialect == "javascript":
            return scan_imports(content)
        found: list[Import] = []
        for match in _SOURCE.finditer(content):
            target = (match[1] or match[2] or b"").decode("utf-8", "surrogateescape")
            found.append(Import(1 + content.count(b"\n", 0, match.start()), target))
        for match in _SCRIPT.finditer(content):
            found += scan_imports(match[2], 1 + content.count(b"\n", 0, match.start(2))).imports
        return Scan(tuple(found))

    def resolver(self, sources: Sources) -> Resolver:
        return JavaScriptResolver(sources)
