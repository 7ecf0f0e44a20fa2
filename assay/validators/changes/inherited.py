"""Configuration files of other repositories of the same account, which a repository's own file builds on."""

from __future__ import annotations

from dataclasses import dataclass

ORGANIZATION_REPOSITORY = ".github"
"""Repository of an account whose configuration all its repositories inherit."""
ORGANIZATION_FILE = ".github/assay.yml"
"""Path of the inherited configuration, in that repository or in the one that `extends` names."""


@dataclass(frozen=True, slots=True)
class InheritedFile:
    """Configuration file of another repository; `name` is its repository and path.

    `text` is None where it could not be read, and `why` says so: an error.
    `is_named`: the repository's own file names it with `extends`.
    """

    name: str
    text: str | None
    why: str = ""
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Inherited:
    """Files that the configuration of `repository` (owner/name) builds on; a later one goes over an earlier one."""

    repository: str = ""
    files: tuple[InheritedFile, ...] = ()
