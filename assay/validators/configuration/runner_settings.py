"""Test folders by the settings of a tree's test runners."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.change import SourceTree
from assay.validators.configuration.settings_files import ini_of, json_of, strings, table, toml_of

_INI = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


def folders_of_tests(tree: SourceTree) -> tuple[str, ...]:
    """Return the test folders, each with its slash, in the settings of pytest or jest at the top of a tree."""
    found = {folder.strip().removeprefix("./").strip("/") for folder in _named(tree)}
    return tuple(sorted(f"{folder}/" for folder in found if folder not in ("", ".") and "*" not in folder))


def _named(tree: SourceTree) -> Iterator[str]:
    for path, section in _INI:
        yield from ini_of(tree, path).get(section, {}).get("testpaths", "").split()
    folders = table(toml_of(tree, "pyproject.toml"), "tool", "pytest", "ini_options").get("testpaths")
    yield from folders.split() if isinstance(folders, str) else strings(folders)
    for root in strings(table(json_of(tree, "package.json"), "jest").get("roots")):
        yield root.removeprefix("<rootDir>")
