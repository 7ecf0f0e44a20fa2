"""Vocabularies and templates of the world: JSON files next to this module, each read once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list of `<name>.json`, which is in one of the folders of `vocabulary/`."""
    (file,) = (
        file
        for folder in files("assay.memory_eval.world").joinpath("vocabulary").iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name == f"{name}.json"
    )
    return tuple(json.loads(file.read_text("utf-8")))


@cache
def near_words(name: str) -> dict[str, tuple[str, ...]]:
    """Return similar real words by word of the list, from `near_<name>.json`."""
    groups = (group.split() for group in words(f"near_{name}"))
    return {group[0]: tuple(group[1:]) for group in groups}


@cache
def templates(name: str) -> dict[str, Any]:
    """Return the templates of `templates/<name>.json` by statement."""
    file = files("assay.memory_eval.world").joinpath("templates", f"{name}.json")
    loaded: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return loaded
