"""Ties between things and people, and traits of people."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

TIES = ["lead", "maintainer", "commander", "fixed_by", "mentor"]
"""Attributes whose value is a person."""

TRAITS = "allergy hobby pet pet_name hometown favorite_food degree birthday joined_on extension team role".split()
"""Attributes of people."""


def tie_label(attribute: str) -> str:
    """Return a person's relation to the thing, such as "lead" or "maintainer"."""
    return "person in charge of the fix" if attribute == "fixed_by" else ATTRIBUTES[attribute].label
