"""Public word lists: JSON files in the folders of `vocabulary/`, each read once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

VOCABULARY = "vocabulary"


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list of `<name>.json`; raises `ValueError` if there is none."""
    (file,) = (
        file
        for folder in files("assay.memory_eval.world").joinpath(VOCABULARY).iterdir()
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
