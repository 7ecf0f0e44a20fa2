"""Loading of a repository's configuration, with all problems reported at once."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from assay.validators.changes.change import SourceTree, shown
from assay.validators.configuration.checking import KnownNames, check
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.place import MOST_BYTES, Lines, Place, Problem, Unusable
from assay.validators.configuration.toml_file import read_toml
from assay.validators.configuration.yaml_file import read_yaml
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from assay.validators.report.model import NotChecked

NAMES = (".github/assay.yml", ".github/assay.yaml", "assay.yml", "assay.yaml")
PYPROJECT = "pyproject.toml"
FILES = (*NAMES, PYPROJECT)
"""Paths of a configuration, relative to the top of the repository."""
_FOLDER = ".github"
_TABLE = ("tool", "assay")
_HAS_TABLE = re.compile(r"""^\s*\[\[?\s*["']?tool["']?\s*\.\s*["']?assay["']?\s*[.\]]""", re.MULTILINE)
MOST_PROBLEMS = 100
_A_LINK = "a symbolic link, which is not followed; commit the file itself"


@dataclass(frozen=True, slots=True)
class LoadedConfiguration:
    """Configuration, its file (None: the defaults), and what was not followed."""

    config: ValidationConfig
    file: str | None = None
    notes: tuple[NotChecked, ...] = ()


def load_configuration(
    tree: SourceTree, known: KnownNames | None = None, path: str | None = None
) -> LoadedConfiguration:
    """Return the configuration in a tree.

    It is in `.github/assay.yml`, `assay.yml` (or `.yaml`), or `[tool.assay]` in pyproject.toml. Several of them are an
    error, since the choice would be a guess. A link is not followed, and noted. With `path` it is that file,
    which must be in the tree. Raises `ConfigurationError` with every problem; with `known`, named rules and signals
    must exist.
    """
    if path is not None:
        return _named(tree, path, known)
    links = [name for name in (_FOLDER, *FILES) if tree.is_link(name)]
    found = [name for name in NAMES if name in tree and not {name, name.partition("/")[0]}.intersection(links)]
    in_pyproject, notes = (None, ()) if PYPROJECT in links else _pyproject(tree)
    notes = (*notes, *(NotChecked(f"the configuration in {name}", _A_LINK) for name in links))
    if in_pyproject is not None:
        found.append(PYPROJECT)
    if len(found) > 1:
        names = " and ".join([", ".join(found[:-1]), found[-1]])
        raise ConfigurationError(
            [
                ConfigurationProblem(
                    found[0], None, f"{names} are both a configuration; keep one of them", "config.two-files"
                )
            ]
        )
    if not found:
        return LoadedConfiguration(ValidationConfig(), None, notes)
    data = in_pyproject if found == [PYPROJECT] else tree.read(found[0], MOST_BYTES)
    return _loaded(found[0], data, known, notes)


def load_file(path: str | os.PathLike[str], known: KnownNames | None = None) -> LoadedConfiguration:
    """Return the configuration in a file named by the user; `.toml` is TOML, any other suffix YAML."""
    name = shown(os.fspath(path))
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            [ConfigurationProblem(name, None, f"cannot be read: {why}", "config.not-read")]
        ) from None
    return _loaded(name, data if len(data) <= MOST_BYTES else None, known, ())


def _named(tree: SourceTree, path: str, known: KnownNames | None) -> LoadedConfiguration:
    """Return the configuration in the file given as `path`."""
    folders = path.split("/")
    link = next((part for n in range(len(folders)) if tree.is_link(part := "/".join(folders[: n + 1]))), None)
    if link is not None:
        raise ConfigurationError([ConfigurationProblem(shown(link), None, _A_LINK, "config.link")])
    if path not in tree:
        why = f"configuration file not found in {tree.name}; commit it there first, or name another file"
        raise ConfigurationError([ConfigurationProblem(shown(path), None, why, "config.not-found")])
    return _loaded(shown(path), tree.read(path, MOST_BYTES), known, ())


def _pyproject(tree: SourceTree) -> tuple[bytes | None, tuple[NotChecked, ...]]:
    """Return the content of a pyproject.toml with the table [tool.assay], else None."""
    if PYPROJECT not in tree:
        return None, ()
    data = tree.read(PYPROJECT, MOST_BYTES)
    if data is None:
        return None, (
            NotChecked("[tool.assay] in pyproject.toml", f"the file is larger than {MOST_BYTES // 1024} KiB"),
        )
    text = data.decode("utf-8", "replace")
    if "assay" not in text:
        return None, ()
    try:
        table, _ = read_toml(text, _TABLE)
    except Unusable:
        # A broken pyproject.toml is another tool's problem, unless it has our table.
        return (data if _HAS_TABLE.search(text) else None), ()
    return (data if table is not None else None), ()


def _loaded(
    name: str, data: bytes | None, known: KnownNames | None, notes: tuple[NotChecked, ...]
) -> LoadedConfiguration:
    try:
        place, problems = _read(name, data)
    except Unusable as error:
        raise ConfigurationError([ConfigurationProblem(name, error.line, error.message, error.code)]) from None
    config, more = check(place, known)
    problems = sorted({*problems, *more})
    if problems or config is None:
        raise ConfigurationError(_located(name, problems))
    return LoadedConfiguration(config, name, (*notes, *_not_followed(config)))


def _read(name: str, data: bytes | None) -> tuple[Place | None, list[Problem]]:
    if data is None:
        raise Unusable(None, f"larger than {MOST_BYTES // 1024} KiB; a configuration is shorter", "config.too-large")
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("latin-1")
        raise Unusable(len(Lines(before)), "not UTF-8 text", "config.not-text") from None
    if not name.rstrip('"').endswith(".toml"):
        return read_yaml(text)
    place, problems = read_toml(text, _TABLE)
    if place is None and Path(name).name == PYPROJECT:
        raise Unusable(None, "has no table [tool.assay]", "config.no-table")
    return (place, problems) if place is not None else read_toml(text)


def _located(name: str, problems: list[Problem]) -> list[ConfigurationProblem]:
    located = [
        ConfigurationProblem(name, problem.line, problem.message, problem.code) for problem in problems[:MOST_PROBLEMS]
    ]
    if len(problems) > MOST_PROBLEMS:
        located.append(
            ConfigurationProblem(name, None, f"and {len(problems) - MOST_PROBLEMS} more problems", "config.more")
        )
    return located


def _not_followed(config: ValidationConfig) -> tuple[NotChecked, ...]:
    if config.extends is None:
        return ()
    return (
        NotChecked(
            f"extends: {config.extends}",
            "not followed here: a validation opens no connections, so only the repository's own settings hold",
        ),
    )
