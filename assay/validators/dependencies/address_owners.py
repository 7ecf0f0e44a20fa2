"""Owner of the repository that an address names, and the owner of the validated repository itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import json_of, table, toml_of

_OWNER = re.compile(r"(?:\b(github|gitlab|bitbucket)(?:\.com|\.org)?[/:])([\w.-]{1,100})/", re.IGNORECASE)
_SHORT = re.compile(r"([\w.-]{1,100})/[\w.-]{1,100}")
"""npm's `owner/name`, a repository of GitHub."""


def owner_of(address: str | None) -> tuple[str, str] | None:
    """Return (forge, owner) in lower case; None for an address outside the large forges."""
    short = _SHORT.fullmatch(address or "")
    if short is not None:
        return "github", short[1].lower()
    match = _OWNER.search(address or "")
    return (match[1].lower(), match[2].lower()) if match is not None else None


def own_owners(base: SourceTree) -> frozenset[tuple[str, str]]:
    """Return the owners that the root manifests of the base declare as the project's own; normally one."""
    return frozenset(owner for address in _declared(base) if (owner := owner_of(address)) is not None)


def _declared(base: SourceTree) -> Iterator[str]:
    document = toml_of(base, "pyproject.toml")
    urls = (*table(document, "project", "urls").values(), table(document, "tool", "poetry").get("repository"))
    package = json_of(base, "package.json")
    repository = package.get("repository")
    said = (*urls, repository, repository.get("url") if isinstance(repository, dict) else None)
    yield from (one for one in said if isinstance(one, str))
