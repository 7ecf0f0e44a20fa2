"""JavaScript and TypeScript with JSX, and the scripts of Vue and Svelte components."""

from __future__ import annotations

import re
from collections.abc import Collection

from assay.validators.changes.language_table import bare_suffixes, languages, suffixes
from assay.validators.languages.javascript import definitions, facts
from assay.validators.languages.javascript.imports import scan_imports
from assay.validators.languages.javascript.modules import JavaScriptModules
from assay.validators.languages.language import Definition, Facts, Import, Resolver, Scan, Sources

_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_COMPONENTS = ("vue", "svelte")
SUFFIXES = bare_suffixes(*_SCRIPTS)
COMPONENTS = frozenset(suffix[1:] for suffix in suffixes(*_COMPONENTS))
_RUNNER = re.compile(rb"\b(?:node|deno|bun|tsx|ts-node|zx)\b")
_SCRIPT = re.compile(rb"<script\b[^>]*+>(.*?)(?:</script\s*+>|\Z)", re.DOTALL | re.IGNORECASE)
_SOURCE = re.compile(
    rb"<(?:script|template|style)\b[^>]{0,500}?\ssrc\s*+=\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')", re.IGNORECASE
)


class JavaScript:
    """Entry of the language register."""

    name = "javascript"
    covers = languages(*_SCRIPTS, *_COMPONENTS)

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """Return the dialect by suffix, or for a file without one by its first line: `#!/usr/bin/env node`."""
        suffix = path.rpartition(".")[2]
        if suffix in COMPONENTS:
            return "component"
        is_script = first_bytes.startswith(b"#!") and _RUNNER.search(first_bytes.partition(b"\n")[0]) is not None
        return "javascript" if suffix in SUFFIXES or is_script else None

    def scan(self, content: bytes, dialect: str) -> Scan:
        """Return the imports, by `clauses`; for a component, those of its scripts."""
        if dialect == "javascript":
            return scan_imports(content)
        found: list[Import] = []
        for match in _SOURCE.finditer(content):
            target = (match[1] or match[2] or b"").decode("utf-8", "surrogateescape")
            found.append(Import(1 + content.count(b"\n", 0, match.start()), target))
        for match in _SCRIPT.finditer(content):
            found += scan_imports(match[1], 1 + content.count(b"\n", 0, match.start(1))).imports
        return Scan(tuple(found))

    def resolver(self, sources: Sources) -> Resolver:
        """Return the resolver over folders, packages, workspaces and aliases."""
        return JavaScriptModules(sources)

    def definitions(self, path: str, source: str) -> list[Definition]:
        """Return the definitions by tree-sitter, which also reads broken files."""
        return definitions.definitions(path, source)

    def facts(self, content: bytes, path: str) -> Facts:
        """Return the facts by tree-sitter; for a component, those of its scripts."""
        if path.rpartition(".")[2] in COMPONENTS:
            content, path = b"\n".join(match[1] for match in _SCRIPT.finditer(content)), "component.ts"
        return facts.facts(content, path)

    def quiet_lines(self, path: str, source: str) -> Collection[int]:
        """Return comments, blank lines and imports."""
        return definitions.quiet_lines(path, source)
