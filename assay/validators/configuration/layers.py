"""Configuration in force: the repository's file over those it inherits, over the defaults, with locked keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from assay.validators.configuration.checking import KnownNames, check, spellings
from assay.validators.configuration.merging import LeftOut, is_locked, merged, shifted, values, without_locked
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.place import Entry, Place, Problem
from assay.validators.configuration.place import Mapping as Entries
from assay.validators.configuration.weakened import difference
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from assay.validators.report.unknown import NotChecked

MOST_PROBLEMS = 100
MOST_LOCKED_NOTES = 20
_LINES = 1 << 24
"""More lines than a file has: a line of the n-th file below is its number plus n times this."""
_NOT_INHERITED = ("extends", "locked", "enforceIn")


@dataclass(frozen=True, slots=True)
class Layer:
    """One configuration file as read; `place` is None for an empty one."""

    name: str
    place: Place | None
    problems: tuple[Problem, ...] = ()
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """File and line that set a key, or locked it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class InForce:
    """Configuration in force, with the origin of each key that a file sets, and of each lock by its key."""

    config: ValidationConfig
    origins: Mapping[str, Origin] = field(default_factory=dict)
    locks: Mapping[str, Origin] = field(default_factory=dict)
    notes: tuple[NotChecked, ...] = ()


def in_force(inherited: Sequence[Layer], own: Layer | None, repository: str, known: KnownNames | None) -> InForce:
    """Return the configuration of `repository` (owner/name).

    Raises `ConfigurationError` with every problem of the lowest file that has one, since those above build on it.
    """
    below, names = Place(1, Entries()), [""]
    locks: dict[str, Origin] = {}
    notes: list[NotChecked] = []
    for layer in inherited:
        if layer.is_named and is_locked("extends", locks):
            continue
        checked = _over(below, names, layer, locks, known)
        notes += (*checked.notes, *_not_followed(layer))
        below = _inherited(checked, layer, repository, locks)
        names.insert(0, layer.name)
    own = own or Layer("", None)
    checked = _over(below, names, own, locks, known)
    return InForce(checked.config, _origins(checked.place, [own.name, *names]), locks, (*notes, *checked.notes))


@dataclass(frozen=True, slots=True)
class _Checked:
    """A file merged over those below; `own` is the file alone, without locked keys."""

    place: Place
    own: Place
    config: ValidationConfig
    notes: tuple[NotChecked, ...]


def _over(
    below: Place, names: Sequence[str], layer: Layer, locks: Mapping[str, Origin], known: KnownNames | None
) -> _Checked:
    whole = layer.place or Place(1, Entries())
    own, left_out = without_locked(whole, locks)
    place = merged(below, own)
    config, found = check(place, known)
    # A list that is replaced may define what a file below names, such as a rule of `customRules`.
    found = [one for one in found if one.line < _LINES or one.code != "config.unknown-name"]
    problems = sorted({*layer.problems, *found})
    if config is None and not problems:
        config, _ = check(place)
    if problems or config is None:
        raise ConfigurationError(_located([layer.name, *names], problems))
    return _Checked(place, own, config, _locked_notes(merged(below, whole), config, left_out, layer.name, locks))


def _inherited(checked: _Checked, layer: Layer, repository: str, locks: dict[str, Origin]) -> Place:
    """Return what files above build on, with other line numbers; add the file's locks to `locks`."""
    entries = checked.place.value.entries if isinstance(checked.place.value, Entries) else ()
    names = spellings(ValidationConfig)
    kept = {names[one.key]: one for one in entries if names[one.key] not in _NOT_INHERITED}
    own = {key: one.place for key, one in values(checked.own)}
    line = _enforced_by(own.get("enforceIn"), repository)
    if line is not None and not is_locked("mode", locks):
        locks["mode"] = Origin(layer.name, line)
        kept["mode"] = Entry("mode", line, Place(line, "enforce"))
    for item in _items(own.get("locked")):
        locks.setdefault(str(item.value), Origin(layer.name, item.line))
    return shifted(Place(1, Entries(tuple(kept.values()))), _LINES)


def _items(place: Place | None) -> tuple[Place, ...]:
    return place.value if place is not None and isinstance(place.value, tuple) else ()


def _enforced_by(patterns: Place | None, repository: str) -> int | None:
    """Return the line of the last pattern that matches the repository's name; None if that one takes it back."""
    name, line = repository.rpartition("/")[2].lower(), None
    for item in _items(patterns):
        pattern = str(item.value).lower()
        if fnmatchcase(name, pattern.removeprefix("!")):
            line = None if pattern.startswith("!") else item.line
    return line


def _not_followed(layer: Layer) -> list[NotChecked]:
    entries = layer.place.value.entries if layer.place is not None and isinstance(layer.place.value, Entries) else ()
    return [
        NotChecked(f"`extends` in {layer.name}:{one.line}", "not followed: only a repository's own file can extend")
        for one in entries
        if one.key == "extends" and one.place.value is not None
    ]


def _locked_notes(
    unlocked: Place, config: ValidationConfig, left_out: Sequence[LeftOut], file: str, locks: Mapping[str, Origin]
) -> tuple[NotChecked, ...]:
    """Return a note for each locked key that the file sets to another value."""
    if not left_out:
        return ()
    wished, _ = check(unlocked)
    differing = None if wished is None else {one.key for one in difference(config, wished)}
    found = [one for one in dict.fromkeys(left_out) if differing is None or _names(one.key, differing)]
    notes = [
        NotChecked(f"`{one.key}` in {file}:{one.line}", f"locked by {locks[one.lock]}, whose value is in force")
        for one in found[:MOST_LOCKED_NOTES]
    ]
    if len(found) > MOST_LOCKED_NOTES:
        notes.append(NotChecked(f"{len(found) - MOST_LOCKED_NOTES} more keys in {file}", "locked, too"))
    return tuple(notes)


def _names(key: str, differing: Collection[str]) -> bool:
    return any(is_locked(key, [one]) or is_locked(one, [key]) for one in differing)


def _origins(place: Place, names: Sequence[str]) -> dict[str, Origin]:
    return {key: Origin(names[one.line // _LINES], one.line % _LINES) for key, one in values(place)}


def _located(names: Sequence[str], problems: Sequence[Problem]) -> list[ConfigurationProblem]:
    located = [
        ConfigurationProblem(names[one.line // _LINES], one.line % _LINES, one.message, one.code)
        for one in problems[:MOST_PROBLEMS]
    ]
    if len(problems) > MOST_PROBLEMS:
        more = f"and {len(problems) - MOST_PROBLEMS} more problems"
        located.append(ConfigurationProblem(names[0], None, more, "config.more"))
    return located
