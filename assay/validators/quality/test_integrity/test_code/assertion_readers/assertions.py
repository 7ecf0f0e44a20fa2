"""Model of an assertion: its subject, its strength and the expected value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

LONGEST_SHOWN = 100


class Strength(IntEnum):
    """Narrowness of an assertion: each class accepts more values than the next one."""

    none = 0
    """It cannot fail."""
    existence = 1
    """The subject is there: `is not None`, `toBeDefined`, `assertNotNull`."""
    truth = 2
    """True or false: `assert x`, `toBeTruthy`, `is True`."""
    type = 3
    """`isinstance`, `toBeInstanceOf`, an exception of a named type."""
    range = 4
    """`> 0`, `in (200, 201)`, `!=`."""
    structure = 5
    """Part of it: `in`, `startswith`, its length, `toMatchObject`."""
    exact = 6
    """Equality, an exception with its message."""

    @classmethod
    def by_name(cls, **names: str) -> dict[str, Strength]:
        """Return the strength of each name, as in `by_name(exact="toBe toEqual", type="toBeInstanceOf")`."""
        return {name: cls[strength] for strength, words in names.items() for name in words.split()}


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion. `subject` is "" if it is not understood; then `expected` is its whole text.

    `resolved` is the subject with local names replaced by their assigned values. `tolerance` is the largest relative
    error that passes. `is_raise`: the subject is expected to raise `expected`.
    """

    subject: str
    strength: Strength
    expected: str
    line: int
    text: str
    resolved: str = ""
    tolerance: float | None = None
    is_raise: bool = False
    end_line: int = 0

    @property
    def lines(self) -> range:
        """Its lines."""
        return range(self.line, max(self.end_line, self.line + self.text.count("\n")) + 1)

    @property
    def key(self) -> tuple[str, Strength, str, float | None]:
        """Key that is equal for two assertions that accept the same."""
        return self.subject, self.strength, self.expected, self.tolerance

    @property
    def shown(self) -> str:
        """Its text on one line, short enough for a message."""
        line = " ".join(self.text.split())
        return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim of one condition about its subject."""

    subject: str
    strength: Strength
    expected: str = ""
    tolerance: float | None = None


def either(claims: list[Claim], text: str) -> Claim:
    """Return the claim that one of these holds: as weak as the weakest, and at most a choice of values."""
    weakest = min(claims, key=lambda claim: claim.strength)
    return Claim(weakest.subject, min(weakest.strength, Strength.range), text)


def opaque(text: str, line: int) -> Assertion:
    """Return an assertion that is not understood: only its presence and a named tolerance are compared."""
    numbers = [(match[1], float(match[2])) for match in _TOLERANCE.finditer(text)]
    if not numbers:
        return Assertion("", Strength.exact, squeezed(text), line, text)
    subject = squeezed(_TOLERANCE.sub("", text))
    widest = max(10.0 ** -min(value, 30) if name in ("places", "decimal") else abs(value) for name, value in numbers)
    return Assertion(subject, Strength.exact, "", line, text, subject, widest)


_TOLERANCE = re.compile(
    r"\b(rel|abs|atol|rtol|delta|places|decimal|rel_tol|abs_tol)\s*[=:]\s*(-?\d{1,12}(?:\.\d{1,20})?(?:e-?\d{1,2})?)\b"
)


def squeezed(text: str) -> str:
    """Return the text without white space outside strings, and with uniform quotes."""
    pieces = _STRING.split(text)
    return "".join(_quoted(piece) if index % 2 else "".join(piece.split()) for index, piece in enumerate(pieces))


_STRING = re.compile(r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`)", re.DOTALL)


def _quoted(string: str) -> str:
    return string if '"' in string else f'"{string[1:-1]}"'


_CONSTANTS = re.compile(
    r"\b(?:true|false|null|nil|undefined|None|True|False|NaN|0x[\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
    r"[a-zA-Z]{0,3}\d{0,2})\b"
)


def number(text: str) -> float | None:
    """Return a literal number; None for anything else."""
    try:
        return float(text)
    except ValueError:
        return None


def is_literal(text: str) -> bool:
    """Return whether an expression is a literal: a number, a string, or a collection of them."""
    bare = re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`", "0", text.strip())
    return bool(bare) and not re.search(r"[A-Za-z_$]", re.sub(_CONSTANTS, "0", bare))
