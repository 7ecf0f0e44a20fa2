"""What ties things to people, and what tells people apart."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

TIES = ["lead", "maintainer", "commander", "fixed_by", "mentor"]
"""Attributes whose value is a person."""

TRAITS = "allergy hobby pet pet_name hometown favorite_food degree birthday joined_on extension team role".split()
"""What is told of people themselves."""


def tie_label(attribute: str) -> str:
    """What somebody is to the thing: "lead", "maintainer" …"""
    return "person in charge of the fix" if attribute == "fixed_by" else ATTRIBUTES[attribute].label
