"""What a dependency manifest says, and what reads one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Scope(StrEnum):
    """What a package is for: users of this one (`runtime`, `peer`, `optional`), building it, or working on it."""

    runtime = "runtime"
    peer = "peer"
    optional = "optional"
    build = "build"
    dev = "dev"
    image = "image"
    ci = "ci"


@dataclass(frozen=True, slots=True)
class Declared:
    """One package a manifest names. `version` is the constraint as written, None where there is none.

    `ecosystem` is the type a package URL gives it: pypi, npm, cargo, maven …; `name` is in its normal form there.
    """

    ecosystem: str
    name: str
    version: str | None = None
    scope: Scope = Scope.runtime


@dataclass(frozen=True, slots=True)
class Unclear:
    """A part of a manifest that cannot be read without running it; one line that says what and why."""

    why: str


class Manifest(Protocol):
    """Reads the manifests of one ecosystem, as text; nothing of them is ever run."""

    @property
    def name(self) -> str:
        """The register key."""

    def claims(self, path: str) -> bool:
        """Return whether a file of this name is such a manifest."""

    def read(self, path: str, text: str) -> Iterable[Declared | Unclear]:
        """Return its packages, in order. Raises only `Unreadable`, for a file of another format."""


DEV_WORDS = frozenset(
    "dev devel develop development test tests testing lint linting docs doc documentation typing types typecheck ci "
    "check checks benchmark benchmarks bench release tox nox mypy coverage examples example tools contrib qa style "
    "format".split()
)
"""Words in the name of a group or file that say its packages are for working on the code, not for running it."""


def is_for_work(name: str) -> bool:
    """Return whether a group or file of this name holds development tools."""
    words = name.lower().replace("_", "-").replace(".", "-").split("-")
    return any(word in DEV_WORDS for word in words)
