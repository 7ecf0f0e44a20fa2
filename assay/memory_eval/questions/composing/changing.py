"""Which attributes are told anew over the dialogue."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

INCIDENTS = "incident"

CHANGING = [row.name for row in ATTRIBUTES.values() if row.changes and row.kind != INCIDENTS]
"""Those of everything but incidents, which have a category of their own."""
