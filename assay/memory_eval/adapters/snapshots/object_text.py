"""The text of a JSON object: its text field, or its short fields joined."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

TEXT_FIELDS = tuple("text content memory fact observation statement summary message page_content document body".split())
ABOUT_FIELDS = tuple("entity subject title topic name".split())
ID_FIELDS = tuple("id uuid key turn_number".split())
DAY_FIELDS = tuple(
    "updated_at updatedAt updated modified created_at createdAt created timestamp date valid_from".split()
)
CREATED_FIELDS = tuple("created_at createdAt created valid_from timestamp date".split())
ENDED_FIELDS = tuple("valid_to invalid_at expired_at expires_at".split())
SPEAKER_FIELDS = tuple("role actor_id speaker author".split())

_MOST_FIELDS = 40
_MOST_NESTED = 4
_NOT_SAID = frozenset("embedding vector hash type role score".split())


def text_of(value: Any, depth: int = 0) -> str:
    """Return a text, or the texts in a message's parts: `{"content": [{"type": "text", "text": …}]}`."""
    if isinstance(value, str):
        return value.strip()
    if depth >= _MOST_NESTED:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(part, depth + 1) for part in value)))
    if isinstance(value, Mapping):
        return next((text for field in TEXT_FIELDS if (text := text_of(value.get(field), depth + 1))), "")
    return ""


def first_text(fields: Mapping[Any, Any], names: Iterable[str] = TEXT_FIELDS) -> str:
    """Return the first text under these names, or ""."""
    return next((text for name in names if (text := text_of(fields.get(name)))), "")


def first_value(fields: Mapping[Any, Any], names: Iterable[str]) -> Any:
    """Return the first value that is not empty under these names, or None."""
    return next((value for name in names if (value := fields.get(name))), None)


def about_of(fields: Mapping[Any, Any], names: Iterable[str] = ABOUT_FIELDS) -> str | None:
    """Return what an object is about: the first value under these names that is a text."""
    return next((value for name in names if isinstance(value := fields.get(name), str) and value.strip()), None)


def flat(fields: Mapping[Any, Any], unsaid: Collection[str] = ()) -> str:
    """Join all fields but `unsaid` of an object without a text, nested ones too: "name: Ada; address city: Oslo"."""
    lines: list[str] = []
    _flatten({name: value for name, value in fields.items() if name not in unsaid}, "", lines, 0)
    return "; ".join(lines)


def _flatten(value: Any, path: str, lines: list[str], depth: int) -> None:
    if len(lines) >= _MOST_FIELDS or depth > _MOST_NESTED:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(name, str) and name.lower() not in _NOT_SAID:
                _flatten(inner, f"{path} {name.replace('_', ' ')}".strip(), lines, depth + 1)
    elif isinstance(value, list):
        plain = [str(item).strip() for item in value if _is_plain(item)]
        if plain:
            lines.append(f"{path}: {', '.join(plain)}" if path else ", ".join(plain))
        for item in value:
            if not _is_plain(item):
                _flatten(item, path, lines, depth + 1)
    elif _is_plain(value) and str(value).strip():
        lines.append(f"{path}: {str(value).strip()}" if path else str(value).strip())


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
