"""The texts that every generator adds, replaces and deletes."""

from __future__ import annotations

import hashlib

KEPT = (
    "Ada Lund is allergic to peanuts.",
    "Bo Reyes works at Northwind as a data engineer.",
    "The deadline of Project Atlas is 3 May 2025.",
    "Cy Orr prefers tea without sugar.",
    "The budget of Project Atlas is $2,450,000.",
    "Dee Park's phone extension is 7883.",
)
CHANGED = (
    ("Ada Lund lives in Oslo.", "Ada Lund lives in Bergen."),
    ("Bo Reyes drives a blue van.", "Bo Reyes drives a red bicycle."),
)
DELETED = ("Cy Orr's passport number is X5512209.", "Dee Park plans to leave in June.")

LIVE = (*KEPT, *(new for _, new in CHANGED))
GONE = (*(old for old, _ in CHANGED), *DELETED)
ADDED = (*KEPT, *(old for old, _ in CHANGED), *DELETED)
"""Every text as it is added first; then `CHANGED` are replaced and `DELETED` removed."""


def vector(text: str, size: int = 4) -> list[float]:
    """Return a fixed vector of a text, so that no model has to be downloaded."""
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:size]]
