"""Every key of the configuration by its dotted name, as the model has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from assay.validators.configuration.field_types import Section
from assay.validators.configuration.model import ValidationConfig


def _sections(annotation: Any) -> Iterator[type[Section]]:
    """Yield the sections in a type, such as the entries of a list."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for member in get_args(annotation):
        yield from _sections(member)


def section_at(path: tuple[str | int, ...]) -> dict[str, Any]:
    """Return the keys of the section at a path, with their types; indexes and free names are passed over."""
    section: type[Section] = ValidationConfig
    for step in path:
        annotation = _types(section).get(str(step))
        section = next(_sections(annotation), section)
    return _types(section)


def _types(section: type[Section]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in section.model_fields.items()}


def _keys(section: type[Section], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, annotation in _types(section).items():
        yield f"{above}{name}", annotation
        if isinstance(annotation, type) and issubclass(annotation, Section):
            yield from _keys(annotation, f"{above}{name}.")


KEYS = dict(_keys(ValidationConfig))
"""Every dotted key with its type, sections included."""
SECTIONS = {key for key, kind in KEYS.items() if isinstance(kind, type) and issubclass(kind, Section)}
MAPPINGS = {key for key, kind in KEYS.items() if get_origin(kind) is dict}
"""Keys whose value is a mapping of names, each of which is a key."""
