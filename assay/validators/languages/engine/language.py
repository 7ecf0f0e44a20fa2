"""Languages read by the engine, as members of the register."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from assay.validators.changes.language_table import bare_suffixes, language_of, language_of_script, languages, suffixes
from assay.validators.languages.engine.facts import facts_of
from assay.validators.languages.engine.outline import Outline, outline_of
from assay.validators.languages.engine.reading import SourceReading, reading_of
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.rows import C, script_row
from assay.validators.languages.engine.scanned import scan_of
from assay.validators.languages.javascript.imports import scan_imports as scan_script
from assay.validators.languages.language import Facts, Import, Resolver, Scan, Sources
from assay.validators.languages.python.imports import scan_imports as scan_python
from assay.validators.languages.python.modules import SUFFIXES

MOST_OPEN = 200
"""Maximum brackets that stay open or close nothing: a grammar takes minutes for files with many more."""
_NODE = re.compile(rb"\b(?:node|deno|bun|tsx|ts-node|zx)\b")
_SCRIPT = re.compile(rb"<script\b[^>]*+>(.*?)(?:</script\s*+>|\Z)", re.DOTALL | re.IGNORECASE)
_SOURCE = re.compile(
    rb"<(?:script|template|style)\b[^>]{0,500}?\ssrc\s*+=\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')", re.IGNORECASE
)
_C_FAMILY = ("c", "c-header", "cpp")
_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_COMPONENTS = ("vue", "svelte")


@dataclass(frozen=True)
class Language:
    """Language of one row; `resolver` builds its resolver for a tree."""

    row: Row
    resolver: Callable[[Sources], Resolver]

    @property
    def name(self) -> str:
        """Key in the register."""
        return self.row.name

    @property
    def covers(self) -> frozenset[str]:
        """Rows of the language table that it reads."""
        return languages(self.row.name)

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """Return the language's name for its suffixes; without one for a name such as `Rakefile`, or a `#!` line."""
        if "." in path.rpartition("/")[2]:
            return self.name if path.rpartition(".")[2] in bare_suffixes(self.name) else None
        row = language_of(path) or language_of_script(first_bytes)
        return self.name if row is not None and row.key == self.name else None

    def scan(self, content: bytes, dialect: str) -> Scan:  # noqa: ARG002 - there is one dialect
        """Return imports, namespace, and declared and mentioned names."""
        return scan_of(reading_of(self.row, content))

    def reading(self, path: str, content: bytes) -> SourceReading | None:  # noqa: ARG002 - the content says it all
        """Return the reading of a file; None if nothing can be read of it."""
        return reading_of(self.row, content)

    def outline(self, path: str, content: bytes) -> Outline:
        """Return what rules ask of a changed file."""
        return _outline(self, path.rpartition("/")[2], content)

    def shapes(self, path: str, content: bytes, names: Collection[str]) -> dict[str, str]:
        """Return what definitions of a file say, by name, without comments and what a formatter may change."""
        reading = self.reading(path, content)
        return reading.shapes(names) if reading is not None else {}

    def facts(self, content: bytes, path: str) -> Facts:
        """Return the symbols and mentions."""
        reading = self.reading(path, content)
        return facts_of(reading) if reading is not None else Facts()


@lru_cache(maxsize=4096)
def _outline(language: Language, name: str, content: bytes) -> Outline:
    """Return the outline of a file by its name: only the suffix counts, and whether it is a package's own file."""
    reading = language.reading(name, content)
    if reading is None:
        blank = (number for number, line in enumerate(content.split(b"\n"), 1) if not line.strip())
        return Outline(quiet_lines=frozenset(blank))
    return outline_of(reading, language.row.listed.match(name) is not None)


class CFamily(Language):
    """C and C++, whose files include each other; a header is read as C++."""

    @property
    def covers(self) -> frozenset[str]:
        """Rows of the language table that it reads."""
        return languages(*_C_FAMILY)

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:  # noqa: ARG002 - only suffixes count
        """Return the dialect by suffix."""
        suffix = path.rpartition(".")[2]
        return ("c" if suffix == "c" else "cpp") if suffix.lower() in bare_suffixes(*_C_FAMILY) else None

    def scan(self, content: bytes, dialect: str) -> Scan:
        """Return includes, declared and mentioned names."""
        return scan_of(reading_of(C if dialect == "c" else self.row, content))

    def reading(self, path: str, content: bytes) -> SourceReading | None:
        """Return the reading of a file by its suffix; None if the brackets do not match."""
        return reading_of(C if path.endswith(".c") else self.row, content) if _is_balanced(content) else None


class Python(Language):
    """Python, whose imports are found without parsing."""

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """Return the dialect by suffix, or for a file without one by its first line: `#!/usr/bin/env python3`."""
        if path.rpartition(".")[2] in SUFFIXES:
            return "python"
        return "python" if first_bytes.startswith(b"#!") and b"python" in first_bytes.partition(b"\n")[0] else None

    def scan(self, content: bytes, dialect: str) -> Scan:  # noqa: ARG002 - there is one dialect
        """Return the imports."""
        return scan_python(content)

    def reading(self, path: str, content: bytes) -> SourceReading | None:  # noqa: ARG002 - the content says it all
        """Return the reading of a file."""
        return reading_of(self.row, content, scan_python)


class JavaScript(Language):
    """JavaScript and TypeScript with JSX, and the scripts of components; imports are found without parsing."""

    @property
    def covers(self) -> frozenset[str]:
        """Rows of the language table that it reads."""
        return languages(*_SCRIPTS, *_COMPONENTS)

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """Return the dialect by suffix, or for a file without one by its first line: `#!/usr/bin/env node`."""
        suffix = path.rpartition(".")[2]
        if f".{suffix}" in suffixes(*_COMPONENTS):
            return "component"
        is_script = first_bytes.startswith(b"#!") and _NODE.search(first_bytes.partition(b"\n")[0]) is not None
        return "javascript" if suffix in bare_suffixes(*_SCRIPTS) or is_script else None

    def scan(self, content: bytes, dialect: str) -> Scan:
        """Return the imports; for a component, those of its scripts."""
        if dialect == "javascript":
            return scan_script(content)
        found: list[Import] = []
        for match in _SOURCE.finditer(content):
            target = (match[1] or match[2] or b"").decode("utf-8", "surrogateescape")
            found.append(Import(1 + content.count(b"\n", 0, match.start()), target))
        for match in _SCRIPT.finditer(content):
            found += scan_script(match[1], 1 + content.count(b"\n", 0, match.start(1))).imports
        return Scan(tuple(found))

    def reading(self, path: str, content: bytes) -> SourceReading | None:
        """Return the reading of a script; None for a component, and if the brackets do not match."""
        row = language_of(path)
        if (row is not None and row.embeds) or not _is_balanced(content):
            return None
        return reading_of(script_row(path), content, scan_script)

    def facts(self, content: bytes, path: str) -> Facts:
        """Return the facts; for a component, those of its scripts."""
        if f".{path.rpartition('.')[2]}" in suffixes(*_COMPONENTS):
            content, path = b"\n".join(match[1] for match in _SCRIPT.finditer(content)), "component.ts"
        return super().facts(content, path)


def _is_balanced(content: bytes) -> bool:
    return all(
        abs(content.count(one) - content.count(other)) < MOST_OPEN
        for one, other in ((b"{", b"}"), (b"(", b")"), (b"[", b"]"))
    )
