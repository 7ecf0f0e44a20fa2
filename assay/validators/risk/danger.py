"""What a dangerous construct is, and what those of several languages do, in words."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_KEY = 400

RUN_AS_CODE = "data is run as code"
RUN_BY_SHELL = "data is run by a shell"
LOADED = "data is loaded that may run code"
LOADED_AS_MARKUP = "text becomes markup unescaped"
UNVERIFIED = "certificates are not verified"


@dataclass(frozen=True, slots=True)
class Danger:
    """One construct: its line, what it does, and a text that is equal for equal constructs."""

    line: int
    what: str
    key: str
