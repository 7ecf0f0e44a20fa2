"""What models cost."""

from __future__ import annotations

from datetime import date

import pytest

from assay.llm import Price, price_of
from assay.llm.prices import Tokens, _table

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("name", "tokens", "usd"),
    [
        ("claude-opus-5-5", Tokens(MILLION, MILLION), 24.0),
        ("claude-haiku-4-5-20251001", Tokens(MILLION, MILLION), 6.0),
        ("claude-haiku-5-5", Tokens(100_000, 1_000), 0.0105),
        ("claude-haiku-5-5", Tokens(100_001, 1_000), 0.0525005),
        ("claude-haiku-5-5", Tokens(60_000, 1_000, num_cache_read=60_000), 0.0355),
        ("claude-sonnet-5", Tokens(0, 0, MILLION, MILLION, MILLION), 6.7),
    ],
)
def test_tokens_cost_what_the_table_says(name, tokens, usd):
    price = price_of(name)
    assert price is not None
    assert price.cost_usd(tokens) == pytest.approx(usd)


@pytest.mark.parametrize("name", ["claude-of-tomorrow", "", "claude-opus-5-5-fast", "gpt-5"])
def test_a_model_that_is_not_in_the_table_has_no_price(name):
    assert price_of(name) is None


def test_a_price_of_ones_own_may_be_short():
    assert Price(1.0, 2.0).cost_usd(Tokens(MILLION, MILLION, MILLION, MILLION, MILLION)) == 1 + 2 + 2 + 2 + 1


def test_the_table_has_a_day():
    assert date.fromisoformat(_table()["as_of"]) > date(2026, 1, 1)


@pytest.mark.parametrize(
    "name",
    ["anthropic.claude-haiku-4-5-20251001-v1:0", "global.anthropic.claude-haiku-4-5", "claude-haiku-4-5@20251001"],
)
def test_a_cloud_is_counted_at_its_regional_price(name: str):
    of_cloud, of_api = price_of(name, is_resold=True), price_of("claude-haiku-4-5")
    assert of_cloud is not None
    assert of_api is not None
    tokens = Tokens(num_in=1_000, num_out=500, num_cache_read=10_000, num_cache_written=300)
    assert of_cloud.cost_usd(tokens) == pytest.approx(1.1 * of_api.cost_usd(tokens))
