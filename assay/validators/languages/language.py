"""What Assay knows of a language: what its files import, which file that is, and who uses which name.

A language works in two steps. `scan` reads one file by itself: its result depends on the content alone, so it is kept per
content and never made twice. `resolver` then looks at the whole tree and says which file each import means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

EVERYTHING = "*"
"""As a symbol: the file as a whole (its top-level statements). As an imported name: all that the other file offers."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import as it is written.

    `target` is what stands there: `..pkg.module` in Python (dots first), `./x` in JavaScript. `names` pairs what is imported
    with what it is called here: `(("run", "go"),)` for `from m import run as go`; `(("*", ""),)` for a star import; empty
    where the module itself is imported, and then `alias` is the name given to it, "" where none is.
    """

    line: int
    target: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    kind: str = "import"
    is_top: bool = True


@dataclass(frozen=True, slots=True)
class Scan:
    """What one file says about other files; `is_script` where it is evidently run by itself."""

    imports: tuple[Import, ...] = ()
    is_script: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """The files an import means; `why` says why one that looks internal was not found (entirely)."""

    files: tuple[str, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A named piece of a file: a function, class, `Class.method` or constant; lines are 1-based and inclusive."""

    name: str
    line: int
    end_line: int
    kind: str
    exported: bool = True


class Sources(Protocol):
    """The tree as a resolver may see it."""

    @property
    def paths(self) -> Sequence[str]:
        """Every file of the tree, of whatever language."""

    def __contains__(self, path: object) -> bool: ...

    def scan(self, path: str) -> Scan | None:
        """What a file of this graph imports; None for a file no language here covers."""

    def read(self, path: str) -> bytes | None:
        """A file's content; None where it is absent or too large."""


class Resolver(Protocol):
    """Says which files an import means, in one tree."""

    def resolve(self, path: str, item: Import) -> Resolution:
        """The files `item` means, written in the file `path`; nothing for what is none of this tree's."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What an import in some file leads to: a file, and the name asked of it ("" where the file itself is bound)."""

    file: str
    name: str


class Language(Protocol):
    """A language whose imports Assay follows."""

    @property
    def name(self) -> str:
        """The register key."""

    def dialect(self, path: str) -> str | None:
        """How to scan a file of this name (part of the cache key); None where it is not of this language."""

    def scan(self, content: bytes, dialect: str) -> Scan:
        """What a file imports. Never raises, whatever the content."""

    def resolver(self, sources: Sources) -> Resolver:
        """What resolves imports in this tree."""
