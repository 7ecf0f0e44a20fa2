"""What Assay knows of a language: what its files import, which file that is, and who uses which name.

A language works in two steps. `scan` reads one file by itself: the result depends on the content alone, so it is kept
per content and never made twice. `resolver` then looks at the whole tree and says which file each import means.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

EVERYTHING = "*"
"""As a symbol: the file as a whole (its top-level statements). As an imported name: all that the other file offers."""

Wanted = Mapping[str, Collection[str]]
"""File -> names defined in it, `Class.method` for a method."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import as it is written.

    `target` is what stands there: `..pkg.module` in Python (dots first), `./x` in JavaScript. `names` pairs what is
    imported with what it is called here: `(("run", "go"),)` for `from m import run as go`, `(("*", ""),)` for a star
    import; empty where the module itself is imported, and then `alias` is the name given to it, "" where none is.
    `kind` is `import`, `from` or `export` for statements, `call` for a call that imports, `path` for one that only
    finds a file, `reference` for a directive; `is_top` is False for one inside a function, class or condition.
    """

    line: int
    target: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    kind: str = "import"
    is_top: bool = True

    @property
    def is_star(self) -> bool:
        """Whether it brings every name of the other file under its own name."""
        return (EVERYTHING, "") in self.names


@dataclass(frozen=True, slots=True)
class Scan:
    """What one file says about other files.

    `is_script` where it is evidently run by itself; `moves_path` where it changes the path modules are searched on.
    """

    imports: tuple[Import, ...] = ()
    is_script: bool = False
    moves_path: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """The files an import means; `why` says why one that looks internal was not found (entirely)."""

    files: tuple[str, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A named piece of a file: a function, class, `Class.method` or constant; lines are 1-based and inclusive.

    `name` is what the file itself calls it; `exported` is False where others cannot ask for it, or by custom do not.
    """

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
    """Knows where names lead in one tree."""

    def resolve(self, path: str, item: Import) -> Resolution:
        """The files `item` means, written in the file `path`; nothing for what is none of this tree's."""

    def uses(self, path: str, content: bytes, wanted: Wanted) -> set[tuple[str, str]]:
        """The (file, name) pairs of `wanted` that the file at `path` uses; also those where it cannot be told."""

    def passes_on(self, path: str, content: bytes, wanted: Wanted) -> bool:
        """Whether another file can reach a wanted name by importing the file at `path`."""


class Language(Protocol):
    """A language whose imports Assay follows."""

    @property
    def name(self) -> str:
        """The register key."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def dialect(self, path: str, first_bytes: bytes = b"") -> str | None:
        """How to scan a file of this name (part of the cache's key); None where it is not of this language.

        `first_bytes` are given for a file without a suffix, whose first line may say what runs it.
        """

    def scan(self, content: bytes, dialect: str) -> Scan:
        """What a file imports. Never raises, whatever the content."""

    def resolver(self, sources: Sources) -> Resolver:
        """What resolves imports in this tree."""

    def definitions(self, path: str, source: str) -> list[Definition]:
        """The top-level definitions and methods, in order of lines; as many as can be told of a broken file."""

    def quiet_lines(self, path: str, source: str) -> Collection[int]:
        """Lines whose change changes nothing for another file: blank ones, comments, docstrings, top-level imports."""
