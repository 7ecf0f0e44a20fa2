"""Arguments for tools of a memory server, and the entries in their results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST_WORDS = 24
"""Words of a question that are searched for one by one."""

_PLACE = re.compile(r"\{(text|number|query|k|folder)\}")
_WORD = re.compile(r"[^\W_]+(?:[.,:/@-][^\W_]+)*")
_COMMON = frozenset(
    "about after all and any are been before being but can current currently did does each for from give had has have"
    " her his how its list many most name never now one only our say she that the their them then there these they this"
    " those use was were what when where which who whom whose why will with you your".split()
)
_LEAST_LETTERS = 3


def filled(template: Any, values: Mapping[str, object]) -> Any:
    """Return plain data with the places of `values` filled; a text that is one place becomes the value itself."""
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), template)
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    return [filled(value, values) for value in template] if isinstance(template, list) else template


def words_asked(question: str) -> list[str]:
    """Return the words of a question to search for, without common ones."""
    words = dict.fromkeys(word for word in _WORD.findall(question) if len(word) >= _LEAST_LETTERS)
    return [word for word in words if word.casefold() not in _COMMON][:MOST_WORDS] or [question]


def entries_in(result: Any, search: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield (text, id) of the entries in a tool's result, as `search` (a `Search` as plain data) says."""
    items, text, id_ = (search[name] for name in ("items", "text", "id"))
    texts = [block.text for block in result.content if isinstance(getattr(block, "text", None), str)]
    if search["pattern"]:
        for match in (match for one in texts for match in re.finditer(search["pattern"], one)):
            yield match["text"], match.groupdict().get("id")
        return
    if not (items or text):
        yield from ((one, None) for one in texts if one.strip())
        return
    for data in [result.structured_content] if result.structured_content is not None else map(_parsed, texts):
        for item in values_at(data, items):
            name = next((str(value) for value in values_at(item, id_)), None) if id_ else None
            yield from ((value, name) for value in values_at(item, text) if isinstance(value, str) and value.strip())


def values_at(data: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path such as `entities[].name`; nothing where the data has another form."""
    key, _, rest = path.partition(".")
    is_each = key.endswith("[]")
    key = key.removesuffix("[]")
    if key:
        data = data.get(key) if isinstance(data, Mapping) else None
    for one in (data if isinstance(data, list) else []) if is_each else [data]:
        if rest:
            yield from values_at(one, rest)
        elif one is not None:
            yield one


def said(result: Any) -> str:
    """Return the texts of a result in one line."""
    texts = [block.text for block in result.content if isinstance(getattr(block, "text", None), str)]
    return " ".join(" ".join(texts).split())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
