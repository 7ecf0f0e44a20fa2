"""Prices of models from prices.json, which has its date and source. Other models have no price."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

BATCH_SHARE = 0.5
"""Share of the price that a request of a message batch costs."""

_PER = 1_000_000
RESOLD_FACTOR = 1.1
"""Price of a regional endpoint of Bedrock or Vertex against the API's; a global endpoint costs the same as the API.
Source: https://platform.claude.com/docs/en/about-claude/pricing."""
_DATED = re.compile(r"[-@]20\d{6}$")
"""Date suffix as in `claude-haiku-4-5-20251001`; a dated model has the price of the undated one."""
_BEDROCK = re.compile(r"^(?:[a-z]{2,6}(?:-[a-z]+)?\.)?anthropic\.|-v\d+(?::\d+)?$")
"""What Bedrock adds to a name: `eu.anthropic.claude-haiku-4-5-20251001-v1:0`."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts of a call; `num_in` excludes tokens written to or read from the prompt cache."""

    num_in: int = 0
    num_out: int = 0
    num_cache_written: int = 0
    num_cache_written_1h: int = 0
    num_cache_read: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        """Return the sums."""
        return Tokens(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def num_prompt(self) -> int:
        """Input tokens, cached or not."""
        return self.num_in + self.num_cache_written + self.num_cache_written_1h + self.num_cache_read


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. Missing cache prices default to the input price, and twice that for writes.

    A prompt of more than `above_tokens` tokens is charged at `above` as a whole.
    """

    input: float
    output: float
    cache_write: float | None = None
    cache_write_1h: float | None = None
    cache_read: float | None = None
    above_tokens: int | None = None
    above: Price | None = None

    def times(self, factor: float) -> Price:
        """Return the price multiplied by a factor."""

        def scaled(usd: float | None) -> float | None:
            return None if usd is None else usd * factor

        return Price(
            self.input * factor,
            self.output * factor,
            scaled(self.cache_write),
            scaled(self.cache_write_1h),
            scaled(self.cache_read),
            self.above_tokens,
            self.above.times(factor) if self.above is not None else None,
        )

    def cost_usd(self, tokens: Tokens) -> float:
        """Return the cost of these tokens."""
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


def price_of(name: str, *, is_resold: bool = False) -> Price | None:
    """Return the price of a Claude model by name, with or without a date; None if the table has none.

    A cloud that resells it is taken to charge the price of its regional endpoints.
    """
    prices: Mapping[str, Any] = _table()["prices"]
    bare = _BEDROCK.sub("", name) if is_resold else name
    found = prices.get(bare) or prices.get(_DATED.sub("", bare))
    if not found:
        return None
    return _price(found).times(RESOLD_FACTOR) if is_resold else _price(found)


def _price(entry: Mapping[str, Any]) -> Price:
    above = entry.get("above")
    return Price(**{**entry, "above": _price(above) if above else None})


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(files("assay.llm").joinpath("prices.json").read_text("utf-8"))
    return table
