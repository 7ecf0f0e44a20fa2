"""Groups of attributes that several categories ask about."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

CHANGING = [row.name for row in ATTRIBUTES.values() if row.changes and row.kind != "incident"]
"""Attributes that change over the dialogue, but those of incidents, which have a separate category."""

CLAIMED = [name for name in ATTRIBUTES if name.startswith("claimed_")]
"""Claims of sources."""

SETTLED = [name for name in ATTRIBUTES if name.startswith("settled_")]
"""Settlements of claims."""

TIES = ["lead", "maintainer", "commander", "fixed_by", "mentor"]
"""Attributes whose value is a person."""

TRAITS = "allergy hobby pet pet_name hometown favorite_food degree birthday joined_on extension team role".split()
"""Attributes of people."""


def claimed(settled: str) -> str:
    """Return the attribute of the sources' claims about a settled attribute."""
    return settled.replace("settled_", "claimed_")
