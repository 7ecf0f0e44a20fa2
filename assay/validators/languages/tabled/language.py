"""Languages read by the engine, as members of the register."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from assay.validators.changes.language_table import bare_suffixes, languages
from assay.validators.languages.language import Definition, Facts, Resolver, Scan, Sources
from assay.validators.languages.tabled.engine import SourceReading
from assay.validators.languages.tabled.go_packages import GoPackages
from assay.validators.languages.tabled.java_types import JavaTypes
from assay.validators.languages.tabled.row import Row


class NameResolver(Resolver, Protocol):
    """Resolver of a language in which names lead to files."""

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""

    def may_be_foreign(self, path: str, mention: str) -> bool:
        """Return whether a mention may name what no file of the tree declares."""


@dataclass(frozen=True)
class TabledLanguage:
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

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:  # noqa: ARG002 - only suffixes count
        """Return the language's name for its suffixes."""
        return self.name if path.rpartition(".")[2] in bare_suffixes(self.name) else None

    def scan(self, content: bytes, dialect: str) -> Scan:  # noqa: ARG002 - there is one dialect
        """Return imports, namespace, and declared and mentioned names."""
        return reading_of(self.row, content).scan()

    def definitions(self, path: str, source: str) -> list[Definition]:  # noqa: ARG002 - the content says it all
        """Return the definitions in line order."""
        return reading_of(self.row, source.encode("utf-8", "surrogateescape")).definitions()

    def facts(self, content: bytes, path: str) -> Facts:  # noqa: ARG002 - the content says it all
        """Return the symbols and mentions."""
        return reading_of(self.row, content).facts()

    def quiet_lines(self, path: str, source: str) -> Collection[int]:  # noqa: ARG002 - the content says it all
        """Return the lines of comments, imports and nothing."""
        return reading_of(self.row, source.encode("utf-8", "surrogateescape")).quiet_lines()


@lru_cache(maxsize=8)
def reading_of(row: Row, content: bytes) -> SourceReading:
    """Return the reading of a file; the next questions on the same content do not parse it again."""
    return SourceReading(row, content)


GO = Row(
    "go",
    "tree_sitter_go",
    ".",
    re.compile(r"[(\s]*(?:\w+\s+)?[*&\s]*([A-Za-z_]\w*(?:\.\w+)?)\s*(?:\[[^\]]*\])?\s*(?:[,)]|$)"),
    ("_", "init", "main"),
    frozenset("Error String Close Lock Unlock RLock RUnlock Fatal Fatalf Errorf Helper Done Wait Len Bytes".split()),
)
JAVA = Row(
    "java",
    "tree_sitter_java",
    ".",
    re.compile(r"(?:@\w+\s+)*([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:<.*>)?\s*$", re.DOTALL),
    (),
    frozenset(
        "toString equals hashCode get put add size length isEmpty contains append remove iterator next hasNext".split()
    ),
    has_implicit_this=True,
)
TABLED = (TabledLanguage(GO, GoPackages), TabledLanguage(JAVA, JavaTypes))
