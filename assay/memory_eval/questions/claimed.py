"""What sources claim, and what was settled in the end."""

from __future__ import annotations

from assay.memory_eval.world.attributes import ATTRIBUTES

CLAIMED = [name for name in ATTRIBUTES if name.startswith("claimed_")]
SETTLED = [name for name in ATTRIBUTES if name.startswith("settled_")]


def claimed(settled: str) -> str:
    """The attribute under which sources made claims about what was settled."""
    return settled.replace("settled_", "claimed_")


def spoken(entity: str, attribute: str) -> str:
    """("the harbor fire", "settled_cost") -> "the cost of the harbor fire"."""
    return f"the {ATTRIBUTES[claimed(attribute)].label} of {entity}"
