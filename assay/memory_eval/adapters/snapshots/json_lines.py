"""Memories as JSON: one object per line, or one file with a list of objects that have a text.

The text is the first of `TEXT_FIELDS` in an object; without one, its fields are joined ("entity: Ada; attribute:
pet; value: cat"). The object's subject (`ABOUT_FIELDS`) precedes the text. Other stores are read as an export of this
form, with ids (`ID_FIELDS`) and times (`created`, `updated`, and `valid_to` when an entry ended). Unreadable parts are
noted and skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, candidates, head_of, lines_of
from assay.memory_eval.adapters.snapshots.snapshot import MOST_NAME, Entry, entries_of, moment_of, state_until

# ------------------ json lines


def objects_of(reading: Reading, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) of a file with one JSON object per line; for a list, the objects' numbers replace lines.

    Other values and lines are noted.
    """
    text = reading.text(file)
    whole, why = parsed(text)
    found: Iterator[tuple[Any, str]] = ((value, "") for value in _listed(whole))
    if why and text.lstrip().startswith("["):
        found = iter([(None, why)])
    elif why:
        found = (parsed(line) if line.strip() else (None, "") for line in lines_of(text))
    for number, (value, why) in enumerate(found, start=1):
        if isinstance(value, dict):
            yield number, value
        elif why or value is not None:
            reading.leave(file, number, why or "a JSON value, but no object")


def _listed(whole: Any) -> list[Any]:
    """Return the items of a list, of the lists in an object, or the value itself as the only one."""
    if isinstance(whole, dict) and (found := [whole[name] for name in _LISTS if isinstance(whole.get(name), list)]):
        return [item for one in found for item in one]
    return whole if isinstance(whole, list) else [whole]


def parsed(text: str) -> tuple[Any, str]:
    """Return a JSON value, or None and the error."""
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        return None, f"no JSON: {error.msg.lower()} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:
        return None, "JSON nested too deep" if isinstance(error, RecursionError) else "a number with too many digits"


def first_line(text: str) -> str:
    """Return the first line that is not empty."""
    return next((line for line in lines_of(text) if line.strip()), "")


# ------------------ object text

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


# ------------------ jsonl

_LISTS = tuple("memories results entries items data messages documents records".split())
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
_BEGINS = re.compile(r"\s*(?:\[\s*(?:\{|\]|$)|\{\s*(?:\"|\}|$))")
_FIRST_LINES = 20


def _is_json(path: Path) -> bool:
    head = head_of(path)
    if head is None:
        return False
    lines = [line for line in head.split("\n", _FIRST_LINES)[:_FIRST_LINES] if line.strip()]
    return _BEGINS.match(head) is not None or any(isinstance(parsed(line)[0], dict) for line in lines)


def _read(reading: Reading) -> str:
    for file in reading.files(_SUFFIXES):
        for line, item in objects_of(reading, file):
            found = list(_entries_of(file, line, item))
            reading.keep(found)
            if not found:
                reading.leave(file, line, "an object with no text in it")
    return "jsonl"


def _entries_of(file: Path, line: int, item: dict[str, Any]) -> Iterator[Entry]:
    about = (about_of(item) or "")[:MOST_NAME]
    text = first_text(item)
    if text and about and about.lower() not in text.lower():
        text = f"{about}: {text}"
    own = next((str(value) for value in map(item.get, ID_FIELDS) if isinstance(value, str | int)), "")
    ended = first_value(item, ENDED_FIELDS)
    until = moment_of(ended)
    yield from entries_of(
        text or flat(item, (*ID_FIELDS, *DAY_FIELDS, *ENDED_FIELDS)),
        own or f"{file.name}:{line}",
        "object",
        about=about or None,
        created=first_value(item, CREATED_FIELDS),
        updated=first_value(item, DAY_FIELDS),
        valid_to=ended,
        state=state_until(until) if until or not ended else "history",
        speaker=first_value(item, SPEAKER_FIELDS),
        ends_by_itself=until is not None,
    )


READER = Reader(lambda path: any(map(_is_json, candidates(path, _SUFFIXES))), _read)
