"""Other words for the labels of attributes, for answers that name the points of a card."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def label_words() -> dict[str, list[str]]:
    """Return the words by label, from `label_words.json`."""
    text = files(__package__).joinpath("label_words.json").read_text("utf-8")
    return dict(json.loads(text))
