"""Kinds of dangerous constructs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LONGEST_KEY = 400


class Kind(StrEnum):
    """What is dangerous, under the name that query files capture it by."""

    code = "data is run as code"
    fetched = "code is fetched and run"
    shell = "data is run by a shell"
    load = "data is loaded that may run code"
    markup = "text becomes markup unescaped"
    unverified = "certificates are not verified"
    sql = "a value is formatted into SQL"
    reflected = "request text is returned as markup"
    weak = "a weak hash or cipher protects data"
    unlimited = "text is copied without a limit"
    unread = "code could not be parsed"
    forged = "requests from other sites are accepted"
    open = "access is open to everyone"
    unsigned = "signatures are not verified"
    unescaped = "markup is not escaped"
    shared = "any site may send requests"


RUNNING = frozenset((Kind.code, Kind.shell, Kind.load))
"""Dangers that run their input."""


@dataclass(frozen=True, slots=True)
class Danger:
    """Construct: its line, its danger, and a text that is equal for equal constructs.

    `is_fed`: text from a request reaches it.
    """

    line: int
    what: Kind
    key: str
    is_fed: bool = False
