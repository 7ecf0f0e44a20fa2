"""Folders that a Python project's settings put on the module search path."""

from __future__ import annotations

import configparser
import posixpath
from collections.abc import Iterator
from typing import Any

from assay.validators.io.structured_files import Unreadable, ini, toml
from assay.validators.languages.language import Sources

SOURCE_FOLDERS = ("src", "lib", "python", "Lib")
"""Folders that by convention hold packages and are not packages."""

_NAMES = frozenset("pyproject.toml setup.cfg setup.py pytest.ini tox.ini mypy.ini".split())


def declared_roots(sources: Sources) -> Iterator[str]:
    """Yield project folders, the `SOURCE_FOLDERS` inside them, and those named by their settings."""
    for path in sources.paths:
        folder, _, name = path.rpartition("/")
        if name in _NAMES:
            yield folder
            for inner in (*SOURCE_FOLDERS, *_named(sources.read(path), name)):
                joined = posixpath.normpath(f"{folder}/{inner}" if folder else inner)
                if not joined.startswith((".", "/")):
                    yield joined


def _named(content: bytes | None, name: str) -> Iterator[str]:
    if content is None or name == "setup.py":
        return
    text = content.decode("utf-8", "replace")
    try:
        yield from _in_pyproject(toml(text)) if name == "pyproject.toml" else _in_ini(ini(text))
    except Unreadable:
        return


def _in_pyproject(project: dict[str, Any]) -> Iterator[str]:
    tool = _table(project, "tool")
    setuptools = _table(tool, "setuptools")
    yield from _strings(_table(tool, "pytest", "ini_options").get("pythonpath"))
    yield from _strings(_table(tool, "mypy").get("mypy_path"))
    yield from _strings(_table(tool, "pyright").get("extraPaths"))
    yield from _strings(_table(tool, "ruff").get("src"))
    yield from _strings(_table(setuptools, "packages", "find").get("where"))
    yield from _strings(_table(setuptools, "package-dir").get(""))
    packages = _table(tool, "poetry").get("packages")
    for package in packages if isinstance(packages, list) else []:
        if isinstance(package, dict):
            yield from _strings(package.get("from"))


def _in_ini(parser: configparser.RawConfigParser) -> Iterator[str]:
    places = (
        ("pytest", "pythonpath"),
        ("tool:pytest", "pythonpath"),
        ("mypy", "mypy_path"),
        ("options.packages.find", "where"),
    )
    for section, option in places:
        if parser.has_option(section, option):
            yield from parser.get(section, option).replace(":", " ").replace(",", " ").split()


def _table(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        inner = table.get(key)
        table = inner if isinstance(inner, dict) else {}
    return table


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return value.replace(":", " ").split()
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
