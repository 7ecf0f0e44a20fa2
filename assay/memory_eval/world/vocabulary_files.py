"""Vocabularies and templates of the world: JSON files next to this module, each read once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list of `vocabulary/<name>.json`."""
    return tuple(_read("vocabulary", name))


@cache
def near_words(name: str) -> dict[str, tuple[str, ...]]:
    """Return similar real words by word of the list, from `vocabulary/near_<name>.json`."""
    groups = (group.split() for group in words(f"near_{name}"))
    return {group[0]: tuple(group[1:]) for group in groups}


@cache
def templates(name: str) -> dict[str, Any]:
    """Return the templates of `templates/<name>.json` by statement."""
    loaded: dict[str, Any] = _read("templates", name)
    return loaded


def _read(folder: str, name: str) -> Any:
    return json.loads(files("assay.memory_eval.world").joinpath(folder, f"{name}.json").read_text("utf-8"))
