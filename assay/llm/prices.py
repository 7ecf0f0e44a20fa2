"""What models cost: a table with its date and source (prices.json). A model that is not in it has no price."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_PER = 1_000_000
_DATED = re.compile(r"[-@]20\d{6}$")
"""A dated name, `claude-haiku-4-5-20251001`, costs what the plain one does."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call was counted at. `num_in` without what was written to or read from the prompt cache."""

    num_in: int = 0
    num_out: int = 0
    num_cache_written: int = 0
    num_cache_written_1h: int = 0
    num_cache_read: int = 0

    @property
    def num_prompt(self) -> int:
        """All that went in, cached or not."""
        return self.num_in + self.num_cache_written + self.num_cache_written_1h + self.num_cache_read


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens. Cache prices that are not given are those of plain input, twice that for writes.

    A prompt of more than `above_tokens` tokens is charged by `above`, all of it.
    """

    input: float
    output: float
    cache_write: float | None = None
    cache_write_1h: float | None = None
    cache_read: float | None = None
    above_tokens: int | None = None
    above: Price | None = None

    def cost_usd(self, tokens: Tokens) -> float:
        """What these tokens cost."""
        if self.above is not None and self.above_tokens is not None and tokens.num_prompt > self.above_tokens:
            return self.above.cost_usd(tokens)
        twice = 2 * self.input
        charged = (
            (tokens.num_in, self.input),
            (tokens.num_out, self.output),
            (tokens.num_cache_written, twice if self.cache_write is None else self.cache_write),
            (tokens.num_cache_written_1h, twice if self.cache_write_1h is None else self.cache_write_1h),
            (tokens.num_cache_read, self.input if self.cache_read is None else self.cache_read),
        )
        return sum(number * usd for number, usd in charged) / _PER


def price_of(name: str) -> Price | None:
    """The price of a model of the Claude API by its name, with or without a date; None where the table has none."""
    prices: Mapping[str, Any] = _table()["prices"]
    found = prices.get(name) or prices.get(_DATED.sub("", name))
    return _price(found) if found else None


def prices_as_of() -> str:
    """The day the table was compared with its source, ISO."""
    return str(_table()["as_of"])


def _price(entry: Mapping[str, Any]) -> Price:
    above = entry.get("above")
    return Price(**{**entry, "above": _price(above) if above else None})


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(files("assay.llm").joinpath("prices.json").read_text("utf-8"))
    return table
