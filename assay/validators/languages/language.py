"""What a language finds: the imports of a file, its definitions and facts, and the files that an import means.

A scan and facts depend on the content of one file alone, and are kept by it. A resolver reads the whole tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from assay.validators.languages.values import Value

EVERYTHING = "*"
"""As a symbol: the whole file (its top-level statements). As an imported name: everything the other file exports."""


class Import(NamedTuple):
    """One import as it is written.

    `target` is the source text: `..pkg.module` in Python (dots first), `./x` in JavaScript. `names` pairs each imported
    name with its local one: `(("run", "go"),)` for `from m import run as go`, `(("*", ""),)` for a star import. It is
    empty for an import of the module itself; then `alias` is its local name, or "". `kind` is `import`, `from` or
    `export` for statements, `call` for a call that imports, `path` for one that only finds a file, `reference` for a
    directive; `is_top` is False inside a function, class or condition. `is_type`: it takes types alone, and runs
    nothing.
    """

    line: int
    target: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    kind: str = "import"
    is_top: bool = True
    is_type: bool = False

    @property
    def is_star(self) -> bool:
        """Whether it binds every name of the other file."""
        return (EVERYTHING, "") in self.names


class Scan(NamedTuple):
    """Imports of one file; in a language whose names lead to files, also what it declares and mentions.

    `is_script`: the file is run directly. `moves_path`: it changes the module search path. `namespace` is the package
    that it declares. Names are as written: `Client`, `Outer.Inner`, in mentions also
    `package.Client`; `Client.` declares members of a type that another file defines, `name!` a macro, and `name=`
    says that other files get a definition, not a declaration alone. `parents` pairs a type with a
    parent of it as it is written, in a language whose names may come from these.
    """

    imports: tuple[Import, ...] = ()
    is_script: bool = False
    moves_path: bool = False
    namespace: str = ""
    declares: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    parents: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """Files that an import means; `why` is the reason why an internal-looking one was not fully found."""

    files: tuple[str, ...] = ()
    why: str | None = None


class Origin(NamedTuple):
    """Origin of a name: a file, and its name there ("" for the module itself)."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class Definition:
    """Named part of a file: a function, class, `Class.method` or constant; lines are 1-based and inclusive.

    `name` is its name within the file; `exported` is False if other files cannot or by convention do not use it.
    """

    name: str
    line: int
    end_line: int
    kind: str
    exported: bool = True


class Symbol(NamedTuple):
    """Named part of a file in the symbol graph; `""` is its top level, which runs on import.

    `kind` is `module`, `function`, `class`, `interface` (which a class implements by having its methods), `method`,
    `constant`, `attribute`, `test` or `fixture`. `bases` are a class's parents. `gives` is what a function returns, or
    the value of a constant or attribute; None if unknown. `entry` names an entry point (`route /users`, `command run`),
    or a fixture. `has_overloads`: several functions have the name, so a mention leaves open which one is meant.
    """

    name: str
    kind: str
    bases: tuple[Value, ...] = ()
    gives: Value | None = None
    entry: str = ""
    has_overloads: bool = False


class Mention(NamedTuple):
    """Value expression in a file, and the indices of the symbols whose code has it."""

    value: Value
    users: tuple[int, ...]


class Facts(NamedTuple):
    """Symbols of one file and what they mention; found from its content alone.

    `mentions` is by the last name of the expression, as the file that defines it may call it. `exported` maps a name
    for other files to a local one where they differ. `has_tests`: a test runner finds tests in it.
    """

    symbols: tuple[Symbol, ...] = ()
    mentions: Mapping[str, tuple[Mention, ...]] = {}
    exported: Mapping[str, str] = {}
    has_tests: bool = False


class Sources(Protocol):
    """Tree as a resolver reads it."""

    @property
    def paths(self) -> Sequence[str]:
        """Every file of the tree, in any language."""

    def __contains__(self, path: object) -> bool: ...

    def scan(self, path: str) -> Scan:
        """Return the imports of a file; none if no language covers it."""

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if it is absent or too large."""


class Resolver(Protocol):
    """Resolver of names in one tree."""

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the files that `item` in the file `path` means; empty for imports from outside this tree."""

    def implied(self, path: str) -> Iterable[str]:
        """Return the files that the file at `path` needs without an import that leads to them.

        Those whose names it mentions, where names lead to files; those that a test runner loads before it.
        """

    def parts(self, path: str) -> Iterable[str]:
        """Return further files that define members of the types of the file at `path`."""

    def trail(self, file: str, name: str, /) -> Sequence[Origin]:
        """Return the possible origins of a name that `file` offers, that file first, through re-exports."""

    def origins(self, path: str, names: Sequence[str]) -> Iterable[tuple[Origin, Sequence[str]]]:
        """Yield the possible origins of `a.b.c` in the file at `path`, each with the names left after it.

        Names that the file itself defines are the caller's. An origin without a name is a module.
        """
