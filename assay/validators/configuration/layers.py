"""Configuration in force: the repository's file over those it inherits, over the defaults, with locked keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from assay.validators.configuration.checking import KnownNames, check
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.reading import Layer, Origin, Path, dotted, values_of
from assay.validators.configuration.settings_files import table
from assay.validators.configuration.weakened import difference
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from assay.validators.report.unknown import NotChecked

MOST_PROBLEMS = 100
MOST_LOCKED_NOTES = 20
_NOT_INHERITED = ("extends", "locked", "enforceIn")


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
    below, locks, notes = Layer(""), dict[str, Origin](), list[NotChecked]()
    for layer in inherited:
        if layer.is_named and lock_of("extends", locks):
            continue
        kept, left_out = without_locked(layer, locks)
        whole, config = _checked(merged(below, kept), known)
        notes += [*_locked_notes(merged(below, layer), config, left_out, locks), *_not_followed(layer)]
        below = _inherited(whole, kept, repository, locks)
    own = own or Layer("")
    kept, left_out = without_locked(own, locks)
    whole, config = _checked(merged(below, kept), known)
    notes += _locked_notes(merged(below, own), config, left_out, locks)
    origins = {dotted(path): whole.origins[path] for path, _ in values_of(whole.data) if path}
    return InForce(config, origins, locks, tuple(notes))


def merged(below: Layer, above: Layer) -> Layer:
    """Return `above` over `below`: mappings key by key, a list replaces a list."""
    return replace(above, data=_over(below.data, above.data), origins={**below.origins, **above.origins})


def lock_of(key: str, locks: Iterable[str]) -> str | None:
    """Return the lock that holds for a key: itself, or a section around it; None if there is none."""
    return next((lock for lock in locks if f"{key}.".startswith(f"{lock}.")), None)


def without_locked(layer: Layer, locks: Collection[str]) -> tuple[Layer, list[Path]]:
    """Return the file without locked keys, and the paths of the values left out.

    A command's own gate goes with `tier1.gate`, since it would get around it.
    """
    left_out: list[Path] = []
    origins = {path: one for path, one in layer.origins.items() if not lock_of(dotted(path), locks)}
    return replace(layer, data=_pruned(layer.data, (), tuple(locks), left_out), origins=origins), left_out


def _over(below: Any, above: Any) -> Any:
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {**below, **{key: _over(below.get(key), value) for key, value in above.items()}}


def _pruned(data: Any, above: Path, locks: Sequence[str], left_out: list[Path]) -> Any:
    if not isinstance(data, dict):
        return data
    kept = {}
    for name, value in data.items():
        path = (*above, name)
        if lock_of(dotted(path), locks):
            left_out += [one for one, _ in values_of(value, path)]
        elif path == ("tier1", "commands") and isinstance(value, list) and lock_of("tier1.gate", locks):
            left_out += [(*path, index, "gate") for index, one in enumerate(value) if "gate" in table(one)]
            kept[name] = [
                {key: each for key, each in one.items() if key != "gate"} if isinstance(one, dict) else one
                for one in value
            ]
        else:
            kept[name] = _pruned(value, path, locks, left_out)
    return kept


def _checked(whole: Layer, known: KnownNames | None) -> tuple[Layer, ValidationConfig]:
    config, found = check(whole, known)
    # A list that is replaced may define what a file below names, such as a rule of `customRules`.
    found = [one for one in found if one.file == whole.name or one.code != "config.unknown-name"]
    problems = sorted({*whole.problems, *found}, key=lambda one: (one.file != whole.name, one.line or 0, one.message))
    if config is None and not problems:
        config, _ = check(whole)
    if problems or config is None:
        if len(problems) > MOST_PROBLEMS:
            more = f"and {len(problems) - MOST_PROBLEMS} more problems"
            problems[MOST_PROBLEMS:] = [ConfigurationProblem(whole.name, None, more, "config.more")]
        raise ConfigurationError(problems)
    return whole, config


def _inherited(whole: Layer, own: Layer, repository: str, locks: dict[str, Origin]) -> Layer:
    """Return what files above build on; add the locks of the file `own` to `locks`."""
    data = {key: value for key, value in whole.data.items() if key not in _NOT_INHERITED}
    origins = dict(whole.origins)
    line = _enforced_by(own, repository)
    if line is not None and not lock_of("mode", locks):
        locks["mode"] = origins["mode",] = line
        data["mode"] = "enforce"
    for index, lock in enumerate(own.data.get("locked", ())):
        locks.setdefault(lock, own.origins["locked", index])
    return Layer("", data, origins)


def _enforced_by(own: Layer, repository: str) -> Origin | None:
    """Return the place of the last pattern that matches the repository's name; None if that one takes it back."""
    name, found = repository.rpartition("/")[2].lower(), None
    for index, pattern in enumerate(own.data.get("enforceIn", ())):
        if fnmatchcase(name, pattern.lower().removeprefix("!")):
            found = None if pattern.startswith("!") else own.origins["enforceIn", index]
    return found


def _not_followed(layer: Layer) -> Iterator[NotChecked]:
    if layer.data.get("extends") is not None:
        where = layer.origins["extends",]
        yield NotChecked(f"`extends` in {where}", "not followed: only a repository's own file can extend")


def _locked_notes(
    unlocked: Layer, config: ValidationConfig, left_out: Sequence[Path], locks: Mapping[str, Origin]
) -> Iterator[NotChecked]:
    """Yield a note for each locked key that the file sets to another value."""
    if not left_out:
        return
    wished, _ = check(unlocked)
    differing = None if wished is None else tuple(f"{one.key}" for one in difference(config, wished))
    found = [one for one in left_out if differing is None or lock_of(dotted(one).replace("[", "."), differing)]
    for path in found[:MOST_LOCKED_NOTES]:
        lock = lock_of(dotted(path), locks) or "tier1.gate"
        by = locks[lock_of(lock, locks) or lock]
        yield NotChecked(f"`{dotted(path)}` in {unlocked.origins[path]}", f"locked by {by}, whose value is in force")
    if len(found) > MOST_LOCKED_NOTES:
        yield NotChecked(f"{len(found) - MOST_LOCKED_NOTES} more keys in {unlocked.name}", "locked, too")
