"""A symbol that a change removes or alters, and the lines that still use it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.validators.languages.language import Origin


class BreakKind(StrEnum):
    """Kind of break; the value is part of the rule's name."""

    name = "missing-name"
    module = "missing-module"
    arguments = "call-arguments"
    attribute = "missing-attribute"


@dataclass(frozen=True, slots=True)
class Use:
    """Line of the head that relies on a symbol of the base; `how` completes "but `file:line` …".

    `file` is where the base defined the symbol, `now` its current parameters if the arguments do not match, `receiver`
    the class or module whose member is used.
    """

    kind: BreakKind
    file: str
    symbol: str
    path: str
    line: int
    how: str
    is_certain: bool = True
    now: str = ""
    receiver: Origin | None = None
