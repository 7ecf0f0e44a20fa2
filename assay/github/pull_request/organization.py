"""Configuration files that a repository inherits, read from GitHub: of `<owner>/.github`, and of the one it extends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from assay.github.errors import GithubRefused
from assay.github.events.model import RepositoryFacts
from assay.validators import ORGANIZATION_FILE, ORGANIZATION_REPOSITORY, Inherited, InheritedFile

MOST_CHARS = 256 * 1024
NOT_FOUND = "there is no such repository, or Assay cannot read it"


class ConfigurationRepo(Protocol):
    """What is read of another repository."""

    def facts(self) -> RepositoryFacts: ...
    def text_file(self, path: str, ref: str) -> str | None: ...


OpenRepo: TypeAlias = Callable[[str], AbstractContextManager[ConfigurationRepo]]
"""Opens a repository by its full name; it need not exist."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Configuration file at the tip of a repository's default branch: its text, or `why` there is none to use.

    With neither, the repository has no such file. `is_found` is False if the repository cannot be read.
    """

    text: str | None = None
    why: str = ""
    is_found: bool = True
    is_private: bool = False


def read_configuration(full_name: str, open_repo: OpenRepo) -> Reading:
    """Read the configuration file of a repository. Raises `GithubUnavailable` and `RateLimited`."""
    try:
        with open_repo(full_name) as repo:
            facts = repo.facts()
            # A repository that was transferred answers under its old name.
            if owner_of(facts.full_name) != owner_of(full_name):
                return Reading(why=NOT_FOUND, is_found=False)
            text = repo.text_file(ORGANIZATION_FILE, facts.default_branch)
            if text is not None and len(text) > MOST_CHARS:
                return Reading(why=f"larger than {MOST_CHARS // 1024} KiB", is_private=facts.is_private)
            return Reading(text, is_private=facts.is_private)
    except GithubRefused as refused:
        if refused.status == 404:
            return Reading(why=NOT_FOUND, is_found=False)
        return Reading(why=str(refused))


def inherited(
    repository: str,
    extends: str | None,
    read: Callable[[str], Reading],
    *,
    is_private: Callable[[], bool],
) -> Inherited:
    """Return what the configuration of `repository` builds on.

    Args:
        repository: owner/name.
        extends: the repository that its own file names.
        read: reads the file of another repository.
        is_private: whether `repository` itself is private.
    """
    organization = f"{repository.partition('/')[0]}/{ORGANIZATION_REPOSITORY}"
    files: list[InheritedFile] = []
    if not _is_same(organization, repository):
        reading = read(organization)
        if reading.is_found:
            files += _files(organization, reading)
    if extends is not None and (_is_same(extends, repository) or not _is_same(extends, organization)):
        files += _named(repository, extends, read, is_private)
    return Inherited(repository, tuple(files))


def owner_of(full_name: str) -> str:
    """Return the owner of a repository, as it is compared."""
    return full_name.partition("/")[0].lower()


def _named(
    repository: str, extends: str, read: Callable[[str], Reading], is_private: Callable[[], bool]
) -> list[InheritedFile]:
    if owner_of(extends) != owner_of(repository):
        return [_refused(extends, "only a repository of the same owner can be extended")]
    if _is_same(extends, repository):
        return [_refused(extends, "a repository cannot extend itself")]
    reading = read(extends)
    if reading.is_private and not is_private():
        return [_refused(extends, "a public repository cannot extend a private one")]
    if reading.text is None:
        return [_refused(extends, reading.why or "the repository has no such file")]
    return _files(extends, reading, is_named=True)


def _files(full_name: str, reading: Reading, *, is_named: bool = False) -> list[InheritedFile]:
    if reading.text is None and not reading.why:
        return []
    return [InheritedFile(_name(full_name), reading.text, reading.why, is_named=is_named)]


def _refused(extends: str, why: str) -> InheritedFile:
    return InheritedFile(_name(extends), None, why, is_named=True)


def _name(full_name: str) -> str:
    return f"{full_name}/{ORGANIZATION_FILE}"


def _is_same(one: str, other: str) -> bool:
    return one.lower() == other.lower()
