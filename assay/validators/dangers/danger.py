"""Kinds of dangerous constructs."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_KEY = 400

RUN_AS_CODE = "data is run as code"
FETCHED = "code is fetched and run"
RUN_BY_SHELL = "data is run by a shell"
LOADED = "data is loaded that may run code"
LOADED_AS_MARKUP = "text becomes markup unescaped"
UNVERIFIED = "certificates are not verified"
IN_SQL = "a value is formatted into SQL"
REFLECTED = "request text is returned as markup"
WEAK = "a weak hash or cipher protects data"
UNLIMITED = "text is copied without a limit"
UNREAD = "code could not be parsed"
RUNNING = frozenset((RUN_AS_CODE, RUN_BY_SHELL, LOADED))
"""Dangers that run their input."""


@dataclass(frozen=True, slots=True)
class Danger:
    """Construct: its line, its danger, and a text that is equal for equal constructs.

    `is_fed`: text from a request reaches it.
    """

    line: int
    what: str
    key: str
    is_fed: bool = False
