"""Merging of configuration files: mappings key by key, everything else is replaced as a whole.

Files are merged as they were read, with their lines, so that the result is checked once and a problem has a place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.validators.configuration.checking import field_of, spellings
from assay.validators.configuration.expected import section_of, value_of
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.place import Entry, Mapping, Place

_GATE = "tier1.gate"
_COMMANDS = "tier1.commands"
_OVERRIDES = "overrides"
_OVERRIDDEN = ("tier2.severities", "tier2.complexity")
"""Keys that `overrides` set for some paths."""


def merged(below: Place, above: Place, annotation: Any = ValidationConfig) -> Place:
    """Return `above` over `below`; a list replaces a list, and `tier1:` without a value changes nothing."""
    section = section_of(annotation)
    if above.value is None and section is not None:
        return below
    if not isinstance(below.value, Mapping) or not isinstance(above.value, Mapping):
        return above
    names = spellings(section) if section else {}
    under = {names.get(entry.key, entry.key): entry for entry in below.value.entries}
    entries = []
    for entry in above.value.entries:
        kept = under.pop(names.get(entry.key, entry.key), None)
        place = entry.place if kept is None else merged(kept.place, entry.place, _below(annotation, entry.key))
        entries.append(Entry(entry.key, entry.line, place))
    return Place(above.line, Mapping((*entries, *under.values())))


def values(place: Place, annotation: Any = ValidationConfig, above: str = "") -> Iterator[tuple[str, Entry]]:
    """Yield every value with its dotted key; a list is one value, and so is each name of `tier2.severities`."""
    if not isinstance(place.value, Mapping):
        return
    section = section_of(annotation)
    for entry in place.value.entries:
        dotted = above + (spellings(section).get(entry.key, entry.key) if section else entry.key)
        below = _below(annotation, entry.key)
        if isinstance(entry.place.value, Mapping) and _is_merged(below):
            yield from values(entry.place, below, f"{dotted}.")
        elif entry.place.value is not None or section_of(below) is None:
            yield dotted, entry


def is_locked(key: str, locks: Iterable[str]) -> bool:
    """Return whether a dotted key is one of `locks`, or below one."""
    return any(key == lock or key.startswith(f"{lock}.") for lock in locks)


def lock_of(key: str, locks: Iterable[str]) -> str | None:
    """Return the lock that holds for a key, or whose key it would get around; None if there is none.

    `overrides` sets severities and complexity for some paths.
    """
    found = next((lock for lock in locks if is_locked(key, [lock])), None)
    if found is None and is_locked(key, [_OVERRIDES]):
        found = next((lock for lock in locks for one in _OVERRIDDEN if is_locked(lock, [one])), None)
    return found


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Value of a file that a lock leaves out: its dotted key and line, and the lock."""

    key: str
    line: int
    lock: str


def without_locked(place: Place, locks: Collection[str]) -> tuple[Place, list[LeftOut]]:
    """Return the file without locked keys, and what was left out.

    A command's own gate goes with `tier1.gate`, since it would get around it.
    """
    left_out: list[LeftOut] = []
    return _pruned(place, ValidationConfig, "", locks, left_out) if locks else place, left_out


def shifted(place: Place, by: int) -> Place:
    """Return the file with other line numbers, which tell its lines from those of the file over it."""
    value = place.value
    if isinstance(value, tuple):
        value = tuple(shifted(item, by) for item in value)
    elif isinstance(value, Mapping):
        value = Mapping(tuple(Entry(one.key, one.line + by, shifted(one.place, by)) for one in value.entries))
    return Place(place.line + by, value)


def _pruned(place: Place, annotation: Any, above: str, locks: Collection[str], left_out: list[LeftOut]) -> Place:
    if not isinstance(place.value, Mapping):
        return place
    section = section_of(annotation)
    entries = []
    for entry in place.value.entries:
        dotted = above + (spellings(section).get(entry.key, entry.key) if section else entry.key)
        below, lock, gate = _below(annotation, entry.key), lock_of(dotted, locks), lock_of(_GATE, locks)
        if lock is not None:
            nested = [*values(entry.place, below, f"{dotted}.")] if _is_merged(below) else []
            left_out += [LeftOut(key, one.line, lock) for key, one in nested or [(dotted, entry)]]
        elif dotted == _COMMANDS and gate is not None:
            entries.append(Entry(entry.key, entry.line, _without_gates(entry.place, gate, left_out)))
        else:
            entries.append(Entry(entry.key, entry.line, _pruned(entry.place, below, f"{dotted}.", locks, left_out)))
    return Place(place.line, Mapping(tuple(entries)))


def _without_gates(commands: Place, lock: str, left_out: list[LeftOut]) -> Place:
    if not isinstance(commands.value, tuple):
        return commands
    items = []
    for item in commands.value:
        entries = item.value.entries if isinstance(item.value, Mapping) else ()
        left_out += [LeftOut(_COMMANDS, entry.line, lock) for entry in entries if entry.key == "gate"]
        kept = tuple(entry for entry in entries if entry.key != "gate")
        items.append(Place(item.line, Mapping(kept)) if isinstance(item.value, Mapping) else item)
    return Place(commands.line, tuple(items))


def _below(annotation: Any, key: str) -> Any:
    """Return the type of the value at a key of a mapping; None for an unknown key."""
    section = section_of(annotation)
    if section is None:
        return value_of(annotation)
    name = spellings(section).get(key)
    return None if name is None else field_of(section, name).annotation


def _is_merged(annotation: Any) -> bool:
    """Return whether mappings of this type are merged key by key."""
    return section_of(annotation) is not None or value_of(annotation) is not None
