"""Loading of a repository's configuration, with all problems reported at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.validators.changes.change import SourceTree, shown
from assay.validators.changes.inherited import Inherited, InheritedFile
from assay.validators.configuration.checking import KnownNames
from assay.validators.configuration.field_types import REFERENCE
from assay.validators.configuration.layers import in_force, lock_of
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.reading import MOST_BYTES, Layer, Origin, read_layer
from assay.validators.configuration.settings_files import table
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from assay.validators.report.unknown import NotChecked

CONFIGURATION = ".github/assay.yml"
"""Path of a configuration, relative to the top of the repository."""
PLACES = (CONFIGURATION, ".github/assay.yaml", "assay.yml", "assay.yaml")
"""That path, and those where a configuration may stand in vain."""
NOTHING_INHERITED = Inherited()
_A_LINK = "a symbolic link, which is not followed; commit the file itself"
_MOVE_IT = f"it is read from {CONFIGURATION} alone; move it there"


@dataclass(frozen=True, slots=True)
class ConfigurationSource:
    """File of the configuration in force; `is_own`: the repository's."""

    file: str
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class LoadedConfiguration:
    """Configuration, the repository's file (None: it has none), and what was not followed.

    `origins` has the place of each key that a file sets, `locks` that of each lock, and `sources` names the files in
    force, as the report shows them.
    """

    config: ValidationConfig
    file: str | None = None
    notes: tuple[NotChecked, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    locks: Mapping[str, Origin] = field(default_factory=dict)
    sources: tuple[ConfigurationSource, ...] = ()


def load_configuration(
    tree: SourceTree,
    known: KnownNames | None = None,
    inherited: Inherited = NOTHING_INHERITED,
) -> LoadedConfiguration:
    """Return the configuration in a tree, over what it inherits.

    It is in `.github/assay.yml`. A link is not followed, and noted, as is a file of that name in another place. Raises
    `ConfigurationError` with every problem; with `known`, named rules and signals must exist.
    """
    links = [name for name in (CONFIGURATION.partition("/")[0], CONFIGURATION) if tree.is_link(name)]
    notes = [NotChecked(f"the configuration in {name}", _A_LINK) for name in links]
    notes += [NotChecked(f"the configuration in {name}", _MOVE_IT) for name in PLACES[1:] if name in tree]
    return _loaded(_found(tree), known, tuple(notes), inherited)


def load_file(
    path: str | os.PathLike[str], known: KnownNames | None = None, inherited: Inherited = NOTHING_INHERITED
) -> LoadedConfiguration:
    """Return the configuration in a file named by the user."""
    name = shown(os.fspath(path))
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            [ConfigurationProblem(name, None, f"cannot be read: {why}", "config.not-read")]
        ) from None
    return _loaded((name, data), known, (), inherited)


def extends_of(tree: SourceTree) -> str | None:
    """Return the repository that the configuration in a tree names with `extends`; None if the file is invalid."""
    found = _found(tree)
    try:
        name = None if found is None else table(read_layer(*found).data).get("extends")
    except ConfigurationError:
        return None
    return name if isinstance(name, str) and REFERENCE.fullmatch(name) else None


def _found(tree: SourceTree) -> tuple[str, bytes | None] | None:
    """Return name and content of a tree's configuration (None: it is too large), if there is one."""
    is_link = tree.is_link(CONFIGURATION) or tree.is_link(CONFIGURATION.partition("/")[0])
    return None if is_link or CONFIGURATION not in tree else (CONFIGURATION, tree.read(CONFIGURATION, MOST_BYTES))


def _loaded(
    found: tuple[str, bytes | None] | None,
    known: KnownNames | None,
    notes: tuple[NotChecked, ...],
    inherited: Inherited,
) -> LoadedConfiguration:
    own = None if found is None else read_layer(*found)
    unread = [file for file in inherited.files if file.text is None]
    if unread:
        raise ConfigurationError([_not_inherited(file, own or Layer("")) for file in unread])
    layers = [
        read_layer(file.name, (file.text or "").encode("utf-8", "surrogateescape"), is_named=file.is_named)
        for file in inherited.files
    ]
    force = in_force(layers, own, inherited.repository, known)
    sources = [ConfigurationSource(own.name, is_own=True)] if own is not None else []
    is_alone = lock_of("extends", force.locks) is not None
    sources += [ConfigurationSource(one.name) for one in reversed(layers) if not (is_alone and one.is_named)]
    notes = (*notes, *force.notes, *_not_followed(force.config, inherited))
    file = None if own is None else own.name
    return LoadedConfiguration(force.config, file, notes, force.origins, force.locks, tuple(sources))


def _not_inherited(file: InheritedFile, own: Layer) -> ConfigurationProblem:
    """Return the problem of a file that is needed and could not be read, at the line that names it."""
    if file.is_named and ("extends",) in own.origins:
        return own.problem(("extends",), f"`extends`: {file.name}: {file.why}", "config.not-inherited")
    return ConfigurationProblem(file.name, None, file.why, "config.not-inherited")


def _not_followed(config: ValidationConfig, inherited: Inherited) -> tuple[NotChecked, ...]:
    if config.extends is None or inherited.files:
        return ()
    why = "not followed here: no connection is opened; give a checkout of it with --organization"
    return (NotChecked(f"extends: {config.extends}", why),)
