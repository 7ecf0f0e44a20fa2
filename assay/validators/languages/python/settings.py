"""Folders that a Python project's settings put on the module search path."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from assay.validators.configuration.settings_files import ini_sections, strings, table
from assay.validators.io.structured_files import Unreadable, toml
from assay.validators.languages.language import Sources

SOURCE_FOLDERS = ("src", "lib", "python", "Lib")
"""Folders that by convention hold packages and are not packages."""

_NAMES = frozenset("pyproject.toml setup.cfg setup.py pytest.ini tox.ini mypy.ini".split())
_PLACES = (
    ("tool", "pytest", "ini_options", "pythonpath"),
    ("tool", "mypy", "mypy_path"),
    ("tool", "pyright", "extraPaths"),
    ("tool", "ruff", "src"),
    ("tool", "setuptools", "packages", "find", "where"),
    ("tool", "setuptools", "package-dir", ""),
    ("pytest", "pythonpath"),
    ("tool:pytest", "pythonpath"),
    ("mypy", "mypy_path"),
    ("options.packages.find", "where"),
)


def declared_roots(sources: Sources) -> Iterator[str]:
    """Yield project folders, the `SOURCE_FOLDERS` inside them, and those named by their settings."""
    for path in sources.paths:
        folder, _, name = path.rpartition("/")
        if name in _NAMES:
            yield folder
            for inner in (*SOURCE_FOLDERS, *_named(_settings(sources.read(path) or b"", name))):
                joined = posixpath.normpath(posixpath.join(folder, inner))
                if not joined.startswith((".", "/")):
                    yield joined


def _settings(content: bytes, name: str) -> Mapping[str, Any]:
    text = content.decode("utf-8", "replace")
    if name.endswith((".cfg", ".ini")):
        return ini_sections(text)
    try:
        return toml(text) if name.endswith(".toml") else {}
    except Unreadable:
        return {}


def _named(settings: Mapping[str, Any]) -> Iterator[str]:
    for *keys, last in _PLACES:
        for each in strings(table(settings, *keys).get(last)):
            yield from each.replace(":", " ").replace(",", " ").split()
    packages = table(settings, "tool", "poetry").get("packages")
    for package in packages if isinstance(packages, list) else []:
        yield from strings(table(package).get("from"))
