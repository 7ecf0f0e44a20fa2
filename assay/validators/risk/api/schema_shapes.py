"""What one schema asks of a document, and what a change of it refuses to senders or newly gives to readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.validators.io.structured_files import Node
from assay.validators.report.risk_facts import ApiChangeKind

LEAST = ("minLength", "minimum", "minItems", "minProperties", "exclusiveMinimum")
MOST = ("maxLength", "maximum", "maxItems", "maxProperties", "exclusiveMaximum")
Found = tuple[ApiChangeKind, str, str, int]
"""(kind, place, what, line)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Schema with the parts of its `allOf` in it. `choices` are alternatives, which are compared as a whole."""

    properties: Mapping[str, Node]
    required: frozenset[str]
    types: frozenset[str]
    enum: frozenset[str]
    limits: Mapping[str, str]
    choices: frozenset[str]
    items: Node | None
    others: Mapping[str, object]
    is_closed: bool
    line: int

    def with_part(self, part: Shape) -> Shape:
        """Return the schema that asks for both."""
        return Shape(
            properties={**part.properties, **self.properties},
            required=self.required | part.required,
            types=self.types or part.types,
            enum=self.enum or part.enum,
            limits={**part.limits, **self.limits},
            choices=self.choices | part.choices,
            items=self.items or part.items,
            others={**part.others, **self.others},
            is_closed=self.is_closed or part.is_closed,
            line=self.line,
        )


def differences(before: Shape, after: Shape, place: str, *, is_input: bool) -> Iterator[Found]:
    """Yield what senders may no longer send, or readers may now get."""
    yield from _other_choices(before, after, place, is_input=is_input)
    yield from (_narrowed if is_input else _widened)(before, after, place)
    yield from _other_keywords(before, after, place, is_input=is_input)


def _narrowed(before: Shape, after: Shape, place: str) -> Iterator[Found]:
    """Yield what a sender may no longer send."""
    refused = {kind for kind in before.types - after.types if not (kind == "integer" and "number" in after.types)}
    is_shown = before.types or (before.properties and "object" in after.types) or before.enum or before.items
    if after.types and (refused or not is_shown):
        yield ApiChangeKind.breaking, place, f"type is now {_listed(after.types)}", after.line
    if after.enum and (lost := before.enum - after.enum or (after.enum if not before.enum else frozenset())):
        what = f"{_listed(lost)} no longer accepted" if before.enum else f"only {_listed(after.enum)} accepted"
        yield ApiChangeKind.breaking, place, what, after.line
    for name, value in after.limits.items():
        if _is_stricter(name, before.limits.get(name), value):
            was = f" (was {before.limits[name]})" if name in before.limits else ""
            yield ApiChangeKind.breaking, place, f"{name} is now {value[:60]}{was[:60]}", after.line
    if after.is_closed and not before.is_closed and (before.types or before.properties):
        yield ApiChangeKind.breaking, place, "no other properties accepted", after.line


def _widened(before: Shape, after: Shape, place: str) -> Iterator[Found]:
    """Yield what a reader may now get."""
    new = {kind for kind in after.types - before.types if not (kind == "integer" and "number" in before.types)}
    if before.types and (new or not after.types):
        said = f"may be {_listed(new)}" if new else "may be of any type"
        yield ApiChangeKind.breaking, place, said, after.line
    if before.enum and (new_values := after.enum - before.enum):
        yield ApiChangeKind.breaking, place, f"may be {_listed(new_values)}", after.line
    elif before.enum and not after.enum:
        yield ApiChangeKind.breaking, place, "may be any value", after.line
    for name, value in before.limits.items():
        if _is_stricter(name, after.limits.get(name), value):
            yield ApiChangeKind.unknown, place, f"{name} {value[:60]} may be exceeded", after.line


def _other_choices(before: Shape, after: Shape, place: str, *, is_input: bool) -> Iterator[Found]:
    """Yield whether alternatives are lost to a sender, or new to a reader; unknown if both."""
    lost, come = before.choices - after.choices, after.choices - before.choices
    breaks, fine = (lost, come) if is_input else (come, lost)
    is_list = all(one.startswith(("oneOf ", "anyOf ")) for one in lost | come)
    is_one_way = is_list and bool(before.choices and after.choices) and not (lost and come)
    if breaks or (fine and not is_one_way):
        kind = ApiChangeKind.breaking if is_one_way else ApiChangeKind.unknown
        yield kind, place, "alternatives changed", after.line


def _other_keywords(before: Shape, after: Shape, place: str, *, is_input: bool) -> Iterator[Found]:
    """Yield the keywords without a rule that changed, unless an input lost one, or an output has a new one."""
    named = (after if is_input else before).others
    for name in named:
        is_both = name in before.others and name in after.others
        is_other = before.others.get(name) != after.others.get(name)
        if is_other and (is_both or name != "default"):
            yield ApiChangeKind.unknown, place, f"{name} is another one now", after.line


def _is_stricter(name: str, old: str | None, new: str) -> bool:
    """Return whether a limit of a schema refuses more than before."""
    if old is None:
        return not (name in LEAST and new == "0")
    if name == "pattern":
        return old != new
    try:
        return float(new) > float(old) if name in LEAST else float(new) < float(old)
    except ValueError:
        return False


def _listed(values: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(values)[:3])[:100] + (" and more" if len(values) > 3 else "")
