"""What a comment wants: a change, an answer, or nothing."""

from __future__ import annotations

import re
from enum import StrEnum


class Intent(StrEnum):
    """As the classifier of advice names it."""

    asks = "asks"
    question = "question"
    praise = "praise"
    other = "other"


_PRAISE = re.compile(r"\b(?:nice|great|thanks?|lgtm|looks good|well done|love)\b", re.IGNORECASE)


def intent(text: str) -> Intent:
    """By its mark and a few words."""
    plain = text.strip()
    if not plain:
        return Intent.other
    if plain.endswith("?"):
        return Intent.question
    return Intent.praise if _PRAISE.search(plain) else Intent.asks
