"""Interface of manifest readers, and the packages they return."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath


class Scope(StrEnum):
    """Use of a package: by users (`runtime`, `peer`, `optional`), by the build, or for development."""

    runtime = "runtime"
    peer = "peer"
    optional = "optional"
    build = "build"
    dev = "dev"
    image = "image"
    ci = "ci"


@dataclass(frozen=True, slots=True)
class Declared:
    """Package in a manifest. `version` is the constraint as written, or None.

    `ecosystem` is its package URL type: pypi, npm, cargo, maven …; `name` is in that ecosystem's normal form.
    """

    ecosystem: str
    name: str
    version: str | None = None
    scope: Scope = Scope.runtime


@dataclass(frozen=True, slots=True)
class Unclear:
    """Part of a manifest that cannot be read without running it; one line with what and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Reader of one ecosystem's manifests as text; nothing of them is ever run.

    `name` is the key in the register. `claims` returns whether a path is that of such a manifest. `read` returns the
    packages of a path and its text, in order; it raises only `Unreadable`, for a file of another format.
    """

    name: str
    claims: Callable[[str], bool]
    read: Callable[[str, str], Iterable[Declared | Unclear]]


def is_called(*names: str) -> Callable[[str], bool]:
    """Return a function that returns whether a path ends with one of these file names."""
    return lambda path: PurePosixPath(path).name in names


DEV_WORDS = frozenset(
    "dev devel develop development test tests testing lint linting docs doc documentation typing types typecheck ci "
    "check checks benchmark benchmarks bench release tox nox mypy coverage examples example tools contrib qa style "
    "format".split()
)
"""Words in the name of a group or file of development packages."""


def is_for_work(name: str) -> bool:
    """Return whether a group or file of this name holds development tools."""
    words = name.lower().replace("_", "-").replace(".", "-").split("-")
    return any(word in DEV_WORDS for word in words)


_IS_VERSION = re.compile(r"(?i)version$|^v(?:er)?_")
_OWN_VERSION = re.compile(
    r"(?i)(?:project|app|application|my|this|java|kotlinlanguage|language|jvmtarget|maven\.compiler)?[._-]?version(?:name|code)?"
)


def versions_elsewhere(variables: Mapping[str, str], used: Collection[str]) -> Iterator[Unclear]:
    """Yield the versions of a file that no declaration in it uses."""
    for name, version in variables.items():
        if name not in used and _IS_VERSION.search(name) and not _OWN_VERSION.fullmatch(name):
            yield Unclear(f"{name} is {version[:60]} now: a version for declarations elsewhere")
