"""Expected values of a configuration key in words: `a whole number from 1 to 86400`, `info, warning, error or off`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from assay.validators.configuration.field_types import Section


def expected(annotation: Any, limits: Iterable[Any] = ()) -> str:
    """Return the expected value of an annotation, for the end of "should be …"."""
    kinds = list(_kinds(annotation, tuple(limits)))
    return kinds[0] if len(kinds) == 1 else ", ".join(kinds[:-1]) + " or " + kinds[-1]


def alternatives(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union without `Annotated`; any other annotation itself."""
    annotation = bare(annotation)
    if get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from alternatives(member)
    else:
        yield annotation


def bare(annotation: Any) -> Any:
    """Return the annotation without `Annotated` around it."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return annotation


def section_of(annotation: Any) -> type[Section] | None:
    """Return the section expected at this place, if there is one."""
    members = (member for member in alternatives(annotation) if isinstance(member, type))
    return next((member for member in members if issubclass(member, Section)), None)


def item_of(annotation: Any) -> Any | None:
    """Return the element type of a list at this place, if there is one."""
    return next((get_args(member)[0] for member in alternatives(annotation) if get_origin(member) is tuple), None)


def value_of(annotation: Any) -> Any | None:
    """Return the value type of a free mapping at this place, if there is one."""
    return next((get_args(member)[1] for member in alternatives(annotation) if get_origin(member) is dict), None)


def _kinds(annotation: Any, limits: tuple[Any, ...]) -> Iterator[str]:
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        limits = (*more, *limits)
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for member in get_args(annotation):
            if member is not NoneType:
                yield from _kinds(member, limits)
    elif origin is Literal:
        yield from (str(getattr(value, "value", value)) for value in get_args(annotation))
    elif origin is tuple:
        yield f"a list (each entry: {expected(get_args(annotation)[0])})"
    elif origin is dict:
        yield f"a mapping of names (each value: {expected(get_args(annotation)[1])})"
    else:
        yield from _simple(annotation, limits)


def _simple(kind: Any, limits: tuple[Any, ...]) -> Iterator[str]:
    if isinstance(kind, type) and issubclass(kind, Section):
        yield f"a mapping ({', '.join(field.alias or name for name, field in kind.model_fields.items())})"
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from (str(member.value) for member in kind)
    elif kind is bool:
        yield "true or false"
    elif kind in (int, float):
        yield ("a whole number" if kind is int else "a number") + _range(limits)
    else:
        yield "text"


def _range(limits: tuple[Any, ...]) -> str:
    low = high = above = None
    for limit in _flat(limits):
        low = getattr(limit, "ge", low)
        high = getattr(limit, "le", high)
        above = getattr(limit, "gt", above)
    if above is not None:
        return f" above {above}" + (f", at most {high}" if high is not None else "")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    return f", at least {low}" if low is not None else ""


def _flat(limits: Iterable[Any]) -> Iterator[Any]:
    for limit in limits:
        if isinstance(limit, FieldInfo):
            yield from _flat(limit.metadata)
        elif isinstance(limit, annotated_types.GroupedMetadata):
            yield from limit
        else:
            yield limit
