"""Effective configuration as YAML lines, each key with a comment on its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from assay.validators import LoadedConfiguration, lock_of

WIDTH = 80
_BETWEEN = "  "


def shown_lines(loaded: LoadedConfiguration, *, is_short: bool = False) -> list[str]:
    """Return the lines; if `is_short`, only keys that a file sets or locks."""
    data = loaded.config.model_dump(mode="json", by_alias=True)
    return [*_lines(data, (), loaded, is_short=is_short)] or ["{}"]


def _lines(
    data: Mapping[str, Any], above: tuple[str, ...], loaded: LoadedConfiguration, *, is_short: bool
) -> Iterator[str]:
    indent = "  " * len(above)
    for key, value in data.items():
        if isinstance(value, Mapping) and (value or not above):
            below = [*_lines(value, (*above, key), loaded, is_short=is_short)]
            yield from [f"{indent}{key}:", *below] if below else []
            continue
        comment = _comment(".".join((*above, key)), loaded)
        if comment or not is_short:
            yield from _key(key, value, comment, indent)


def _key(key: str, value: Any, comment: str, indent: str) -> Iterator[str]:
    text: str = yaml.safe_dump({key: value}, sort_keys=False, allow_unicode=True, width=WIDTH - 16)
    first, *rest = text.splitlines()
    beside = f"{indent}{first}{_BETWEEN}# {comment}"
    # A comment may not stand inside a text that goes on in the next line.
    if comment and len(beside) <= WIDTH and (not rest or first.endswith(":")):
        yield beside
    else:
        yield from [f"{indent}# {comment}"] if comment else []
        yield f"{indent}{first}"
    yield from (f"{indent}{line}" for line in rest)


def _comment(key: str, loaded: LoadedConfiguration) -> str:
    """Return where a key was set and what locks it; "" for an unlocked default."""
    origin, lock = loaded.origins.get(key), lock_of(key, loaded.locks)
    parts = [str(origin) if origin else "default"] if origin or lock else []
    by = loaded.locks[lock] if lock else None
    if by is not None:
        parts.append("locked" if origin and origin.file == by.file else f"locked by {by}")
    return ", ".join(parts)
