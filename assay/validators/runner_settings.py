"""Where a tree's test runners look for tests, as their settings say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.validators.change import SourceTree, decoded
from assay.validators.documents import Unreadable, ini, json_document, toml

_INI = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


def folders_of_tests(tree: SourceTree) -> tuple[str, ...]:
    """Return the folders, each with its slash, that the settings of pytest or jest at the top of a tree call tests."""
    found = {folder.strip().removeprefix("./").strip("/") for folder in (*_of_pytest(tree), *_of_jest(tree))}
    return tuple(sorted(f"{folder}/" for folder in found if folder not in ("", ".") and "*" not in folder))


def _of_pytest(tree: SourceTree) -> Iterator[str]:
    for path, section in _INI:
        settings = _read(tree, path, ini)
        if settings is not None:
            yield from settings.get(section, "testpaths", fallback="").split()
    folders = _inner(_read(tree, "pyproject.toml", toml), "tool", "pytest", "ini_options", "testpaths")
    yield from folders.split() if isinstance(folders, str) else _texts(folders)


def _of_jest(tree: SourceTree) -> Iterator[str]:
    for root in _texts(_inner(_read(tree, "package.json", json_document), "jest", "roots")):
        yield root.removeprefix("<rootDir>")


def _read(tree: SourceTree, path: str, reader: Callable[[str], Any]) -> Any:
    content = tree.read(path) if path in tree else None
    try:
        return None if content is None else reader(decoded(content))
    except Unreadable:
        return None


def _inner(document: Any, *names: str) -> Any:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
