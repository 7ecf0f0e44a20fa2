"""The words the world is made of and the templates it speaks in: JSON files beside this one, each read once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def words(name: str) -> tuple[str, ...]:
    """The list of `vocabulary/<name>.json`."""
    return tuple(_read("vocabulary", name))


@cache
def near_words(name: str) -> dict[str, tuple[str, ...]]:
    """Word of the list -> other real words that are nearly the same, from `vocabulary/near_<name>.json`."""
    groups = (group.split() for group in words(f"near_{name}"))
    return {group[0]: tuple(group[1:]) for group in groups}


@cache
def templates(name: str) -> dict[str, Any]:
    """The templates of `templates/<name>.json`, by what they say."""
    loaded: dict[str, Any] = _read("templates", name)
    return loaded


def _read(folder: str, name: str) -> Any:
    return json.loads(files("assay.memory_eval.world").joinpath(folder, f"{name}.json").read_text("utf-8"))
