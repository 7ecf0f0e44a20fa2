"""Attributes that change over the dialogue."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

INCIDENTS = "incident"

CHANGING = [row.name for row in ATTRIBUTES.values() if row.changes and row.kind != INCIDENTS]
"""All but those of incidents, which have a separate category."""
