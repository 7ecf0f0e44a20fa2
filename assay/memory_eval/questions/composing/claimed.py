"""Claims of sources, and settlements."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import with_article
from assay.memory_eval.world.attributes import ATTRIBUTES

CLAIMED = [name for name in ATTRIBUTES if name.startswith("claimed_")]
SETTLED = [name for name in ATTRIBUTES if name.startswith("settled_")]


def claimed(settled: str) -> str:
    """Return the attribute of the sources' claims about a settled attribute."""
    return settled.replace("settled_", "claimed_")


def spoken(entity: str, attribute: str) -> str:
    """Return words for an attribute: ("Duncombe stadium opening", "settled_cost") -> "the cost of the Duncombe …"."""
    return f"the {ATTRIBUTES[claimed(attribute)].label} of {with_article(attribute, entity)}"
