"""Whether a package has reached 1.0; before that, by semver.org (rule 4), anything may change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from assay.validators.change import SourceTree, decoded
from assay.validators.io.structured_files import Unreadable, ini, json_document, toml
from assay.validators.risk.api.published import Package
from assay.validators.risk.api.script import ScriptPackage
from assay.validators.risk.dependencies.manifests.setup_py import setup_arguments

_Said = TypeVar("_Said")
_MODULES = ("__init__.py", "__version__.py", "_version.py", "version.py", "__about__.py", "about.py")
_ASSIGNED = re.compile(
    r"^(?:__version__|VERSION|version)\s*(?::[^=\n]+)?=\s*[\"'](\d[^\"'\n]{0,40})[\"']", re.MULTILINE
)
_UNFINISHED = re.compile(r"0\.(?!0\.0(?:$|[^\d]))\d")
"""0.x, except the 0.0.0 of repositories in which a release tool sets the version."""


def is_before_first(tree: SourceTree, package: Package | ScriptPackage) -> bool:
    """Return whether the package's literal version is 0.x; False if it is unknown."""
    return any(_UNFINISHED.match(version) for version in _versions(tree, package))


def _versions(tree: SourceTree, package: Package | ScriptPackage) -> Iterator[str]:
    """Yield the literal versions, the first reader's first; normally there is one."""
    if isinstance(package, ScriptPackage):
        manifest = f"{package.folder}/package.json" if package.folder else "package.json"
        said = _read(json_document, tree, manifest)
        yield from _text(said.get("version") if isinstance(said, dict) else None)
        return
    prefix = f"{package.project}/" if package.project else ""
    document: dict[str, Any] = _read(toml, tree, f"{prefix}pyproject.toml") or {}
    tool = document.get("tool")
    for table in (document.get("project"), tool.get("poetry") if isinstance(tool, dict) else None):
        yield from _text(table.get("version") if isinstance(table, dict) else None)
    settings = _read(ini, tree, f"{prefix}setup.cfg")
    if settings is not None and settings.has_option("metadata", "version"):
        yield from _text(settings.get("metadata", "version"))
    yield from _text((_read(setup_arguments, tree, f"{prefix}setup.py") or {}).get("version"))
    for module in _MODULES:
        path = f"{package.path}/{module}"
        match = _ASSIGNED.search(decoded(tree.read(path) or b"")) if path in tree else None
        if match is not None:
            yield match[1]


def _text(said: object) -> Iterator[str]:
    if isinstance(said, str):
        yield said


def _read(reader: Callable[[str], _Said], tree: SourceTree, path: str) -> _Said | None:
    content = tree.read(path) if path in tree else None
    try:
        return None if content is None else reader(decoded(content))
    except Unreadable:
        return None
