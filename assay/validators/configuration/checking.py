"""Check of a file's values: the configuration, or every problem with its place."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from assay.validators.configuration.keys import KEYS, MAPPINGS, section_at
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.reading import Layer, Path, dotted
from assay.validators.configuration.settings_files import table
from assay.validators.errors import ConfigurationProblem

OWN_RULES = "repository_rules"
"""Rule that stands for `customRules`; each is `repository_rules.<id>` in reports and in `severities`."""
_TYPES = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Registered rules, signals and agents, for keys that name one. Without agents, any name is accepted."""

    rules: Collection[str]
    signals: Collection[str]
    agents: Collection[str] = ()


def check(layer: Layer, known: KnownNames | None = None) -> tuple[ValidationConfig | None, list[ConfigurationProblem]]:
    """Return the configuration (None if there is none) and every problem."""
    problems = list(_unknown_locks(layer))
    if known is not None:
        problems += _unknown_names(layer, known)
    try:
        config = ValidationConfig.model_validate_json(json.dumps(layer.data), strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        return None, [*problems, *_invalid(error, layer)]
    return (None if problems else config), problems


def _invalid(error: ValidationError, layer: Layer) -> Iterator[ConfigurationProblem]:
    """Yield one problem for each invalid value, however many union members it failed."""
    found: dict[Path, list[dict[str, Any]]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        found.setdefault(_path_of(detail["loc"], layer), []).append(dict(detail))
    around = {path[:depth] for path in found for depth in range(len(path))}
    for path, details in found.items():
        others = [one for one in details if not _wanted(one)]
        if not others and path in around:
            continue
        code = "config.unknown-key" if details[0]["type"] == "extra_forbidden" else "config.invalid-value"
        for message in dict.fromkeys(_said(one, path, layer) for one in others) or [_mistyped(details, path, layer)]:
            yield layer.problem(path, message, code)


def _path_of(loc: Sequence[str | int], layer: Layer) -> Path:
    """Return the path of an error in the file, without the union members in pydantic's location."""
    path: Path = ()
    for step in loc:
        if (*path, step) in layer.origins:
            path = (*path, step)
    return path


def _said(detail: dict[str, Any], path: Path, layer: Layer) -> str:
    """Return an error other than a wrong type as one line."""
    name = f"`{dotted(path)}`" if path else "the configuration"
    kind, message = detail["type"], str(detail["msg"])
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing":
        return f"{name} lacks `{detail['loc'][-1]}`"
    if kind == "value_error":
        return f"{name}: {detail['ctx']['error']}"
    return f"{name} should {message.partition('should ')[2]}, not {_shown(_value(layer.data, path))}"


def _mistyped(details: Iterable[dict[str, Any]], path: Path, layer: Layer) -> str:
    name, value = f"`{dotted(path)}`" if path else "the configuration", _value(layer.data, path)
    wanted = " or ".join(dict.fromkeys(map(_wanted, details)))
    hint = ""
    if "list" in wanted and value is not None:
        hint = " (begin each entry with `- `)"
    elif "number" in wanted and isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d+)?", value):
        hint = " (take the quotes off)"
    elif "text" in wanted and isinstance(value, (bool, int, float)):
        hint = " (put it in quotes)"
    return f"{name} should be {wanted}, not {_shown(value)}{hint}"


def _wanted(detail: dict[str, Any]) -> str:
    """Return the type or the words that a key takes; "" for another error."""
    if detail["type"] in ("enum", "literal_error"):
        return re.sub(r"<[\w.]+: (\w+)>", r"\1", str(detail["ctx"]["expected"]).replace("'", ""))
    return _TYPES.get(detail["type"], "")


def _value(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if not isinstance(value, str):
        return "nothing" if value is None else json.dumps(value)
    return f"'{value}'" if len(value) <= 60 else f"'{value[:57]}…'"


# ------------------------------------------------------------------ unknown names


def _unknown_key(path: Path) -> str:
    key, where = str(path[-1]), f" in {dotted(path[:-1])}" if path[1:] else ""
    said = f"unknown key `{key[:80]}`{where}"
    elsewhere = [
        f"`{one}`" if "." in one else f"`{one}` at the top of the file" for one in KEYS if one.split(".")[-1] == key
    ]
    if elsewhere:
        return f"{said}; there is {' and '.join(elsewhere[:3])}"
    names = section_at(path[:-1])
    near = difflib.get_close_matches(_flat(key), {_flat(name): name for name in names}, n=1)
    if near:
        return f"{said}; did you mean `{next(name for name in names if _flat(name) == near[0])}`?"
    return f"{said}; known here: {', '.join(names)}"


def _flat(name: str) -> str:
    return re.sub(r"[-_ ]", "", name[:80]).lower()


def _unknown_names(layer: Layer, known: KnownNames) -> Iterator[ConfigurationProblem]:
    """Yield a problem for each unregistered rule, signal or agent."""
    rules = table(layer.data, "tier2").get("customRules")
    own = {f"{OWN_RULES}.{one.get('id')}" for one in map(table, rules if isinstance(rules, list) else ()) if one}
    for key in table(layer.data, "tier2", "severities"):
        if key not in own and (key.split(".")[0] not in known.rules or key.startswith(f"{OWN_RULES}.")):
            meant = f"{OWN_RULES}.{key}"
            said = _no_such("rule", key, [meant] if meant in own else {*known.rules, *own})
            yield layer.problem(("tier2", "severities", key), said, "config.unknown-name")
    for what, path, names in (("signal", ("tier3", "signals"), known.signals), ("agent", ("agents",), known.agents)):
        for key in table(layer.data, *path) if names else ():
            if key not in names:
                yield layer.problem((*path, key), _no_such(what, key, names), "config.unknown-name")


def _no_such(what: str, name: str, known: Collection[str]) -> str:
    near = [*known] if len(known) == 1 else difflib.get_close_matches(name[:80], known, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(sorted(known))}"
    return f"no {what} is called `{name[:80]}`; {hint}"


def _unknown_locks(layer: Layer) -> Iterator[ConfigurationProblem]:
    """Yield a problem for each entry of `locked` that names neither a key nor a name below a free mapping."""
    locked = table(layer.data).get("locked")
    for index, name in enumerate(locked if isinstance(locked, list) else ()):
        if str(name) not in KEYS and not str(name).startswith(tuple(f"{key}." for key in MAPPINGS)):
            near = difflib.get_close_matches(str(name)[:80], KEYS, n=1, cutoff=0.5)
            hint = f"did you mean `{near[0]}`?" if near else "`assay config show` lists the keys"
            said = f"`locked`: no key is called `{str(name)[:80]}`; {hint}"
            yield layer.problem(("locked", index), said, "config.unknown-name")
