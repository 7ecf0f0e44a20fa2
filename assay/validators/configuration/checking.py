"""Check of a file's values: the configuration, or every problem with its line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from assay.validators.configuration.expected import expected, item_of, section_of, value_of
from assay.validators.configuration.field_types import Section
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.place import Entry, Mapping, Place, Problem

Path: TypeAlias = tuple[str | int, ...]
OWN_RULES = "repository_rules"
"""Rule that stands for `customRules`; each is `repository_rules.<id>` in reports and in `severities`."""
_BOOLEAN_LOOKALIKE = re.compile(r"yes|no|on|off|y|n", re.IGNORECASE)
_TYPE_ERRORS = re.compile(r".*_type|.*_parsing|enum|literal_error|greater_than.*|less_than.*|int_from_float")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Registered rules, signals and agents, for keys that name one. Without agents, any name is accepted."""

    rules: Collection[str]
    signals: Collection[str]
    agents: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class _CheckedValue:
    """Value, its key, and the type expected there."""

    place: Place
    name: str
    annotation: Any
    limits: Sequence[Any] = ()


@dataclass(slots=True)
class _CheckState:
    """State of the check: every value by its path, and the problems."""

    spots: dict[Path, _CheckedValue] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def complain(self, line: int, message: str, code: str) -> None:
        self.problems.append(Problem(line, message, code))


def check(place: Place | None, known: KnownNames | None = None) -> tuple[ValidationConfig | None, list[Problem]]:
    """Return the configuration (None if there is none) and every problem, by line."""
    if place is None or place.value is None:
        return ValidationConfig(), []
    reading = _CheckState()
    data = _plain(place, ValidationConfig, (), reading)
    config: ValidationConfig | None = None
    try:
        config = ValidationConfig.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        reading.problems.extend(_problems(error, reading.spots))
    reading.problems.extend(_unknown_locks(reading.spots))
    if known is not None:
        reading.problems.extend(_unknown_names(reading.spots, known))
    return (None if reading.problems else config), sorted(set(reading.problems))


def _plain(place: Place, annotation: Any, path: Path, reading: _CheckState, limits: Sequence[Any] = ()) -> Any:
    """Return the value as plain JSON data with the keys as written; report and drop invalid keys."""
    reading.spots[path] = _CheckedValue(place, _dotted(path), annotation, limits)
    section, item, value = section_of(annotation), item_of(annotation), value_of(annotation)
    if isinstance(place.value, Mapping):
        if section is not None:
            return _section(place.value, section, path, reading)
        return {entry.key: _plain(entry.place, value, (*path, entry.key), reading) for entry in place.value.entries}
    if isinstance(place.value, tuple):
        return [_plain(each, item, (*path, i), reading) for i, each in enumerate(place.value)]
    if place.value is None and section is not None and item is None and path:
        # `tier1:` with an empty value: all keys of the section are commented out.
        return {}
    return place.value


def _section(mapping: Mapping, section: type[Section], path: Path, reading: _CheckState) -> dict[str, Any]:
    names = spellings(section)
    data: dict[str, Any] = {}
    lines: dict[str, Entry] = {}
    for entry in mapping.entries:
        name = names.get(entry.key)
        if name is None:
            reading.complain(entry.line, _unknown_key(entry.key, section, path), "config.unknown-key")
        elif name in lines:
            first = lines[name]
            reading.complain(
                entry.line,
                f"`{entry.key}` and `{first.key}` (line {first.line}) are the same key; keep one",
                "config.duplicate-key",
            )
        else:
            lines[name] = entry
            field_ = field_of(section, name)
            below = (*path, name)
            place = Place(entry.line, entry.place.value)
            data[name] = _plain(place, field_.annotation, below, reading, field_.metadata)
    return data


def spellings(section: type[Section]) -> dict[str, str]:
    """Return every accepted spelling of a section's keys -> the documented one."""
    found = {name: field_.alias or name for name, field_ in section.model_fields.items()}
    return {**found, **{alias: alias for alias in found.values()}}


def field_of(section: type[Section], alias: str) -> FieldInfo:
    """Return a section's field by its key."""
    return next(field_ for name, field_ in section.model_fields.items() if alias in (name, field_.alias))


# ------------------------------------------------------------------ unknown keys


def _unknown_key(key: str, section: type[Section], path: Path) -> str:
    where = f" in {_dotted(path)}" if path else ""
    said = f"unknown key `{key[:80]}`{where}"
    names = spellings(section)
    elsewhere = [
        f"`{place}`" if "." in place else f"`{place}` at the top of the file"
        for place, _ in _everywhere(ValidationConfig)
        if place.split(".")[-1] == key
    ]
    if elsewhere:
        return f"{said}; there is {' and '.join(elsewhere[:3])}"
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.6) or _without_case(key, names)
    if near:
        return f"{said}; did you mean `{names[near[0]]}`?"
    return f"{said}; known here: {', '.join(dict.fromkeys(names.values()))}"


def _without_case(key: str, names: Iterable[str]) -> list[str]:
    flat = re.sub(r"[-_ ]", "", key).lower()
    return [name for name in names if name.lower() == flat]


def _everywhere(section: type[Section], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every dotted key of a section, sections included, with its type."""
    for name, field_ in section.model_fields.items():
        dotted = f"{above}{field_.alias or name}"
        yield dotted, field_.annotation
        below = section_of(field_.annotation)
        if below is not None:
            yield from _everywhere(below, f"{dotted}.")


def _unknown_names(spots: dict[Path, _CheckedValue], known: KnownNames) -> Iterator[Problem]:
    """Yield a problem for each unregistered rule, signal or agent."""
    own = {f"{OWN_RULES}.{name}" for name in _own_ids(spots)}
    for path, spot in spots.items():
        keys = spot.place.value.entries if isinstance(spot.place.value, Mapping) else ()
        if path[-1:] == ("severities",):
            yield from _unknown_rules(keys, known, own)
        elif path == ("tier3", "signals"):
            unknown = [entry for entry in keys if entry.key not in known.signals]
            yield from (
                Problem(entry.line, _no_such("signal", entry.key, known.signals), "config.unknown-name")
                for entry in unknown
            )
        elif path == ("agents",) and known.agents:
            unknown = [entry for entry in keys if entry.key not in known.agents]
            yield from (
                Problem(entry.line, _no_such("agent", entry.key, known.agents), "config.unknown-name")
                for entry in unknown
            )


def _unknown_locks(spots: dict[Path, _CheckedValue]) -> Iterator[Problem]:
    """Yield a problem for each entry of `locked` that names neither a key nor a name below a free mapping."""
    keys = dict(_everywhere(ValidationConfig))
    for path, spot in spots.items():
        name = str(spot.place.value)
        if path[:-1] != ("locked",) or name in keys:
            continue
        if not any(value_of(kind) is not None and name.startswith(f"{key}.") for key, kind in keys.items()):
            near = difflib.get_close_matches(name, keys, n=1, cutoff=0.5)
            hint = f"did you mean `{near[0]}`?" if near else "`assay config show` lists the keys"
            yield Problem(spot.place.line, f"`locked`: no key is called `{name[:80]}`; {hint}", "config.unknown-name")


def _unknown_rules(entries: Iterable[Entry], known: KnownNames, own: Collection[str]) -> Iterator[Problem]:
    for entry in entries:
        if not _names_a_rule(entry.key, known, own):
            meant = f"{OWN_RULES}.{entry.key}"
            near = meant if meant in own else None
            yield Problem(entry.line, _no_such("rule", entry.key, {*known.rules, *own}, near), "config.unknown-name")


def _own_ids(spots: dict[Path, _CheckedValue]) -> set[str]:
    """Return the ids of the file's own rules."""
    return {str(spot.place.value) for path, spot in spots.items() if "customRules" in path and path[-1] == "id"}


def _names_a_rule(key: str, known: KnownNames, own: Collection[str]) -> bool:
    """Return whether the key is a rule, a rule with a part after a dot, or a rule of this file."""
    return key in own or (key.split(".", maxsplit=1)[0] in known.rules and not key.startswith(f"{OWN_RULES}."))


def _no_such(what: str, name: str, known: Collection[str], near: str | None = None) -> str:
    near = near or next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.5)), None)
    hint = f"did you mean `{near}`?" if near else f"there are: {', '.join(sorted(known))}"
    return f"no {what} is called `{name[:80]}`; {hint}"


# ------------------------------------------------------------------ invalid values


def _problems(error: ValidationError, spots: dict[Path, _CheckedValue]) -> Iterator[Problem]:
    """Yield one problem for each invalid value, however many union members it failed."""
    found: dict[Path, list[dict[str, Any]]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        found.setdefault(_path_of(detail["loc"], spots), []).append(dict(detail))
    for path, details in found.items():
        deeper = any(other[: len(path)] == path and other != path for other in found)
        telling = [one for one in details if not _TYPE_ERRORS.fullmatch(one["type"])]
        if not telling and deeper:
            continue
        for message in dict.fromkeys(_said(one, spots[path]) for one in telling or details[:1]):
            yield Problem(spots[path].place.line, message, "config.invalid-value")


def _path_of(loc: Sequence[str | int], spots: dict[Path, _CheckedValue]) -> Path:
    """Return the path of an error in the file, without the union members in pydantic's location."""
    path: Path = ()
    for step in loc:
        if (*path, step) in spots:
            path = (*path, step)
    return path


def _said(detail: dict[str, Any], spot: _CheckedValue) -> str:
    name = f"`{spot.name}`" if spot.name else "the configuration"
    kind = detail["type"]
    if kind == "missing":
        return f"{name} lacks `{detail['loc'][-1]}`"
    if kind == "value_error":
        return f"{name}: {detail['ctx']['error']}"
    if kind == "string_pattern_mismatch":
        return f"{name}: {spot.place.shown()} should look like {detail['ctx']['pattern']}"
    if kind == "too_short":
        return f"{name} should hold at least {detail['ctx']['min_length']}"
    if kind.startswith("string_too"):
        return f"{name}: {detail['msg'].removeprefix('String ')}"
    return f"{name} should be {expected(spot.annotation, spot.limits)}, not {spot.place.shown()}{_hint(spot)}"


def _hint(spot: _CheckedValue) -> str:
    value, wanted = spot.place.value, expected(spot.annotation, spot.limits)
    if wanted.startswith("a list") and value is not None:
        return " (begin each entry with `- `)"
    if isinstance(value, str):
        if "true or false" in wanted and _BOOLEAN_LOOKALIKE.fullmatch(value):
            return " (YAML readers disagree about yes, no, on and off)"
        if "number" in wanted and re.fullmatch(r"[-+]?\d+(\.\d+)?", value):
            return " (take the quotes off)"
    elif isinstance(value, (bool, int, float)) and "text" in wanted:
        return " (put it in quotes)"
    return ""


def _dotted(path: Path) -> str:
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return name
